"""Runs the benchmark on the ranks of the user's mpiexec, or on ranks started here."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast import Error, launch, provenance
from sortlast.cli import _progress, _terminal

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.bench import Report, Row, Settings
    from sortlast.bench.task import Machine


RANKS = 4  # default number of ranks to start


def measure(comm: MPI.Intracomm, settings: Settings) -> Report:
    """Measure on the ranks of ``comm`` with a progress bar on rank 0's standard error. Communicates."""
    from sortlast import bench

    with _progress.bar("benchmark", enabled=comm.rank == 0) as bar:
        return bench.run(comm, settings, bar.tell)


def started(ranks: int, settings: Settings) -> Report:
    """Measure on ranks started here. Raises RanksError if they fail."""
    from sortlast.bench import Report, Row

    report = launch.ranks("sortlast.cli._bench_ranks", asdict(settings), ranks)
    # A launcher may have bound its ranks to fewer cores than are available here.
    cores = len(os.sched_getaffinity(0))
    return Report([replace(Row(**row), cores=cores) for row in report["rows"]], report["notes"])


def all_reports(counts: list[int] | None, settings: Settings) -> list[Report] | None:
    """Measure with each number of ranks (None: 4), or on the ranks of the user's mpiexec.

    Under mpiexec, the result is None on all ranks but 0.
    """
    if not launch.under_mpiexec():
        _terminal.hand_on()
        return [started(count, settings) for count in counts or [RANKS]]
    comm = world(counts)
    report = measure(comm, settings)
    return [report] if comm.rank == 0 else None


def world(counts: list[int] | None) -> MPI.Intracomm:
    """The ranks of the user's mpiexec. Raises Error if ``counts`` differs."""
    comm = launch.world()
    if counts not in (None, [comm.size]):
        asked = ",".join(map(str, counts or ()))
        raise Error(f"--ranks {asked}, but mpiexec started {comm.size}; leave --ranks out under mpiexec")
    return comm


def read_rows(path: Path) -> list[Row]:
    """The rows of a benchmark's file, empty if there is none. Raises Error for other kinds of files."""
    from sortlast.bench import Row

    if not path.exists():
        return []
    try:
        rows = json.loads(path.read_text())
        if not isinstance(rows, list):
            raise TypeError(f"a {type(rows).__name__} where a list was expected")
        return [Row(**row) for row in rows]
    except OSError as error:
        raise Error(f"cannot read {path}: {error}") from error
    except (ValueError, TypeError) as error:
        raise Error(
            f"{path} holds no rows of this benchmark ({error}); name another file, or remove it"
        ) from error


def check_machine(rows: Sequence[Row], path: Path, comm: MPI.Intracomm | None) -> str:
    """Raise Error if rows of a file were measured on a different machine; communicates.

    Returns a remark on rows without a recorded machine, empty if there are none. ``comm``: the ranks that
    will measure; None if they are not started yet.
    """
    from sortlast import bench

    here = (provenance.here() if comm is None else bench.origin(comm)).machine
    for other in dict.fromkeys(row.machine for row in rows):
        if other not in (None, here):
            raise Error(
                f"{path} has rows of another machine ({_told(other)}), and this is {_told(here)}; "
                "name another file"
            )
    unknown = sum(row.machine is None for row in rows)
    return f"{path} has {unknown} rows that do not tell where they were measured" if unknown else ""


def _told(machine: Machine) -> str:
    host, cpu, cores, mpi = machine
    return f"{host}, {cores} cores of {cpu}, {mpi}"
