"""MPI_Reduce_scatter: a piece of the frame at each rank, and MPI_Gatherv if it must be whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortlast.bench.pattern import Image
from sortlast.bench.peer import Finished
from sortlast.bench.reduction import ReductionPeer
from sortlast.bench.task import Task

if TYPE_CHECKING:
    from mpi4py import MPI


class MpiReduceScatter(ReductionPeer):
    """MPI_Reduce_scatter_block, or MPI_Reduce_scatter where the ranks do not divide the pixels."""

    name = "mpi-reduce-scatter"
    call = "MPI_Reduce_scatter"

    def __init__(self, comm: MPI.Intracomm, task: Task, image: Image, algorithm: str) -> None:
        super().__init__(comm, task, image, algorithm)
        self._begin = self.native.begin(comm.rank)
        self._piece = self.memory(self.native.begin(comm.rank + 1) - self._begin)
        self._whole = self.memory(task.n if task.gather and comm.rank == 0 else 0)

    def frame(self) -> None:
        """Reduce and scatter, and gather."""
        self.native.reduce_scatter(self.image.colour, self._piece)
        if self.task.gather:
            self.native.gather(self._piece, self._whole, 0)

    def finished(self) -> Finished:
        """What the reduction left here."""
        return Finished(0, self._whole) if self.task.gather else Finished(self._begin, self._piece)
