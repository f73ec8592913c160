"""A floor: every rank copies its image once, all at the same time.

A barrier at the end makes the frame time cover all copies. Without it, on a machine with more ranks than
cores, each rank would start its clock only when it gets a core, and the slowest single copy would pass for
the time of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sortlast.bench.oracle import Finished, Oracle
from sortlast.bench.peer import Peer, Scene

if TYPE_CHECKING:
    pass


class MemoryCopy(Peer):
    """One memcpy of this rank's image, without compositing."""

    name = "floor-memcpy"
    is_floor = True

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(scene, algorithm)
        self._planes = [plane for plane in (self.image.colour, self.image.depth) if plane is not None]
        self._copies = [np.zeros_like(plane) for plane in self._planes]

    @classmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """The only algorithm."""
        return ["memcpy"]

    def frame(self) -> None:
        """Copy, and wait for the copies of the others."""
        for plane, copy in zip(self._planes, self._copies, strict=True):
            np.copyto(copy, plane)
        self.comm.Barrier()

    def finished(self) -> Finished:
        """Nothing is composited."""
        return Finished.nothing(self.task)

    def error(self, oracle: Oracle) -> float:
        """Whether the copy equals the image: 0 or infinite."""
        equal = all(map(np.array_equal, self._planes, self._copies))
        return 0.0 if all(self.comm.allgather(equal)) else float("inf")
