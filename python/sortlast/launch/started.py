"""Ranks started for a job: settings and reports are passed as JSON in files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortlast import _leftovers
from sortlast.files import TEMPORARY, naming
from sortlast.launch import failure, mpiexec
from sortlast.launch.mpiexec import RanksError

if TYPE_CHECKING:
    from mpi4py import MPI


def ranks(
    module: str,
    settings: Mapping[str, Any],
    count: int,
    timeout: float | None = None,
    start: Callable[[Sequence[str]], int] | None = None,
    *,
    outlive: bool = False,
) -> Any:
    """Run a module on ranks, see :func:`sortlast.launch.run`, and return its report.

    Args:
        module: it calls :func:`serve`.
        settings: passed to the module as JSON; paths become text.
        count: number of ranks.
        timeout: in seconds; then the ranks are killed. None: no limit.
        start: runs a command on that many ranks on other machines and returns mpiexec's exit status; it must
            then enforce ``timeout`` itself.
        outlive: ranks continue when one of them dies; see :func:`sortlast.launch.run`.

    Raises:
        TimeoutError: they did not finish in time.
        RanksError: they failed.
        Error: there is no usable mpiexec, or ``count`` < 1.
    """
    with _leftovers.folder() as folder:
        asked, told = folder / "settings.json", folder / "report.json"
        with naming(asked, advice=TEMPORARY):
            asked.write_text(json.dumps(dict(settings), default=str))
        files = [str(asked), str(told)]
        if start is None:
            status = mpiexec.run(module, files, count, timeout, outlive=outlive)
        else:
            status = start(mpiexec.rank_command(module, files))
        if status:
            raise RanksError(f"{count} ranks of {module} failed with status {status}", status)
        return json.loads(told.read_text())


def serve(measure: Callable[[MPI.Intracomm, Any], Any], *, alike: bool = False) -> None:
    """Entry point of the module in each rank: run ``measure`` with the settings; rank 0 writes the report.

    A failure ends all ranks and is reported on standard error, with ``alike`` by rank 0 only; see
    :func:`sortlast.launch.failure.end`.
    """
    asked, told = map(Path, sys.argv[1:])
    try:
        comm = mpiexec.world()
        report = measure(comm, json.loads(asked.read_text()))
        if comm.rank == 0:
            with naming(told, advice=TEMPORARY):
                told.write_text(json.dumps(report))
    except Exception as error:
        failure.end(error, alike=alike)
