"""One convex block per rank: the volume by `over` and a visibility order, its isosurface by `closest`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import sortlast
from sortlast import render
from sortlast.launch.failure import together
from sortlast.render.blocks import GHOSTS, Block
from sortlast.render.camera import Camera
from sortlast.render.surface import SurfaceRenderer
from sortlast.render.volume import VolumeRenderer
from sortlast.render.window import Image, Pause

from .scene import Part, Scene, Settings

if TYPE_CHECKING:
    from mpi4py import MPI

Own = tuple[Image, Image | None]  # pixels and depth


class BlockPart(Part):
    """A rank's block."""

    def __init__(self, comm: MPI.Intracomm, settings: Settings, scene: Scene, voxels: Image | None) -> None:
        self._comm, self._settings, self._scene, self._voxels = comm, settings, scene, voxels
        blocks = render.split(scene.shape, scene.spacing, comm.size)
        own = _scatter(comm, blocks, voxels)
        self._bounds = blocks[comm.rank].bounds(scene.spacing)
        self.renderer = together(comm, lambda: self._make(own, blocks[comm.rank]))

    def _make(self, voxels: Image, block: Block) -> VolumeRenderer | SurfaceRenderer:
        kind = VolumeRenderer if self._settings.mode == "volume" else SurfaceRenderer
        scene = self._scene
        return kind(voxels, block, scene.spacing, scene.threshold, self._settings.size)

    def render(self, camera: Camera, pause: Pause | None = None) -> Own:
        """Pixels and depth of the block; `pause`, for volumes, as in `Window.render`."""
        return _render(self.renderer, camera, pause)

    def order(self, camera: Camera) -> Sequence[int]:
        """Ranks from front to back; in any order for `closest`."""
        if self._settings.mode == "surface":
            return range(self._comm.size)
        return sortlast.visibility_order(self._comm, self._bounds, camera.eye, timeout=self._settings.timeout)

    def composite(self, compositor: sortlast.Compositor, own: Own, order: Sequence[int]) -> sortlast.Tile:
        """Composite by `over`, or by `closest` if there is depth."""
        image, depth = own
        op = "over" if depth is None else "closest"
        return compositor.composite(image, depth=depth, op=op, order=order)

    def serial(self, own: Own, order: Sequence[int]) -> Image | None:
        """The serial composite of the block images."""
        comm = self._comm
        image, depth = own
        if comm.rank:
            comm.Send(image, dest=0)
            if depth is not None:
                comm.Send(depth, dest=0)
            return None
        images = [image]
        depths = None if depth is None else [depth]
        for rank in range(1, comm.size):
            images.append(np.empty_like(image))
            comm.Recv(images[-1], source=rank)
            if depths is not None:
                depths.append(np.empty_like(depths[0]))
                comm.Recv(depths[-1], source=rank)
        op = "over" if depths is None else "closest"
        expected: Image = sortlast.composite_serial(images, depths=depths, op=op, order=order).colour
        return expected

    def whole(self, camera: Camera) -> Image:
        """The whole volume as one block."""
        assert self._voxels is not None
        block = self._scene.whole
        return _render(self._make(render.cut(self._voxels, block), block), camera)[0]

    @property
    def images(self) -> int:
        """One per rank; `closest` rounds nothing."""
        return self._comm.size if self._settings.mode == "volume" else 0


def _scatter(comm: MPI.Intracomm, blocks: list[Block], voxels: Image | None) -> Image:
    """Send every rank its block with ghosts from rank 0; `voxels` is None on the others."""
    if voxels is not None:
        for rank in range(1, comm.size):
            comm.Send(render.cut(voxels, blocks[rank]).T, dest=rank)
        return render.cut(voxels, blocks[0])
    block = blocks[comm.rank]
    shape = [last - first + 1 + 2 * GHOSTS for first, last in zip(block.lower, block.upper, strict=True)]
    received = np.empty(shape[::-1], np.float32)
    comm.Recv(received, source=0)
    return received.T


def _render(renderer: VolumeRenderer | SurfaceRenderer, camera: Camera, pause: Pause | None = None) -> Own:
    if isinstance(renderer, SurfaceRenderer):
        return renderer.render(camera)
    return renderer.render(camera, pause), None
