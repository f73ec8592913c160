"""Many boxes of several levels, dealt to the ranks at random: several images per rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import sortlast
from sortlast import render
from sortlast.launch.failure import together
from sortlast.render.amr import Box, hierarchy
from sortlast.render.blocks import Block
from sortlast.render.camera import Camera, Rectangle
from sortlast.render.volume import BoxesRenderer, VolumeRenderer
from sortlast.render.window import Image, Pause

from .scene import Part, Scene, Settings, receive, send

if TYPE_CHECKING:
    from mpi4py import MPI

_SEED = 17  # of the random assignment, so that every run has the same

Own = tuple[list[Image], list[Rectangle]]


class BoxesPart(Part):
    """A rank's boxes, from a hierarchy that rank 0 makes of the volume."""

    def __init__(self, comm: MPI.Intracomm, settings: Settings, scene: Scene, voxels: Image | None) -> None:
        self._comm, self._settings, self._scene = comm, settings, scene
        made = together(comm, lambda: None if voxels is None else hierarchy(voxels, scene.threshold / 2))
        self._field = None if made is None else made.field
        boxes: list[Box] = comm.bcast(None if made is None else made.boxes, root=0)
        owners = np.random.default_rng(_SEED).permutation(len(boxes)) % comm.size

        # Send every rank its boxes.
        own = [box for box, owner in zip(boxes, owners, strict=True) if owner == comm.rank]
        if made is None:
            parts = [(box, receive(comm, 0).T) for box in own]
        else:
            for box, owner in zip(boxes, owners, strict=True):
                if owner:
                    send(comm, made.voxels(box).T, int(owner))
            parts = [(box, made.voxels(box)) for box in own]

        self._count = len(boxes)
        self._bounds = [box.bounds(scene.spacing) for box in own]
        self.renderer = together(
            comm, lambda: BoxesRenderer(parts, scene.spacing, scene.threshold, settings.size)
        )

    def render(self, camera: Camera, pause: Pause | None = None) -> Own:
        """Images and rectangles of the boxes; `pause` as in `BoxesRenderer.render`."""
        return self.renderer.render(camera, pause)

    def order(self, camera: Camera) -> list[int]:
        """Positions of this rank's boxes among all boxes, front to back."""
        found = sortlast.visibility_positions(
            self._comm, self._bounds, eye=camera.eye, timeout=self._settings.timeout
        )
        places: list[int] = found.positions.tolist()
        return places

    def composite(self, compositor: sortlast.Compositor, own: Own, order: list[int]) -> sortlast.Tile:
        """Composite by `over`, each image at its position in depth."""
        images, rectangles = own
        width, height = self.renderer.size
        return compositor.composite_layers(images, order, (height, width), boxes=rectangles)

    def serial(self, own: Own, order: list[int]) -> Image | None:
        """Blend all images one after the other in the rectangles of a frame."""
        comm = self._comm
        if comm.rank:
            comm.send((order, own[1]), dest=0)
            for image in own[0]:
                send(comm, image, 0)
            return None
        images = list(zip(order, *own, strict=True))
        for rank in range(1, comm.size):
            places, rectangles = comm.recv(source=rank)
            images += [
                (place, receive(comm, rank), one) for place, one in zip(places, rectangles, strict=True)
            ]
        width, height = self.renderer.size
        frame = np.zeros((height, width, 4))
        for _, image, (x0, y0, x1, y1) in sorted(images, key=lambda one: one[0]):
            behind: npt.NDArray[np.float64] = frame[y0:y1, x0:x1]
            behind += (1 - behind[..., 3:]) * image
        return frame.astype(np.float32)

    def whole(self, camera: Camera) -> Image:
        """The field of the hierarchy as one volume."""
        assert self._field is not None
        x, y, z = self._field.shape
        block = Block((0, 0, 0), (x - 1, y - 1, z - 1))
        voxels, scene = render.cut(self._field, block), self._scene
        return VolumeRenderer(voxels, block, scene.spacing, scene.threshold, self._settings.size).render(
            camera
        )

    @property
    def images(self) -> int:
        """Number of boxes over all ranks."""
        return self._count
