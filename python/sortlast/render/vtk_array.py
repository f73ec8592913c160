"""The arrays of a VTK image, and the choice among them; shared by legacy and XML files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sortlast import Error

from .blocks import Spacing
from .source import Source, Wanted

Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Named:
    """An array of a file, (tuples, components), that is read on demand."""

    name: str
    of_cells: bool
    components: int
    dtype: np.dtype[Any]
    read: Callable[[], npt.NDArray[Any]]


def chosen(
    path: Path, arrays: Sequence[Named], points: Shape, spacing: Spacing, wanted: Wanted, active: str = ""
) -> Source:
    """The active array, or the first of the points, or the first of the cells. Raises sortlast.Error."""
    if not arrays:
        raise Error(f"{path}: it has no array of numbers at its points or cells")
    array = min(arrays, key=lambda each: (each.of_cells, each.name != active))
    shape = shape_of(points, array.of_cells)
    component = wanted.index(path, "component", array.components)
    wanted.check(path, shape, array.components * array.dtype.itemsize)
    values = array.read().reshape(-1, array.components)[:, component]
    remarks = wanted.remark("component", array.components)
    if array.of_cells:
        remarks.insert(0, f"it has no point data: {array.name!r} of its cells is shown, a voxel a cell")
    return Source(values.reshape(shape, order="F"), spacing, remarks)


def shape_of(points: Shape, of_cells: bool) -> Shape:
    """Number of points, or of cells between them, along each axis."""
    if not of_cells:
        return points
    x, y, z = (max(1, count - 1) for count in points)
    return x, y, z
