"""MPI_Reduce_scatter: a piece of the frame at each rank, then MPI_Gatherv if the task asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortlast.bench.oracle import Finished
from sortlast.bench.peer import Scene
from sortlast.bench.reduction import ReductionPeer

if TYPE_CHECKING:
    pass


class MpiReduceScatter(ReductionPeer):
    """MPI_Reduce_scatter_block, or MPI_Reduce_scatter if p does not divide the number of pixels."""

    name = "mpi-reduce-scatter"
    call = "MPI_Reduce_scatter"

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(scene, algorithm)
        self._begin = self.native.begin(self.comm.rank)
        self._piece = self.memory(self.native.begin(self.comm.rank + 1) - self._begin)
        self._whole = self.memory(self.task.n if self.task.gather and self.comm.rank == 0 else 0)

    def frame(self) -> None:
        """Reduce and scatter, then gather if the task asks for it."""
        self.native.reduce_scatter(self.image.colour, self._piece)
        if self.task.gather:
            self.native.gather(self._piece, self._whole, 0)

    def finished(self) -> Finished:
        """The result of the reduction on this rank."""
        return Finished(0, self._whole) if self.task.gather else Finished(self._begin, self._piece)
