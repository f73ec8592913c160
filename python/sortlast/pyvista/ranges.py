"""Values that must agree on all ranks: ranges of data that are mapped to colours, and units of opacity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyvista as pv

from sortlast._errors import Error, MismatchError
from sortlast.vtk.parts import Box, around
from sortlast.vtk.sampling import Grid, spacing


class Range(NamedTuple):
    """The range of an array that is mapped to colours, and the grids of its volumes."""

    name: str
    limits: tuple[float, float]
    box: Box | None = None
    grids: tuple[Grid, ...] = ()

    def unit_distance(self) -> float | None:
        """The value for PyVista's ``opacity_unit_distance`` of a volume; None for other data."""
        if self.box is None or not self.grids:
            return None
        extents, steps = np.subtract(self.box[1::2], self.box[0::2]), np.array(spacing(self.grids))
        cells = extents / np.where(steps > 0, steps, np.inf)
        return float(np.linalg.norm(extents) / cells.mean()) if cells.any() else None


def union(told: Sequence[tuple[str | None, Range | None]]) -> Range | None:
    """On rank 0: the range over all ranks. Raises Error if a rank has a problem or maps a different array."""
    for rank, (problem, _) in enumerate(told):
        if problem is not None:
            raise Error(f"rank {rank}: {problem}")
    there = [(rank, found) for rank, (_, found) in enumerate(told) if found is not None]
    for rank, found in there:
        if found.name != there[0][1].name:
            raise MismatchError(
                f"rank {there[0][0]} maps {there[0][1].name!r} to colours, and rank {rank} {found.name!r};"
                " expected the same on every rank: scalars=NAME"
            )
    return around_all([found for _, found in there])


def around_all(ranges: Sequence[Range]) -> Range | None:
    """The union of several ranges of one array."""
    if not ranges:
        return None
    return Range(
        ranges[0].name,
        (min(each.limits[0] for each in ranges), max(each.limits[1] for each in ranges)),
        around([each.box for each in ranges]),
        tuple(grid for each in ranges for grid in each.grids),
    )


def of_mesh(mesh: Any, options: dict[str, Any]) -> Range | None:
    """The range of the array that ``add_mesh`` maps to colours; None if it maps none."""
    scalars = options.get("scalars")
    if options.get("rgb") or (scalars is None and options.get("color") is not None):
        return None
    if isinstance(mesh, pv.MultiBlock):
        return None if scalars is None else Range(scalars, mesh.get_data_range(scalars, allow_missing=True))
    return of_array(mesh, options)


def of_array(data: Any, options: dict[str, Any]) -> Range | None:
    """Minimum and maximum of the array that is mapped to colours; None if there is none."""
    data = pv.wrap(data)
    scalars = options.get("scalars")
    name = scalars if isinstance(scalars, str) else data.active_scalars_name if scalars is None else "Data"
    if isinstance(scalars, str):
        values = pv.get_array(data, scalars, preference=options.get("preference", "point"), err=True)
    else:
        values = data.active_scalars if scalars is None else np.asarray(scalars)
    if values is None or not np.issubdtype(values.dtype, np.number):
        return None
    if values.ndim == 2:
        if data is not None and values.dtype == np.uint8 and options.get("opacity") is None:
            return None
        component = options.get("component")
        values = np.linalg.norm(values, axis=1) if component is None else values[:, component]
    finite = values[np.isfinite(values)]
    return Range(name, (float(finite.min()), float(finite.max()))) if finite.size else None
