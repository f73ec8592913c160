"""A floor: the images lie in memory shared by all ranks of the node, and are blended there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sortlast import _native
from sortlast.bench import pattern
from sortlast.bench.nodes import on_one_node
from sortlast.bench.oracle import Finished
from sortlast.bench.peer import Peer, Scene
from sortlast.bench.task import CHANNELS


class SharedWindow(Peer):
    """Barrier, each rank blends its piece of all images in one pass, barrier. No pixel is sent.

    With bounds, only pixels within them are read. It is a floor because the images are already in the window;
    a renderer's images are not, unless it allocates them there.
    """

    name = "floor-shared-window"
    is_floor = True

    def __init__(self, scene: Scene, algorithm: str) -> None:
        from mpi4py import MPI

        super().__init__(scene, algorithm)
        task, image = scene.task, scene.image
        known = task.bounds and task.op in ("over", "closest")
        boxes = [pattern.box(task, self.comm.size, rank) for rank in range(self.comm.size)] if known else []
        self._native = _native.bench().SharedWindow(
            MPI._handleof(self.comm),
            task.op,
            task.format,
            task.has_depth,
            task.width,
            task.height,
            task.gather,
            boxes,
        )
        colour, depth = self._native.image()
        colour[:] = image.colour.reshape(-1, CHANNELS)
        if image.depth is not None:
            depth[:] = image.depth.reshape(-1)

    @classmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """The only algorithm."""
        return ["shared-window"]

    @classmethod
    def obstacle(cls, scene: Scene) -> str | None:
        """The ranks are on several nodes."""
        if on_one_node(scene.comm):
            return None
        return "the ranks are on several nodes, which share no memory"

    def frame(self) -> None:
        """Barrier, blend, barrier."""
        self._native.frame()

    def finished(self) -> Finished:
        """This rank's piece, or the frame in rank 0's part of the window."""
        colour, _ = self._native.result()
        return Finished(self._native.begin, np.asarray(colour))

    def input_bytes(self) -> int:
        """Bytes of the image in the window."""
        return self.task.n * self.task.pixel_bytes

    def close(self) -> None:
        """Free the window."""
        del self._native
        super().close()
