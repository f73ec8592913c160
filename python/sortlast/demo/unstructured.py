"""An unstructured mesh in interlocking regions: fragment lists, since no visibility order exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sortlast
from sortlast.launch.failure import together
from sortlast.render.camera import Camera
from sortlast.render.mesh import Tetrahedra, partition, tetrahedra
from sortlast.render.tetrahedra import FragmentImage, TetrahedraRenderer, flattened
from sortlast.render.window import Image

from .scene import Part, Scene, Settings, receive, send

if TYPE_CHECKING:
    from mpi4py import MPI


class UnstructuredPart(Part):
    """A rank's region of a mesh that rank 0 makes of the volume and METIS partitions."""

    def __init__(self, comm: MPI.Intracomm, settings: Settings, scene: Scene, voxels: Image | None) -> None:
        self._comm, self._settings, self._scene = comm, settings, scene
        self._mesh: Tetrahedra | None = None

        # Partition the mesh and send every rank its region.
        regions = together(comm, lambda: None if voxels is None else self._divide(voxels))
        if regions is None:
            own = Tetrahedra(*(receive(comm, 0) for _ in range(4)))
        else:
            for rank, region in enumerate(regions[1:], start=1):
                for array in (region.corners, region.values, region.gradients, region.faces):
                    send(comm, array, rank)
            own = regions[0]
        self._renderer = self._make(own)

    def _divide(self, voxels: Image) -> list[Tetrahedra]:
        self._mesh = mesh = tetrahedra(voxels, self._scene.spacing, self._scene.threshold)
        regions = partition(mesh, self._comm.size)
        return [mesh.part(regions == rank) for rank in range(self._comm.size)]

    def _make(self, mesh: Tetrahedra) -> TetrahedraRenderer:
        scene = self._scene
        return TetrahedraRenderer(mesh, scene.threshold, min(scene.spacing), self._settings.size)

    def render(self, camera: Camera) -> FragmentImage:
        """Fragments of the region."""
        return self._renderer.render(camera)

    def order(self, camera: Camera) -> None:
        """None: each fragment has its own depth."""

    def composite(self, compositor: sortlast.Compositor, own: FragmentImage, order: None) -> sortlast.Tile:
        """Merge the lists of all ranks and flatten them."""
        width, height = self._settings.size
        fragments = sortlast.Fragments((height, width), own.counts, own.colour, own.depth)
        return compositor.composite_fragments(fragments, keep_lists=False)

    def serial(self, own: FragmentImage, order: None) -> Image | None:
        """Sort and blend all fragments of each pixel."""
        arrays = (own.counts, own.colour, own.depth)
        if self._comm.rank:
            for array in arrays:
                send(self._comm, array, 0)
            return None
        others = [
            FragmentImage(*(receive(self._comm, rank) for _ in arrays)) for rank in range(1, self._comm.size)
        ]
        return flattened([own, *others])

    def whole(self, camera: Camera) -> Image:
        """The whole mesh as one region."""
        assert self._mesh is not None
        return flattened([self._make(self._mesh).render(camera)])

    @property
    def images(self) -> int:
        """One list per rank."""
        return self._comm.size
