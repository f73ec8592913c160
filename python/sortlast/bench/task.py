"""What is measured, and what is known afterwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

FORMATS = ("float32", "float16", "uint8")
OPS = ("over", "closest", "add", "max", "min")
CHANNELS = 4


@dataclass(frozen=True)
class Task:
    """One image a rank, RGBA, all pixels active, becomes one frame.

    ``gather``: the frame must be whole at rank 0; else its pixels may stay where they are finished.
    """

    width: int
    height: int
    format: str
    op: str
    gather: bool

    @property
    def n(self) -> int:
        """Pixels of an image."""
        return self.width * self.height

    @property
    def dtype(self) -> DTypeLike:
        """Type of one channel."""
        return np.dtype(self.format)

    @property
    def has_depth(self) -> bool:
        """Whether the images have a depth plane."""
        return self.op == "closest"

    def bound(self, ranks: int) -> float:
        """Most that an answer may differ from the serial composite, in units of a channel.

        Selections are exact. Otherwise each of the ``ranks`` - 1 blends may be rounded to the format.
        """
        if self.op in ("closest", "max", "min"):
            return 0.0
        unit = {"float32": 1e-6, "float16": 2.0**-11, "uint8": 1.0}[self.format]
        largest = ranks if self.op == "add" and self.format != "uint8" else 1
        return unit * ranks * largest


@dataclass(frozen=True)
class Row:
    """The measurement of one peer; see :mod:`sortlast.bench` for the fields."""

    task: str
    peer: str
    algorithm: str
    ranks: int
    width: int
    height: int
    format: str
    op: str
    gather: bool
    frames: int
    median_ms: float
    min_ms: float
    max_ms: float
    max_abs_error: float
    peak_bytes: int | None
