"""Functions and names over the table for report, checks and figures."""

from __future__ import annotations

from sortlast_studies.beside.jobs import (
    ALGORITHMS,
    FABRICS,
    FAT,
    GRIDS,
    IMAGE,
    LINK,
    RADIX,
    SHIFT,
    SIZES,
    SWAP,
    SWITCH,
    TAPERED,
    TORUS,
    WIDE,
    WINDOW,
)
from sortlast_studies.table import Table

FRAME, FRAME_BESIDE, EXCHANGE, EXCHANGE_BESIDE = "frame", "frame beside", "exchange", "exchange beside"
QUANTITIES = (FRAME, FRAME_BESIDE, EXCHANGE, EXCHANGE_BESIDE)
_NAMES = {
    FRAME: "a frame alone",
    FRAME_BESIDE: "a frame beside the exchange",
    EXCHANGE: "an exchange alone",
    EXCHANGE_BESIDE: "an exchange beside frames",
}


def times(what: str, p: int) -> str:
    """The item with the milliseconds of one quantity on ``p`` ranks."""
    return f"Milliseconds of {_NAMES[what]}, {p} ranks"


def pair(fabric: str, algorithm: str) -> str:
    """The row of a fabric and an algorithm."""
    return f"{fabric}, {algorithm}"


def face(size: int) -> str:
    """The column for a size of faces."""
    return f"{size // 1000:,} kB"


class Terms:
    """Terms over a table."""

    fabrics, algorithms, grids, link = FABRICS, ALGORITHMS, GRIDS, LINK
    width, height = IMAGE
    switch, fat, tapered, torus = SWITCH, FAT, TAPERED, TORUS
    shift, wide, swap, radix, window = SHIFT, WIDE, SWAP, RADIX, WINDOW
    frame, exchange = FRAME, EXCHANGE
    times = staticmethod(times)
    pair = staticmethod(pair)
    face = staticmethod(face)

    def __init__(self, table: Table) -> None:
        self._table = table
        self.ranks = [p for p in GRIDS if table.rows(times(FRAME, p))]
        self.sizes = {
            p: [
                size
                for size in SIZES[p]
                if table.get(times(FRAME, p), pair(SWITCH, SHIFT), face(size)) is not None
            ]
            for p in self.ranks
        }

    def slower(self, what: str, p: int, fabric: str, algorithm: str, size: int) -> float:
        """Slowdown of a frame, or an exchange, by the other."""
        row, column = pair(fabric, algorithm), face(size)
        beside, alone = times(f"{what} beside", p), times(what, p)
        return self._table.value(beside, row, column) / self._table.value(alone, row, column)

    def all_slower(self, what: str, algorithm: str, fabrics: list[str] | None = None) -> list[float]:
        """Slowdowns for all sizes and numbers of ranks on some fabrics (None: all)."""
        return [
            self.slower(what, p, fabric, algorithm, size)
            for p in self.ranks
            for fabric in fabrics or FABRICS
            for size in self.sizes[p]
        ]

    def over_switch(self, what: str, fabric: str, algorithm: str) -> list[float]:
        """Ratio of the time on a fabric to the time on one switch, both during the other job."""
        row, switch = pair(fabric, algorithm), pair(SWITCH, algorithm)
        return [
            self._table.value(item, row, face(size)) / self._table.value(item, switch, face(size))
            for p in self.ranks
            for item in [times(f"{what} beside", p)]
            for size in self.sizes[p]
        ]
