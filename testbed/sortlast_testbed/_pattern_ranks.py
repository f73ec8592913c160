"""The ranks of :func:`sortlast_testbed.time_pattern`.

Their settings are the stages, each with its flows (source, destination, bytes) and number of repetitions, and
the number of timed runs. The report is the seconds of each timed run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import bandwidth, launch
from sortlast._errors import Error

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

_TAG = 1


@dataclass(frozen=True)
class _Stage:
    """The sends and receives of one rank, with its peers, and the number of repetitions."""

    outgoing: list[tuple[int, NDArray[np.uint8]]]
    incoming: list[tuple[int, NDArray[np.uint8]]]
    repeats: int


def measure(comm: MPI.Intracomm, asked: Any) -> list[float]:
    """Time the runs on all ranks; collective."""
    stages = [_own(comm.rank, each) for each in asked["stages"]]
    _agree(comm, _checked_run(comm, stages))
    return [_timed_run(comm, stages) for _ in range(asked["repeat"])]


def _own(rank: int, stage: Any) -> _Stage:
    outgoing, incoming = [], []
    for source, destination, size in stage["flows"]:
        if source == rank:
            outgoing.append((destination, bandwidth.payload(source, destination, size)))
        if destination == rank:
            incoming.append((source, np.empty(size, np.uint8)))
    return _Stage(outgoing, incoming, stage["repeats"])


def _exchange(comm: MPI.Intracomm, stage: _Stage) -> None:
    from mpi4py import MPI

    requests = [comm.Irecv(buffer, peer, _TAG) for peer, buffer in stage.incoming]
    requests += [comm.Isend(buffer, peer, _TAG) for peer, buffer in stage.outgoing]
    MPI.Request.Waitall(requests)


def _checked_run(comm: MPI.Intracomm, stages: list[_Stage]) -> str | None:
    """Run each stage once and check the messages; returns an error text, or None."""
    wrong = None
    for stage in stages:
        _exchange(comm, stage)
        for peer, buffer in stage.incoming:
            wrong = wrong or bandwidth.difference(buffer, peer, comm.rank)
            buffer[:] = 0
    return wrong


def _agree(comm: MPI.Intracomm, wrong: str | None) -> None:
    """Raise the lowest rank's error on all ranks."""
    if failures := [text for text in comm.allgather(wrong) if text is not None]:
        raise Error(failures[0])


def _timed_run(comm: MPI.Intracomm, stages: list[_Stage]) -> float:
    """Seconds from a barrier until the last rank has finished."""
    from mpi4py import MPI

    comm.Barrier()
    began = MPI.Wtime()
    for stage in stages:
        for _ in range(stage.repeats):
            _exchange(comm, stage)
    return float(comm.allreduce(MPI.Wtime() - began, MPI.MAX))


if __name__ == "__main__":
    launch.serve(measure, alike=True)
