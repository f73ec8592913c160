"""Isosurface of one block, with depth, so that blocks composite by `closest`.

Contour and normals are computed with the ghosts, so that normals on a shared face agree; then triangles
outside the block are dropped. A triangle lies in one cell and blocks consist of cells, so no triangle is cut.
Points keep their coordinates in the whole volume, without VTK's shift and scale of vertex buffers, so both
blocks rasterise a shared edge identically.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import to_numpy, to_vtk
from .blocks import Block, Spacing
from .camera import Camera
from .data import Array
from .look import Look
from .volume import image_data
from .window import Image, Window, WindowRenderer

COLOUR = (0.93, 0.79, 0.70)


class SurfaceRenderer(WindowRenderer):
    """Renders the isosurface of `voxels` (from `cut(volume, block)`) at `threshold`."""

    def __init__(
        self, voxels: Array, block: Block, spacing: Spacing, threshold: float, size: tuple[int, int]
    ) -> None:
        super().__init__(Window(size))
        from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper

        self._voxels, self._block, self._spacing, self._threshold = voxels, block, spacing, threshold
        self._isovalue: float | None = None
        self._mapper = mapper = vtkPolyDataMapper()
        self.show(Look())
        mapper.ScalarVisibilityOff()
        mapper.SetVBOShiftScaleMethod(0)
        actor = vtkActor()
        actor.SetMapper(mapper)
        look = actor.GetProperty()
        look.SetColor(*COLOUR)
        look.SetAmbient(0.12)
        look.SetDiffuse(0.88)
        look.SetSpecular(0.18)
        look.SetSpecularPower(30)
        self._window.scene.AddActor(actor)

    def show(self, look: Look) -> None:
        """Apply another isovalue or clipping plane from the next image on."""
        from vtkmodules.vtkCommonDataModel import vtkPlane

        isovalue = self._threshold if look.isovalue is None else look.isovalue
        if isovalue != self._isovalue:
            self._isovalue = isovalue
            self._mapper.SetInputData(_isosurface(self._voxels, self._block, self._spacing, isovalue))
        self._mapper.RemoveAllClippingPlanes()
        if look.clip is not None:
            *normal, offset = look.clip
            plane = vtkPlane()
            plane.SetNormal(*normal)
            plane.SetOrigin(*(-offset * n / np.dot(normal, normal) for n in normal))
            self._mapper.AddClippingPlane(plane)

    def render(self, camera: Camera) -> tuple[Image, Image]:
        """Colour, (height, width, 4) float32, and depth, (height, width) float32, +inf off the surface."""
        return self._window.render(camera), self._window.depth()


def _isosurface(voxels: Array, block: Block, spacing: Spacing, value: float) -> Any:
    from vtkmodules.vtkCommonDataModel import vtkCellArray
    from vtkmodules.vtkFiltersCore import vtkFlyingEdges3D

    contour = vtkFlyingEdges3D()
    contour.SetInputData(image_data(voxels, block, spacing))
    contour.SetValue(0, value)
    contour.ComputeNormalsOn()
    contour.ComputeScalarsOff()
    contour.Update()
    surface = contour.GetOutput()
    if not surface.GetNumberOfCells():
        return surface

    # Keep the triangles whose centres lie in the block.
    points = to_numpy(surface.GetPoints().GetData())
    triangles = to_numpy(surface.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    centres = points[triangles].mean(axis=1, dtype=np.float64)
    bounds = np.array(block.bounds(spacing))
    inside = ((centres >= bounds[0::2]) & (centres <= bounds[1::2])).all(axis=1)
    kept = np.ascontiguousarray(triangles[inside], dtype=np.int64)
    cells = vtkCellArray()
    cells.SetData(3, to_vtk(kept.ravel()))
    surface.SetPolys(cells)
    return surface
