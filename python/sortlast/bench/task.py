"""The task to measure, and the row that records a measurement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

FORMATS = ("float32", "float16", "uint8")
OPS = ("over", "closest", "add", "max", "min")
CONTENTS = ("dense", "block", "random")
CHANNELS = 4

Machine = tuple[str, str, int, str]  # see :attr:`sortlast.provenance.Provenance.machine`


@dataclass(frozen=True)
class Task:
    """One RGBA image per rank becomes one frame.

    ``gather``: the frame must be whole at rank 0; otherwise pixels may stay where they are finished.
    ``content``: the active pixels, with p ranks: all (dense), a box with 1/p of the area at a different place
    for each rank (block), or each pixel with probability 1/p (random). ``bounds``: whether the peers receive
    the box of each rank's active pixels.
    """

    width: int
    height: int
    format: str
    op: str
    gather: bool
    content: str = "dense"
    bounds: bool = False

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

    @property
    def pixel_bytes(self) -> int:
        """Bytes of a pixel, with its depth."""
        return CHANNELS * np.dtype(self.format).itemsize + (4 if self.has_depth else 0)

    def title(self, ranks: int) -> str:
        """The task in a few words."""
        told = ", bounds told" if self.bounds else ""
        depth = " + depth" if self.has_depth else ""
        where = "gathered" if self.gather else "not gathered"
        pixels = f"{self.width}x{self.height} {self.format}{depth}"
        return f"{ranks} ranks, {pixels}, {self.op}, {self.content}{told}, {where}"

    def bound(self, ranks: int) -> float:
        """Maximum difference of an answer to the serial composite, in units of a channel.

        Selections are exact. Otherwise each of the ``ranks`` - 1 blends may be rounded to the format.
        """
        if self.op in ("closest", "max", "min"):
            return 0.0
        unit = {"float32": 1e-6, "float16": 2.0**-11, "uint8": 1.0}[self.format]
        largest = ranks if self.op == "add" and self.format != "uint8" else 1
        return unit * ranks * largest


@dataclass(frozen=True)
class Row:
    """The measurement of one peer; see :mod:`sortlast.bench` for the fields.

    The last fields are from :class:`sortlast.provenance.Provenance`; older files lack them.
    """

    task: str
    peer: str
    algorithm: str
    ranks: int
    width: int
    height: int
    format: str
    op: str
    gather: bool
    content: str
    bounds: bool
    frames: int
    median_ms: float
    min_ms: float
    max_ms: float
    cpu_ms: float
    max_abs_error: float
    peak_bytes: int | None
    version: str = ""
    build: str = ""
    host: str = ""
    cpu: str = ""
    cores: int = 0
    mpi: str = ""
    date: str = ""

    @property
    def machine(self) -> Machine | None:
        """The machine, which must be equal in rows that are compared or joined; None if not recorded."""
        return (self.host, self.cpu, self.cores, self.mpi) if self.host else None

    def task_of(self) -> Task:
        """The task that was measured."""
        return Task(self.width, self.height, self.format, self.op, self.gather, self.content, self.bounds)
