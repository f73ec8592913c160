"""Finds mpiexec, sets the environment that it needs, and runs jobs under it."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast import Error, TimeoutError, _extras, _keeper, _leftovers  # noqa: A004
from sortlast.launch import streams

if TYPE_CHECKING:
    from mpi4py import MPI

# Set by the process managers of the supported MPI libraries (Hydra, PMIx, Open MPI 4).
_RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")

# Number of ranks requested from run(), so that ranks detect an mpiexec of a different MPI.
_RANKS_VARIABLE = "SORTLAST_RANKS"

# If set, each rank that starts appends a byte to the file of this name in TMPDIR.
STARTED = "SORTLAST_STARTED"
# Seconds for all ranks to start if run() has no timeout; cold network file systems may need more.
_START_VARIABLE = "SORTLAST_START_TIMEOUT"
_START = 120.0
_SETTLE = 0.02  # between two checks of the file [s]

# Ranks share the cores. OpenBLAS would start one thread per core in each rank, and interrupts a process that
# cannot start any.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
# Counted against the limit of processes: a rank and its UCX thread; the keeper, mpiexec, its proxy and a
# thread that shows progress.
_PER_RANK, _PER_JOB = 2, 4

# MPICH polls inside its blocking calls, such as barriers. With more ranks than cores it should yield.
_MPICH_OVERSUBSCRIBED = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "10",
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
}

# Every mpiexec kills all ranks when one is killed; in Hydra no option reliably prevents this. Therefore
# mpiexec starts a shell that runs the rank, and the shell exits this long after its rank was killed.
_GRACE = 20  # [s]
_OUTLIVE = ["sh", "-c", f'"$@"; status=$?; [ $status -le 128 ] || sleep {_GRACE}; exit $status', "rank"]

# Open MPI refuses more ranks than cores and refuses root, unless variables permit both.
_OPENMPI_OVERSUBSCRIBED = {
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # Open MPI 5
    "OMPI_MCA_rmaps_base_oversubscribe": "1",  # Open MPI 4
}
_OPENMPI_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class RanksError(Error):
    """Started ranks failed, and have reported the reason on standard error.

    Attributes:
        status: of mpiexec, or 128 + the signal that ended it.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Launcher:
    """An mpiexec: its path and its MPI ``family``, "mpich" or "openmpi"."""

    path: Path
    family: str


