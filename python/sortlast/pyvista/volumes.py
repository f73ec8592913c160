"""A rank's volumes for ``add_volume``: their blocks, the part of each that is drawn, and validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyvista as pv

from sortlast._errors import ArgumentError
from sortlast.pyvista import ranges
from sortlast.pyvista.ranges import Range
from sortlast.vtk.parts import Box, valid
from sortlast.vtk.sampling import grid

_GHOSTS, _DUPLICATE = "vtkGhostType", np.uint8(1)


class Block(NamedTuple):
    """Data of one volume, and the box that is drawn; None for an unstructured grid."""

    data: Any
    own: Box | None
    name: str


def blocks_of(volume: Any, options: dict[str, Any], box: Box | None) -> list[Block]:
    """The blocks of a ``MultiBlock``, or the volume itself; none without points.

    Args:
        volume: the argument of ``add_volume``, or None.
        options: its other arguments, which are checked. "resolution" is removed.
        box: nothing outside it is drawn.

    Raises:
        ArgumentError: an argument that cannot be composited.
    """
    blending = options.get("blending", "composite")
    if blending != "composite":
        raise ArgumentError(f"blending is {blending!r}; expected 'composite'")
    volume = pv.wrap(volume)
    resolution = options.pop("resolution", None)
    if resolution is not None and isinstance(volume, pv.ImageData):
        volume.spacing = resolution
    if volume is None:
        return []
    name = options.pop("name", None) or f"{type(volume).__name__}({volume.memory_address})"
    many = isinstance(volume, pv.MultiBlock)
    if many and not isinstance(options.get("scalars", ""), str):
        raise ArgumentError("scalars is an array, but the volume has several blocks; expected a name")
    there = [part for part in (volume if many else [volume]) if part is not None and part.n_points]
    named = [f"{name}-{i}" for i in range(len(there))] if many else [name]
    made = [_block(part, box, each, options) for part, each in zip(there, named, strict=True)]
    return [block for block in made if block is not None]


def _block(data: Any, box: Box | None, name: str, options: dict[str, Any]) -> Block | None:
    structured = isinstance(data, (pv.ImageData, pv.RectilinearGrid))
    mapper, expected = options.get("mapper"), "gpu" if structured else "ugrid"
    if mapper not in (None, expected):
        raise ArgumentError(
            f"mapper is {mapper!r}, whose samples differ between ranks; expected {expected!r} for a"
            f" {type(data).__name__}"
        )
    if not structured:
        return Block(data, None, name)
    if options.get("shade") and isinstance(data, pv.RectilinearGrid):
        raise ArgumentError("VTK lights rectilinear grids wrongly; expected shade=False or an ImageData")
    data, own = _without_ghosts(data)
    if box is not None:
        ends = [(min if i % 2 else max)(own[i], box[i]) for i in range(6)]
        own = (ends[0], ends[1], ends[2], ends[3], ends[4], ends[5])
        if any(low >= high for low, high in zip(own[0::2], own[1::2], strict=True)):
            return None
    return None if valid(own) is None else Block(data, own, name)


def _without_ghosts(data: Any) -> tuple[Any, Box]:
    """The data with ghost cells turned into regular cells, and the box of the cells that are no ghosts."""
    bounds: Box = tuple(data.bounds)
    if _GHOSTS not in data.cell_data:
        return data, bounds
    kinds = np.asarray(data.cell_data[_GHOSTS])
    shape = [max(points - 1, 1) for points in data.dimensions]
    own = ((kinds & _DUPLICATE) == 0).reshape(shape, order="F")
    rows = [np.flatnonzero(own.any(axis=tuple(j for j in range(3) if j != i))) for i in range(3)]
    if not own.any():
        return data, (1.0, 0.0, 1.0, 0.0, 1.0, 0.0)
    if own.sum() != np.prod([row[-1] - row[0] + 1 for row in rows]):
        raise ArgumentError("the cells that are no ghosts make no box; expected layers of ghosts around one")
    box = []
    for i, row in enumerate(rows):
        places = _places(data, i)
        box += [places[row[0]], places[min(row[-1] + 1, len(places) - 1)]]
    plain = data.copy(deep=False)
    rest = kinds & ~_DUPLICATE
    if rest.any():
        plain.cell_data[_GHOSTS] = rest
    else:
        del plain.cell_data[_GHOSTS]
    return plain, (box[0], box[1], box[2], box[3], box[4], box[5])


def _places(data: Any, axis: int) -> list[float]:
    """Coordinates of a grid's points along an axis."""
    places = grid(data).places
    if places is not None:
        return [float(place) for place in places[axis]]
    low, high = data.bounds[2 * axis : 2 * axis + 2]
    return [float(place) for place in np.linspace(low, high, data.dimensions[axis])]


def range_of(blocks: Sequence[Block], options: dict[str, Any]) -> Range | None:
    """The range of the values of all blocks, and their grid."""
    found = []
    for data, own, _ in blocks:
        values = ranges.of_array(data, options)
        if values is not None:
            found.append(values._replace(box=own, grids=() if own is None else (grid(data),)))
    return ranges.around_all(found)


def sample_in_full(actor: Any) -> None:
    """Make the mapper of an unstructured grid draw every pixel, however long that takes."""
    mapper = actor.GetMapper()
    mapper.SetAutoAdjustSampleDistances(False)
    mapper.SetImageSampleDistance(1.0)
