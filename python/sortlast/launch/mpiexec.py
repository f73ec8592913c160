"""mpiexec: which there is, what it needs in its environment, and a job under it from its start to its end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast import Error, TimeoutError, _extras, _leftovers  # noqa: A004
from sortlast.launch import streams

if TYPE_CHECKING:
    from mpi4py import MPI

# Set by every process manager that our MPI libraries can be started by (Hydra, PMIx, Open MPI 4).
_RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")

# How many ranks run() asked for, so that ranks of another MPI than mpiexec's notice it.
_RANKS_VARIABLE = "SORTLAST_RANKS"

# MPICH polls inside its own waiting calls, such as a barrier. With more ranks than cores it is to yield.
_MPICH_OVERSUBSCRIBED = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "10",
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
}

# Every mpiexec kills all ranks when one is killed; Hydra at times even if told not to. It is a shell that
# mpiexec sees, and that ends so long after the rank in it.
_GRACE = 20  # [s]
_OUTLIVE = ["sh", "-c", f'"$@"; status=$?; [ $status -le 128 ] || sleep {_GRACE}; exit $status', "rank"]

# Open MPI refuses more ranks than cores, and the superuser, unless told otherwise.
_OPENMPI_OVERSUBSCRIBED = {
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # Open MPI 5
    "OMPI_MCA_rmaps_base_oversubscribe": "1",  # Open MPI 4
}
_OPENMPI_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class RanksError(Error):
    """Ranks that were started failed, and have said why on standard error.

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
    """Whether a process manager started this process as one of its ranks."""
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
    """MPI family from what ``mpiexec --version`` prints."""
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
    # Open MPI counts cores in its own way (hardware threads or not), so it is never held to a count.
    return _OPENMPI_OVERSUBSCRIBED | (_OPENMPI_ROOT if superuser else {})


def run(
    module: str, args: Sequence[str], ranks: int, timeout: float | None = None, *, outlive: bool = False
) -> int:
    """Run ``python -m module args`` on ``ranks`` ranks of this machine and wait for them.

    Output goes where ours goes; ranks have no standard input. Returns mpiexec's exit status, or 128 + the
    signal that ended it. However this ends, and however this process ends, no rank is left. Variables that
    the user has set are kept. With ``outlive`` ranks go on for 20 s when a signal ends one of them; mpiexec
    would otherwise kill them all at once.

    Raises :class:`sortlast.Error` if there is no usable mpiexec, no mpi4py or ``ranks`` < 1, and
    :class:`sortlast.TimeoutError` if the ranks, which are then ended, took more than ``timeout`` seconds.
    """
    if ranks < 1:
        raise Error(f"cannot start {ranks} ranks; ask for at least 1")
    _extras.check("mpi4py", "starting ranks")
    launcher = find_mpiexec()
    settings = environment(launcher.family, ranks, len(os.sched_getaffinity(0)), os.geteuid() == 0)
    shell = _OUTLIVE if outlive else []
    command = [str(launcher.path), "-n", str(ranks), *shell, sys.executable, "-m", module, *args]
    variables = settings | dict(os.environ) | {_RANKS_VARIABLE: str(ranks)}
    return wait_for(command, variables, timeout, f"{ranks} ranks of {module}")


def wait_for(command: Sequence[str], variables: Mapping[str, str], timeout: float | None, what: str) -> int:
    """Run a command that starts ranks, and wait for it; its exit status, or 128 + the signal that ended it.

    It gets ``variables`` as its environment, a folder for temporary files that is removed at the end, and no
    standard input. However it ends, and however this process ends, all that it has started here is killed:
    also at the end of ``timeout`` seconds, which raises :class:`sortlast.TimeoutError` with ``what``.
    """
    # At the end of the block, all is killed, then waited for, and then the folder goes.
    with _leftovers.folder() as folder, ExitStack() as waited_for, _leftovers.processes() as mark:
        # A session of its own, so that no signal of a terminal reaches it.
        output = waited_for.enter_context(streams.Forwarded())
        process = waited_for.enter_context(
            subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output.stdout,
                stderr=output.stderr,
                start_new_session=True,
                env={**variables, "TMPDIR": str(folder), **mark},
            )
        )
        output.start()
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{what} did not end within {timeout:g} s") from None
    return status if status >= 0 else 128 - status


def world() -> MPI.Intracomm:
    """The communicator of all ranks; starts MPI.

    Raises :class:`sortlast.Error` if :func:`run` asked for another number of ranks: the mpiexec then
    belongs to another MPI than mpi4py, and each process believes it is alone.
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
    return comm
