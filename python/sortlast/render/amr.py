"""A hierarchy of boxes, as in codes with adaptive mesh refinement (AMR), made from a volume.

The volume is covered by adjacent boxes of CELLS^3 cells. A box with cells too coarse for the data is refined:
eight boxes of half the cell size replace it, down to the volume's own resolution. The values of a level are
the values of the next finer level, restricted by full weighting.

The field of the hierarchy is continuous, and each box knows it one cell beyond its faces. Rendering without
seams needs both properties, and neither is automatic: on a face between two levels, the finer box has points
that the coarser box lacks, and the coarser box's ghost layer lies in data finer than it can represent.
Therefore a point takes the value of its own level only if no coarser box, including its ghost layer, touches
it; otherwise it is interpolated from the next coarser level. (AMR codes achieve the same by refining a few
more cells than necessary.) The trilinear interpolations of a box and of its refinement are then the same
function wherever both are defined, so a single volume at the finest resolution also represents the field.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .blocks import Block, Bounds, Index, Spacing, cut
from .data import Array, smoothed

LEVELS = 3
CELLS = 16  # of a box along each axis; fewer where the volume ends
TOLERANCE = 0.17  # a box is refined if its error exceeds this; values lie in [0, 1]


@dataclass(frozen=True)
class Box:
    """Grid points of one level; `step` is their distance in grid points of the finest level."""

    block: Block
    step: int

    def spacing(self, finest: Spacing) -> Spacing:
        """Distance of the box's grid points."""
        x, y, z = finest
        return (x * self.step, y * self.step, z * self.step)

    def bounds(self, finest: Spacing) -> Bounds:
        """(xmin, xmax, ymin, ymax, zmin, zmax) in the units of `finest`, the spacing of the finest level."""
        return self.block.bounds(self.spacing(finest))


@dataclass(frozen=True)
class Hierarchy:
    """Adjacent boxes, in no particular order, and their field on the grid of the finest level."""

    boxes: list[Box]
    field: Array

    def voxels(self, box: Box) -> Array:
        """The values of a box with GHOSTS points of its level around it, like `cut` for a block."""
        return cut(self.field[:: box.step, :: box.step, :: box.step], box.block)


def hierarchy(voxels: Array, visible: float) -> Hierarchy:
    """The hierarchy of a volume with values in [0, 1]; boxes with no value above `visible` are left out.

    The volume grows, by repeating its border, to a multiple of the coarsest cells.
    """
    values = _levels(voxels)
    boxes = _refined(values, visible)
    field = _field(values, boxes)
    shown = [box for box in boxes if field[_points(box, 1)].max() > visible]
    return Hierarchy(shown, field)


def _levels(voxels: Array) -> dict[int, Array]:
    """The values of every level, by step, coarsest first."""
    coarsest = 2 ** (LEVELS - 1)
    values = np.pad(voxels, [(0, -(n - 1) % coarsest) for n in voxels.shape], mode="edge")
    levels = {1: values}
    for level in range(1, LEVELS):
        values = smoothed(values)[::2, ::2, ::2]
        levels[2**level] = values
    return dict(reversed(levels.items()))


def _refined(values: dict[int, Array], visible: float) -> list[Box]:
    """The leaves of the refinement."""
    data = values[1]
    (coarsest, points), *_ = values.items()
    leaves: list[Box] = []
    candidates = _tiles(Block((0, 0, 0), _last(points)), coarsest)
    for step in list(values)[:-1]:
        followed = values[step]
        while followed.shape != data.shape:
            followed = _interpolated(followed)
        error = np.abs(data - followed)
        refined: list[Box] = []
        for box in candidates:
            own = _points(box, 1)
            if error[own].max() > TOLERANCE and data[own].max() > visible:
                refined += _children(box)
            else:
                leaves.append(box)
        candidates = refined
    return leaves + candidates


def _field(values: dict[int, Array], boxes: list[Box]) -> Array:
    """The values at the points of the finest level."""
    (_, field), *finer = values.items()
    for step, own in finer:
        coarser = np.zeros(own.shape, bool)
        for box in boxes:
            if box.step > step:
                coarser[_points(box, step, beyond=box.step)] = True
        field = np.where(coarser, _interpolated(field), own)
    return np.asfortranarray(field)


def _points(box: Box, step: int, beyond: int = 0) -> tuple[slice, ...]:
    """The points of the level of `step` in a box and `beyond` it, counted in points of the finest level."""
    return tuple(
        slice(max((box.step * first - beyond) // step, 0), (box.step * last + beyond) // step + 1)
        for first, last in zip(box.block.lower, box.block.upper, strict=True)
    )


def _children(box: Box) -> list[Box]:
    """The boxes of the next finer level that replace a box."""
    lower, upper = ((2 * x, 2 * y, 2 * z) for x, y, z in (box.block.lower, box.block.upper))
    return _tiles(Block(lower, upper), box.step // 2)


def _tiles(whole: Block, step: int) -> list[Box]:
    """Boxes of at most CELLS cells along each axis that cover a block of points."""
    cuts = [range(first, last, CELLS) for first, last in zip(whole.lower, whole.upper, strict=True)]
    ends = whole.upper
    return [
        Box(Block((x, y, z), _least((x + CELLS, y + CELLS, z + CELLS), ends)), step)
        for x in cuts[0]
        for y in cuts[1]
        for z in cuts[2]
    ]


def _least(a: Index, b: Index) -> Index:
    return (min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2]))


def _last(values: Array) -> Index:
    x, y, z = values.shape
    return (x - 1, y - 1, z - 1)


def _interpolated(values: Array) -> Array:
    """Interpolate trilinearly at half the distance."""
    for axis in range(3):
        line = np.moveaxis(values, axis, 0)
        finer = np.empty((2 * len(line) - 1, *line.shape[1:]), np.float32)
        finer[::2] = line
        finer[1::2] = (line[:-1] + line[1:]) / 2
        values = np.moveaxis(finer, 0, axis)
    return values
