"""Runs a piece of Python on several MPI ranks from within a test.

    assert mpirun.reports(4, "report(comm.allreduce(rank))") == [6, 6, 6, 6]

The snippet sees `comm` (all ranks), `rank`, `size` and `report(value)`, which hands a value that JSON can
hold back to the test. The ranks run under the mpiexec that lies beside this interpreter, so the same test
runs under whichever MPI family its environment holds. They are those of a pool and stay for the next
snippet, see pool.py; one that a pool would not survive, or that would notice it, is run with `alone=True`.
Mark such tests `pytest.mark.mpi`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pool
from sortlast import _leftovers, launch

PRELUDE = """\
import json, pathlib, sys
from mpi4py import MPI
comm = globals().get("comm", MPI.COMM_WORLD)  # a pool's ranks have one of their own
rank, size = comm.Get_rank(), comm.Get_size()
def report(value):
    pathlib.Path({folder!r}, f"{{rank}}.json").write_text(json.dumps(value))
"""


@dataclass(frozen=True)
class Job:
    """What a parallel run left behind."""

    returncode: int  # mpiexec's: 0 when every rank ended well
    stdout: str  # of all ranks, lines in no certain order
    stderr: str
    reports: list[Any]  # one entry a rank, in rank order; None where a rank reported nothing


def run_command(
    ranks: int,
    command: Sequence[str],
    *,
    timeout: float = 60.0,
    env: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """Run a command on every rank, with options of mpiexec; other arguments and errors as in `run`."""
    launcher = launch.find_mpiexec()
    settings = launch.environment(launcher.family, ranks, len(os.sched_getaffinity(0)), os.geteuid() == 0)
    argv = [str(launcher.path), *options, "-n", str(ranks), *command]
    # At the end of the block all that still runs is killed.
    with _leftovers.start(
        argv,
        {**os.environ, **settings, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as kept:
        try:
            stdout, stderr = kept.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            kept.close()
            stdout, stderr = kept.process.communicate()
            raise TimeoutError(
                f"{ranks} ranks did not end within {timeout:g} s: {' '.join(argv)}\n{stdout}{stderr}"
            ) from None
    return subprocess.CompletedProcess(argv, kept.process.returncode, stdout, stderr)


def run(
    ranks: int,
    snippet: str,
    *,
    timeout: float = 60.0,
    alone: bool = False,
    env: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    start: Callable[[Sequence[str]], int] | None = None,
) -> Job:
    """Run a Python snippet on each of `ranks` ranks.

    Args:
        ranks: how many.
        snippet: source text, indented as one likes; sees `comm`, `rank`, `size` and `report`.
        timeout: limit in seconds; the ranks are ended when it has passed.
        alone: start ranks for this snippet only: for one that kills a rank, ends MPI, gives up a call that
            others wait in, or measures its process. So it is where one of the following is given.
        env: environment variables on top of this process's own, for mpiexec too.
        options: of mpiexec.
        start: runs a command on that many ranks elsewhere than on this machine, and returns mpiexec's exit
            status; `timeout` and `env` are its matter then, and so is what the ranks print.

    Raises:
        TimeoutError: the ranks did not end in time; the message holds what they printed.

    An exception that leaves the snippet on any rank ends the whole job with a status other than 0.
    """
    with tempfile.TemporaryDirectory(prefix="sortlast-mpirun-") as folder:
        script = Path(folder, "snippet.py")
        script.write_text(PRELUDE.format(folder=folder) + textwrap.dedent(snippet))
        command = [sys.executable, "-m", "mpi4py", str(script)]
        if start is not None:
            done = subprocess.CompletedProcess(command, start(command), "", "")
        elif alone or env or options:
            done = run_command(ranks, command, timeout=timeout, env=env, options=options)
        else:
            done = pool.of(ranks).run(script, timeout)
        files = [Path(folder, f"{rank}.json") for rank in range(ranks)]
        reports = [json.loads(file.read_text()) if file.exists() else None for file in files]
    return Job(done.returncode, done.stdout, done.stderr, reports)


def reports(ranks: int, snippet: str, *, head: str = "", **options: Any) -> list[Any]:
    """What the ranks report that ran a snippet below `head`, and ended well; `options` as in `run`."""
    job = run(ranks, head + textwrap.dedent(snippet), **options)
    assert job.returncode == 0, job
    return job.reports