def under_mpiexec(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a process manager started this process as a rank."""
    return any(name in environ for name in _RANK_VARIABLES)


def find_mpiexec() -> Launcher:
    """Find mpiexec: the one installed in this Python's environment, else the first on PATH.

    Raises :class:`sortlast.Error` if there is none or if it belongs to neither MPICH nor Open MPI.
    """
    beside = str(Path(sys.prefix) / "bin")
    found = shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")
    if found is None:
        raise Error(
            f"no mpiexec in {beside} nor on PATH; install an MPI into this environment: pip install mpich"
        )
    version = subprocess.run(
        [found, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    ).stdout
    return Launcher(Path(found), _family(found, version))


def _family(path: str, version: str) -> str:
    """MPI family, from the output of ``mpiexec --version``."""
    if "HYDRA" in version or "MPICH" in version:
        return "mpich"
    if "Open MPI" in version or "OpenRTE" in version or "PRRTE" in version:
        return "openmpi"
    heading = version.strip().splitlines()[:1] or ["nothing"]
    raise Error(
        f"{path} --version says {heading[0]!r}, which is neither MPICH nor Open MPI;"
        " start the ranks with your own launcher in front of this command"
    )


def environment(family: str, ranks: int, cores: int, superuser: bool) -> dict[str, str]:
    """Variables that ``ranks`` ranks of an MPI ``family`` need on one machine of ``cores`` cores.

    They must be set before MPI starts, so they are part of the launch.
    """
    if family == "mpich":
        return dict(_MPICH_OVERSUBSCRIBED) if ranks > cores else {}
    # Open MPI counts cores differently (with or without hardware threads), so oversubscription is always on.
    return _OPENMPI_OVERSUBSCRIBED | (_OPENMPI_ROOT if superuser else {})


def rank_command(module: str, args: Sequence[str]) -> list[str]:
    """The command that runs a module as a rank, without imports from the current folder."""
    return [sys.executable, str(Path(__file__).with_name("_rank.py")), module, *args]


def run(
    module: str, args: Sequence[str], ranks: int, timeout: float | None = None, *, outlive: bool = False
) -> int:
    """Run a module with arguments, as ``__main__``, on ``ranks`` ranks of this machine and wait for them.

    The ranks inherit standard output and error, and have no standard input. Modules are not imported from
    the current folder. Returns mpiexec's exit status, or 128 + the signal that ended it. However this call
    or this process ends, no rank is left running. Variables set by the user are kept. With ``outlive``, ranks
    continue for 20 s when a signal ends one of them; otherwise mpiexec would kill them all at once.

    ``timeout`` limits the seconds from the start of mpiexec to its end. Without it, all ranks must start
    within 120 s, or within the seconds in the environment variable SORTLAST_START_TIMEOUT.

    Raises :class:`sortlast.Error` if there is no usable mpiexec, no mpi4py, or if ``ranks`` < 1 or exceeds
    the limit of processes, and :class:`sortlast.TimeoutError`, after the ranks have been killed, if they
    exceed a time limit.
    """
    if ranks < 1:
        raise Error(f"cannot start {ranks} ranks; ask for at least 1")
    _extras.check("mpi4py", "starting ranks")
    _check_processes(ranks)
    start = _start_limit() if timeout is None else timeout
    launcher = find_mpiexec()
    settings = environment(launcher.family, ranks, len(os.sched_getaffinity(0)), os.geteuid() == 0)
    shell = _OUTLIVE if outlive else []
    command = [str(launcher.path), "-n", str(ranks), *shell, *rank_command(module, args)]
    variables = settings | _ONE_THREAD | dict(os.environ) | {_RANKS_VARIABLE: str(ranks), STARTED: "1"}
    begun = time.monotonic()
    with _started(command, variables) as kept:
        _wait_for_start(kept, ranks, begun, start)
        return _wait(kept, timeout, f"{ranks} ranks of {module}", begun)


def _start_limit() -> float:
    """Seconds for all ranks to start if run() has no timeout."""
    text = os.environ.get(_START_VARIABLE, "")
    with suppress(ValueError):
        if (limit := float(text or _START)) > 0:
            return limit
    raise Error(f"{_START_VARIABLE} is {text!r}; expected a number of seconds above 0")


def _check_processes(ranks: int) -> None:
    """Raise Error if the limit of processes, which includes threads, is too low for this many ranks."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if limit == resource.RLIM_INFINITY or os.geteuid() == 0:
        return
    used, needed = 0, _PER_RANK * ranks + _PER_JOB
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if folder.stat().st_uid == os.getuid():
                used += len(os.listdir(folder / "task"))
    if used + needed > limit:
        raise Error(
            f"cannot start {ranks} ranks: they need {needed} more processes and threads, {used} are in use,"
            f" and ulimit -u allows {limit}; raise that limit or start fewer ranks"
        )


def _wait_for_start(kept: _leftovers.Kept, ranks: int, begun: float, limit: float) -> None:
    """Wait until each rank has reported its start, or the command has ended.

    Raises TimeoutError ``limit`` seconds after the time ``begun``.
    """
    found = 0
    while found < ranks and kept.process.poll() is None:
        with suppress(FileNotFoundError):
            found = (kept.folder / STARTED).stat().st_size
        if found < ranks and time.monotonic() > begun + limit:
            most, _ = resource.getrlimit(resource.RLIMIT_NPROC)
            processes = "" if most == resource.RLIM_INFINITY else f"; ulimit -u allows {most} processes"
            raise TimeoutError(
                f"{found} of {ranks} ranks started within {limit:g} s{processes};"
                f" for a slow start allow a longer timeout, or set {_START_VARIABLE} if there is none"
            )
        time.sleep(_SETTLE)


def wait_for(command: Sequence[str], variables: Mapping[str, str], timeout: float | None, what: str) -> int:
    """Run a command that starts ranks; returns its exit status, or 128 + the signal that ended it.

    It gets ``variables`` as its environment, a temporary folder that is removed at the end, and no standard
    input. However it ends, and however this process ends, all processes that it started on this machine are
    killed. Exceeding ``timeout`` seconds raises :class:`sortlast.TimeoutError` with ``what``.
    """
    begun = time.monotonic()
    with _started(command, variables) as kept:
        return _wait(kept, timeout, what, begun)


@contextmanager
def _started(command: Sequence[str], variables: Mapping[str, str]) -> Iterator[_leftovers.Kept]:
    """Start a command with this process's output streams, even if they cannot be written."""
    with (
        streams.Forwarded() as output,
        _leftovers.start(command, variables, stdout=output.stdout, stderr=output.stderr) as kept,
    ):
        output.start()
        yield kept


def _wait(kept: _leftovers.Kept, timeout: float | None, what: str, begun: float) -> int:
    """Wait for the end, at most ``timeout`` seconds after the time ``begun``."""
    try:
        status = kept.process.wait(None if timeout is None else max(0.0, begun + timeout - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"{what} did not end within {timeout:g} s") from None
    return status if status >= 0 else 128 - status


def world() -> MPI.Intracomm:
    """The communicator of all ranks; starts MPI.

    Raises :class:`sortlast.Error` if :func:`run` requested a different number of ranks: then mpiexec and
    mpi4py belong to different MPIs, and each process runs as a single rank.
    """
    from sortlast._mpi4py import MPI

    comm = MPI.COMM_WORLD
    asked = int(os.environ.get(_RANKS_VARIABLE, comm.size))
    if asked != comm.size:
        vendor = " ".join(str(part) for part in MPI.get_vendor())
        raise Error(
            f"mpiexec started {asked} processes but MPI ({vendor}) sees {comm.size}: mpiexec and mpi4py"
            " belong to different MPI libraries; install one MPI into this environment, for example"
            " pip install --force-reinstall mpich mpi4py"
        )
    if _RANKS_VARIABLE in os.environ:
        _keeper.note_segments(os.environ["TMPDIR"])
    return comm
