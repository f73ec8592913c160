"""MPI_Reduce: the whole frame at rank 0, whether it is asked for or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortlast.bench.pattern import Image
from sortlast.bench.peer import Finished
from sortlast.bench.reduction import ReductionPeer
from sortlast.bench.task import Task

if TYPE_CHECKING:
    from mpi4py import MPI


class MpiReduce(ReductionPeer):
    """MPI_Reduce to rank 0."""

    name = "mpi-reduce"
    call = "MPI_Reduce"

    def __init__(self, comm: MPI.Intracomm, task: Task, image: Image, algorithm: str) -> None:
        super().__init__(comm, task, image, algorithm)
        self._out = self.memory(task.n if comm.rank == 0 else 0)

    def frame(self) -> None:
        """Reduce to rank 0."""
        self.native.reduce(self.image.colour, self._out, 0)

    def finished(self) -> Finished:
        """What the reduction left here."""
        return Finished(0, self._out)
