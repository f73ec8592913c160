"""This library: with default settings, with images that it allocated, and with messages only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from sortlast._frame import Frame
from sortlast.bench.cells import AUTO
from sortlast.bench.nodes import on_one_node
from sortlast.bench.oracle import Finished
from sortlast.bench.pattern import Image
from sortlast.bench.peer import Peer, Scene
from sortlast.bench.task import CHANNELS
from sortlast.compositor import Compositor
from sortlast.protocols import Tile

_UINT8_BOUND = 2.0  # partial composites of uint8 images are not rounded to uint8


class Sortlast(Peer):
    """``Compositor.composite()`` of images in the renderer's own memory, then ``gather()`` if the task asks.

    Ranks of one node blend each other's images in place. The algorithm applies between nodes, so it does not
    matter if there is only one.
    """

    name = "sortlast"
    nodes: ClassVar[int | None] = None  # see Compositor

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(scene, algorithm)
        self._compositor = Compositor(self.comm, algorithm=algorithm, node_ranks=self.nodes)
        self._input = self.prepared(self._compositor)
        self._tile: Tile | None = None
        self._frame: Frame | None = None

    @classmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """All requested algorithms, or one if they do not matter."""
        return [AUTO] if on_one_node(scene.comm) else scene.asked

    def prepared(self, compositor: Compositor) -> Image:
        """The image to composite."""
        return self.image

    def frame(self) -> None:
        """Composite and gather."""
        self._tile = self._frame = None  # lets the compositor reuse their memory
        image = self._input
        self._tile = self._compositor.composite(
            image.colour,
            depth=image.depth,
            op=self.task.op,
            bounds=image.bounds,
            root=0 if self.task.gather else None,
        )
        if self.task.gather:
            self._frame = self._compositor.gather(self._tile, root=0)

    def chosen(self) -> str:
        """The full name."""
        return self._compositor.algorithm

    def finished(self) -> Finished:
        """The tile, or the frame."""
        if not self.task.gather and self._tile is not None:
            return Finished(self._tile.begin, np.asarray(self._tile.pixels))
        if self._frame is not None:
            return Finished(0, self._frame.colour.reshape(-1, CHANNELS))
        return Finished.nothing(self.task)

    def bound(self) -> float:
        """The bound of uint8 images is 2 units, for any p."""
        bound = super().bound()
        return min(bound, _UINT8_BOUND) if self.task.format == "uint8" else bound

    def close(self) -> None:
        """Free the compositor and its images."""
        self._tile = self._frame = None
        del self._input
        del self._compositor
        super().close()


class Allocated(Sortlast):
    """The same with images in memory of ``Compositor.allocate()``, into which a renderer may draw."""

    name = "sortlast-allocated"

    def prepared(self, compositor: Compositor) -> Image:
        """A copy in memory that the other ranks of the node can read."""
        image = self.image
        colour = compositor.allocate(image.colour.shape, image.colour.dtype)
        np.copyto(colour, image.colour)
        depth = None
        if image.depth is not None:
            depth = compositor.allocate(image.depth.shape, image.depth.dtype)
            np.copyto(depth, image.depth)
        return Image(colour, depth, image.bounds)

    def input_bytes(self) -> int:
        """Bytes of its copy of the image."""
        return self.task.n * self.task.pixel_bytes


class Messages(Sortlast):
    """The same, with each rank as a separate node, so that all pixels travel as messages."""

    name = "sortlast-messages"
    nodes = 1

    @classmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """All requested algorithms."""
        return scene.asked
