"""MPI_Allreduce: the whole frame at every rank, whether it is asked for or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortlast.bench.pattern import Image
from sortlast.bench.peer import Finished
from sortlast.bench.reduction import ReductionPeer
from sortlast.bench.task import Task

if TYPE_CHECKING:
    from mpi4py import MPI


class MpiAllreduce(ReductionPeer):
    """MPI_Allreduce."""

    name = "mpi-allreduce"
    call = "MPI_Allreduce"

    def __init__(self, comm: MPI.Intracomm, task: Task, image: Image, algorithm: str) -> None:
        super().__init__(comm, task, image, algorithm)
        self._out = self.memory(task.n)

    def frame(self) -> None:
        """Reduce to every rank."""
        self.native.allreduce(self.image.colour, self._out)

    def finished(self) -> Finished:
        """What the reduction left here."""
        return Finished(0, self._out)
