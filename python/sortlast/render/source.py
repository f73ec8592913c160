"""The interface of volume readers: the requested part, the memory limit, and the result."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sortlast import Error, _memory

from .blocks import Spacing

# Peak bytes per voxel for scaling, besides the file's: float32 voxels, a copy of the voxels above the minimum
# for the percentile, and a copy for clipping and cropping.
SCALING = 24


@dataclass(frozen=True)
class Wanted:
    """The requested component and time of the voxels, both from 0; None: the first.

    ``memory`` is the maximum that the volume may take, in bytes; None: no limit is known.
    """

    component: int | None = None
    time: int | None = None
    memory: int | None = None

    def index(self, path: Path, what: str, count: int) -> int:
        """Index of the ``what``, "component" or "time", to read of ``count``. Raises sortlast.Error."""
        asked: int | None = getattr(self, what)
        if asked is not None and not 0 <= asked < count:
            there = f"0 to {count - 1}" if count > 1 else "0 alone"
            raise Error(f"{path}: there is no {what} {asked} (--{what}); it has {there}")
        return asked or 0

    def remark(self, what: str, count: int) -> list[str]:
        """A remark if there are several and the user has chosen none."""
        if count == 1 or getattr(self, what) is not None:
            return []
        return [f"{what} 0 of {count} is shown; sortlast view --{what} chooses another"]

    def check(self, path: Path, shape: tuple[int, ...], itemsize: int) -> None:
        """Raise sortlast.Error if voxels of ``itemsize`` bytes each would take too much memory once read."""
        voxels = 1
        for length in shape:
            voxels *= length
        what = f"{'x'.join(map(str, shape))} voxels"
        _memory.check(path, what, voxels * (itemsize + SCALING), self.memory)


@dataclass(frozen=True)
class Source:
    """Voxels of a file, indexed [x, y, z], their spacing, and remarks on the choices made."""

    voxels: npt.NDArray[Any]
    spacing: Spacing
    remarks: list[str] = field(default_factory=list)


def numbers_of(
    path: Path, data: memoryview, at: int, count: int, dtype: np.dtype[Any], what: str
) -> npt.NDArray[Any]:
    """View ``count`` numbers of ``data`` from byte ``at``. Raises sortlast.Error if there are fewer."""
    _memory.check_holds(path, what, count * dtype.itemsize, len(data) - at)
    return np.frombuffer(data, dtype, count, at)
