"""A floor: the images lie in memory that all ranks of the node share, and are blended there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sortlast import _native
from sortlast.bench.pattern import Image
from sortlast.bench.peer import Finished, Peer
from sortlast.bench.task import CHANNELS, Task

if TYPE_CHECKING:
    from mpi4py import MPI


class SharedWindow(Peer):
    """Barrier, each rank blends its piece of all images in one pass, barrier. No pixel is sent.

    It is a floor because the images already lie in the window: a renderer's do not.
    """

    name = "floor-shared-window"
    is_floor = True

    def __init__(self, comm: MPI.Intracomm, task: Task, image: Image, algorithm: str) -> None:
        from mpi4py import MPI

        super().__init__(comm, task, image, algorithm)
        self._native = _native.bench().SharedWindow(
            MPI._handleof(self.comm), task.op, task.format, task.has_depth, task.n, task.gather
        )
        colour, depth = self._native.image()
        colour[:] = image.colour.reshape(-1, CHANNELS)
        if image.depth is not None:
            depth[:] = image.depth.reshape(-1)

    @classmethod
    def algorithms(cls, asked: Sequence[str]) -> Sequence[str]:
        """The only one."""
        return ["shared-window"]

    @classmethod
    def obstacle(cls, comm: MPI.Intracomm, task: Task) -> str | None:
        """Ranks on several nodes."""
        from mpi4py import MPI

        node = comm.Split_type(MPI.COMM_TYPE_SHARED)
        together = all(comm.allgather(node.size == comm.size))
        node.Free()
        return None if together else "the ranks are on several nodes, which share no memory"

    def frame(self) -> None:
        """Barrier, blend, barrier."""
        self._native.frame()

    def finished(self) -> Finished:
        """This rank's piece, or the frame in rank 0's part of the window."""
        colour, _ = self._native.result()
        return Finished(self._native.begin, np.asarray(colour))

    def close(self) -> None:
        """Free the window."""
        del self._native
        super().close()
