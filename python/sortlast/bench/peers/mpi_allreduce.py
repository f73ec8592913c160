"""MPI_Allreduce: the whole frame at every rank, even if the task does not ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortlast.bench.oracle import Finished
from sortlast.bench.peer import Scene
from sortlast.bench.reduction import ReductionPeer

if TYPE_CHECKING:
    pass


class MpiAllreduce(ReductionPeer):
    """MPI_Allreduce."""

    name = "mpi-allreduce"
    call = "MPI_Allreduce"

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(scene, algorithm)
        self._out = self.memory(self.task.n)

    def frame(self) -> None:
        """Reduce to every rank."""
        self.native.allreduce(self.image.colour, self._out)

    def finished(self) -> Finished:
        """The result of the reduction on this rank."""
        return Finished(0, self._out)
