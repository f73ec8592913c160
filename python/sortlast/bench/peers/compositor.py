"""This library: one row for each algorithm that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sortlast.bench.peer import Finished, Peer, Scene
from sortlast.bench.task import CHANNELS
from sortlast.compositor import Compositor, Tile

if TYPE_CHECKING:
    pass

_UINT8_BOUND = 2.0  # partial composites of uint8 images are not rounded to uint8


class SortlastPeer(Peer):
    """``Compositor.composite()`` and, if asked for, ``gather()``."""

    name = "sortlast"

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(scene, algorithm)
        self._compositor = Compositor(self.comm, algorithm=algorithm)
        self._tile: Tile | None = None
        self._frame: NDArray[Any] | None = None

    @classmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """All that are asked for."""
        return scene.asked

    def frame(self) -> None:
        """Composite and gather."""
        self._tile = self._frame = None  # the compositor uses their memory again
        self._tile = self._compositor.composite(self.image.colour, depth=self.image.depth, op=self.task.op)
        if self.task.gather:
            self._frame = self._compositor.gather(self._tile, root=0)  # type: ignore[assignment]

    def chosen(self) -> str:
        """The full name."""
        return self._compositor.algorithm

    def finished(self) -> Finished:
        """The tile, or the frame."""
        if not self.task.gather and self._tile is not None:
            return Finished(self._tile.begin, np.asarray(self._tile.pixels))
        if self._frame is not None:
            return Finished(0, self._frame.reshape(-1, CHANNELS))
        return Finished.nothing(self.task)

    def bound(self) -> float:
        """Of uint8 images 2 units, whatever p is."""
        bound = super().bound()
        return min(bound, _UINT8_BOUND) if self.task.format == "uint8" else bound

    def close(self) -> None:
        """Drop the compositor."""
        self._tile = self._frame = None
        del self._compositor
        super().close()
