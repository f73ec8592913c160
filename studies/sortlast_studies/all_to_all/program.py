"""The paper's MPI program: ``python -m sortlast_studies.all_to_all.program SETTINGS REPORT`` under mpiexec.

Every exchange runs once and its result is checked; only then it is timed.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from sortlast import Error, launch
from sortlast_studies.all_to_all.design import Design
from sortlast_studies.all_to_all.exchange import Exchange, prepare
from sortlast_studies.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI


def measure(comm: MPI.Intracomm, settings: Json) -> Json:
    """Seconds of each exchange for each cell, by the slowest rank; on rank 0.

    Args:
        comm: as many ranks as the largest cell has processes; smaller cells run on the first ranks.
        settings: ``cells``, each the fields of a :class:`Design`; ``ways``, names of exchanges; ``repeat``,
            timed runs of each; ``seed`` of the shuffled ring.

    Returns:
        For each cell, by the name of the exchange: ``first``, seconds of the checked run, and ``seconds``,
        the median of all others.

    Raises:
        Error: there are too few ranks, or a result is not sorted; on every rank.
    """
    cells = [Design(**fields) for fields in settings["cells"]]
    if comm.size < max(cell.p for cell in cells):
        raise Error(f"{comm.size} ranks for {max(cell.p for cell in cells)} processes; start as many")
    return [_on_first(comm, cell, settings) for cell in cells]


def _on_first(comm: MPI.Intracomm, cell: Design, settings: Json) -> dict[str, dict[str, float]]:
    """Measure on the first p ranks; the other ranks wait, and learn of failures."""
    from mpi4py import MPI

    group = MPI.Intracomm(comm.Split(int(comm.rank < cell.p)))
    found, failure = {}, None
    if comm.rank < cell.p:
        try:
            for way, exchange in prepare(group, cell, settings["ways"], settings["seed"]).items():
                found[way] = _measured(group, way, exchange, settings["repeat"])
        except Error as error:
            failure = str(error)
    group.Free()
    if told := comm.bcast(failure):
        raise Error(told)
    return found


def _measured(comm: MPI.Intracomm, way: str, exchange: Exchange, repeat: int) -> dict[str, float]:
    exchange.clear()
    first = _timed(comm, exchange)
    _agree(comm, way, exchange.wrong())
    return {"first": first, "seconds": median(_timed(comm, exchange) for _ in range(repeat))}


def _timed(comm: MPI.Intracomm, exchange: Exchange) -> float:
    """Seconds from when all ranks are ready until the last rank has finished."""
    from mpi4py import MPI

    comm.Barrier()
    began = MPI.Wtime()
    exchange.move()
    return float(comm.allreduce(MPI.Wtime() - began, MPI.MAX))


def _agree(comm: MPI.Intracomm, way: str, wrong: str | None) -> None:
    """Raise the lowest rank's failure on all ranks."""
    failures = [text for text in comm.allgather(wrong) if text is not None]
    if failures:
        raise Error(f"exchange {way} did not sort: {failures[0]}")


if __name__ == "__main__":
    launch.serve(measure)
