"""What a reader of volumes gives, and what it may take."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sortlast import Error, _memory

from .blocks import Spacing

# Bytes of a voxel that scaling takes at once, besides those of the file: float32 voxels, copies of those
# above the minimum, of which a percentile is taken, and of those that are clipped and cropped.
SCALING = 24


@dataclass(frozen=True)
class Wanted:
    """Which of several values of a voxel, and which of several times; None: the first. Both from 0.

    ``memory`` is the most that the volume may take, in bytes; None: no limit is known.
    """

    component: int | None = None
    time: int | None = None
    memory: int | None = None

    def index(self, path: Path, what: str, count: int) -> int:
        """The ``what``, "component" or "time", that is taken of ``count``. Raises sortlast.Error."""
        asked: int | None = getattr(self, what)
        if asked is not None and not 0 <= asked < count:
            there = f"0 to {count - 1}" if count > 1 else "0 alone"
            raise Error(f"{path}: there is no {what} {asked} (--{what}); it has {there}")
        return asked or 0

    def remark(self, what: str, count: int) -> list[str]:
        """What is said if one of several was taken that nobody has chosen."""
        if count == 1 or getattr(self, what) is not None:
            return []
        return [f"{what} 0 of {count} is shown; choose another with --{what}"]

    def check(self, path: Path, shape: tuple[int, ...], itemsize: int) -> None:
        """Raise sortlast.Error if voxels of ``itemsize`` bytes each, once read, would take too much."""
        voxels = 1
        for length in shape:
            voxels *= length
        what = f"{'x'.join(map(str, shape))} voxels"
        _memory.check(path, what, voxels * (itemsize + SCALING), self.memory)


@dataclass(frozen=True)
class Source:
    """Voxels as a file has them, indexed [x, y, z], their spacing, and remarks on what was chosen."""

    voxels: npt.NDArray[Any]
    spacing: Spacing
    remarks: list[str] = field(default_factory=list)


def numbers_of(
    path: Path, data: memoryview, at: int, count: int, dtype: np.dtype[Any], what: str
) -> npt.NDArray[Any]:
    """``count`` numbers of ``data`` from byte ``at``; a view. Raises sortlast.Error if they are not there."""
    _memory.check_holds(path, what, count * dtype.itemsize, len(data) - at)
    return np.frombuffer(data, dtype, count, at)
