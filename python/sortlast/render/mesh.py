"""A mesh of tetrahedra made from a volume, and its partition into interlocking regions.

Points are drawn at random inside the object, most densely where the data changes; Delaunay tetrahedra inside
the object are kept. The domain is therefore not convex, and has the holes of the object. METIS partitions it
as it does for simulations: into connected regions with few faces between them, whatever their shape. Such
regions have no visibility order: a ray may leave one and enter it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sortlast import Error, _extras

from .arrays import to_numpy, to_vtk
from .blocks import Spacing
from .data import Array

POINTS = 24_000
_SEED = 5  # of the points, so that every run has the same mesh
_FLATTEST = 1e-6  # volume of a tetrahedron over the cube of its longest edge; flatter ones are left out

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Tetrahedra:
    """m tetrahedra with a value and a gradient at each vertex, interpolated linearly in between.

    `corners` (m, 4, 3) are in the units of the volume's spacing; `values` (m, 4) lie in [0, 1]; `gradients`
    (m, 4, 3) are differences over two voxels. `faces` (m, 4) numbers the faces of the whole mesh, each
    opposite the vertex of its column: a face shared by two tetrahedra has one number.
    """

    corners: Floats
    values: Floats
    gradients: Floats
    faces: Ids

    def part(self, chosen: npt.NDArray[np.bool_]) -> Tetrahedra:
        """The tetrahedra for which `chosen` (m,) is true."""
        return Tetrahedra(
            self.corners[chosen], self.values[chosen], self.gradients[chosen], self.faces[chosen]
        )


def tetrahedra(voxels: Array, spacing: Spacing, threshold: float, points: int = POINTS) -> Tetrahedra:
    """The object of a volume, above half of `threshold`, as about 6 tetrahedra per point.

    Raises sortlast.Error if there are none because the volume is too small.
    """
    places = _places(voxels, threshold / 2, points)
    cells = _delaunay(places * spacing)
    corners = places[cells] if len(cells) else np.empty((0, 4, 3))
    kept = _sampled(voxels, corners.mean(axis=1)) > threshold / 2
    kept &= _volumes(corners) > _FLATTEST * _longest(corners) ** 3
    if not kept.any():
        shape = "x".join(map(str, voxels.shape))
        raise Error(f"no tetrahedra can be made from a volume of {shape} voxels: use a larger volume")
    cells = cells[kept]
    values, gradients = _sampled(voxels, places), _gradients(voxels, places, spacing)
    return Tetrahedra(places[cells] * spacing, values[cells], gradients[cells], _faces(cells))


def partition(mesh: Tetrahedra, p: int) -> npt.NDArray[np.int64]:
    """The region from 0 to p-1 of every tetrahedron, by METIS.

    Raises sortlast.Error if there are fewer tetrahedra than regions, MissingExtraError without pymetis.
    """
    with _extras.needed("dividing a mesh"):
        import pymetis
    count = len(mesh.faces)
    if count < p:
        raise Error(f"cannot divide {count} tetrahedra among {p} ranks: use fewer ranks or a larger volume")
    if p == 1:
        return np.zeros(count, np.int64)
    starts, neighbours = _graph(mesh.faces)
    options = pymetis.Options(seed=_SEED)
    graph: Any = pymetis.CSRAdjacency(starts, neighbours)
    _, regions = pymetis.part_graph(p, graph, options=options)
    return np.asarray(regions, np.int64)


def _places(voxels: Array, least: float, count: int) -> Floats:
    """Random places in voxels with data above `least`, drawn without repetition and moved off the grid."""
    slopes = [np.gradient(voxels, axis=axis)[voxels > least] for axis in range(3)]
    steepness = np.linalg.norm(np.stack(slopes), axis=0)
    inside = np.argwhere(voxels > least)
    if not len(inside):
        return np.empty((0, 3))
    weights = 0.1 + steepness / max(float(steepness.max(initial=0)), 1e-30)
    random = np.random.default_rng(_SEED)
    chosen = random.choice(
        len(inside), min(count, len(inside)), replace=False, p=weights / weights.sum(), shuffle=False
    )
    moved = inside[np.sort(chosen)] + random.uniform(-0.5, 0.5, (len(chosen), 3))
    # Reflect places outside the volume: many points on one plane would have no Delaunay tetrahedra.
    last = np.subtract(voxels.shape, 1)
    return np.asarray(last - np.abs(last - np.abs(moved)))


def _delaunay(points: Floats) -> Ids:
    """The Delaunay tetrahedra of points, (m, 4) point numbers."""
    if len(points) < 4:
        return np.empty((0, 4), np.int64)
    with _extras.needed("rendering"):
        from vtkmodules.vtkCommonCore import vtkPoints
        from vtkmodules.vtkCommonDataModel import vtkPolyData
        from vtkmodules.vtkFiltersCore import vtkDelaunay3D
    coordinates = to_vtk(points.ravel())
    coordinates.SetNumberOfComponents(3)
    places = vtkPoints()
    places.SetData(coordinates)
    cloud = vtkPolyData()
    cloud.SetPoints(places)
    delaunay = vtkDelaunay3D()
    delaunay.SetInputData(cloud)
    delaunay.Update()
    # Without an alpha value the output consists of tetrahedra only.
    cells = delaunay.GetOutput().GetCells()
    if cells is None or not cells.GetNumberOfCells():
        return np.empty((0, 4), np.int64)
    return to_numpy(cells.GetConnectivityArray()).reshape(-1, 4).astype(np.int64)


def _sampled(values: Array, places: Floats) -> Floats:
    """Interpolate trilinearly at places in voxels, (..., 3); the border is repeated beyond the volume."""
    last = np.subtract(values.shape, 1)
    places = np.clip(places, 0, last)
    lower = np.minimum(places.astype(np.int64), last - 1)
    share = places - lower
    total = np.zeros(places.shape[:-1])
    for corner in np.ndindex(2, 2, 2):
        weight = np.where(corner, share, 1 - share).prod(axis=-1)
        x, y, z = np.moveaxis(lower + corner, -1, 0)
        total += weight * values[x, y, z]
    return total


def _gradients(voxels: Array, places: Floats, spacing: Spacing) -> Floats:
    """Differences over two voxels along each axis, divided by the relative spacing."""
    steps = np.eye(3)
    difference = [_sampled(voxels, places + step) - _sampled(voxels, places - step) for step in steps]
    return np.stack(difference, axis=-1) * (spacing[0] / np.array(spacing))


def _volumes(corners: Floats) -> Floats:
    edges = corners[:, 1:] - corners[:, :1]
    return np.asarray(np.abs(np.linalg.det(edges)) / 6)


def _longest(corners: Floats) -> Floats:
    edges = corners[:, :, np.newaxis] - corners[:, np.newaxis]
    return np.asarray(np.linalg.norm(edges, axis=-1).max(axis=(1, 2)))


def _faces(cells: Ids) -> Ids:
    """Number the faces of cells (m, 4): column k holds the face opposite vertex k."""
    columns: Sequence[tuple[int, ...]] = ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))
    triangles = np.sort(np.concatenate([cells[:, column] for column in columns]), axis=1)
    _, numbers = np.unique(triangles, axis=0, return_inverse=True)
    return np.ascontiguousarray(numbers.reshape(4, -1).T)


def _graph(faces: Ids) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The adjacency of tetrahedra: neighbours of cell k are neighbours[starts[k]:starts[k + 1]]."""
    cells = np.repeat(np.arange(len(faces)), 4)
    by_face = np.argsort(faces.ravel(), kind="stable")
    numbers, cells = faces.ravel()[by_face], cells[by_face]
    shared = np.flatnonzero(numbers[1:] == numbers[:-1])
    one, other = cells[shared], cells[shared + 1]
    first, second = np.concatenate([one, other]), np.concatenate([other, one])
    by_cell = np.argsort(first, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(first, minlength=len(faces)))])
    return starts.astype(np.int32), second[by_cell].astype(np.int32)
