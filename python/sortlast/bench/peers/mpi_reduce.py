"""MPI_Reduce: the whole frame at rank 0, even if the task does not ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortlast.bench.oracle import Finished
from sortlast.bench.peer import Scene
from sortlast.bench.reduction import ReductionPeer

if TYPE_CHECKING:
    pass


class MpiReduce(ReductionPeer):
    """MPI_Reduce to rank 0."""

    name = "mpi-reduce"
    call = "MPI_Reduce"

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(scene, algorithm)
        self._out = self.memory(self.task.n if self.comm.rank == 0 else 0)

    def frame(self) -> None:
        """Reduce to rank 0."""
        self.native.reduce(self.image.colour, self._out, 0)

    def finished(self) -> Finished:
        """The result of the reduction on this rank."""
        return Finished(0, self._out)
