"""Cells, each a number of ranks with a task: the monitored ones, and the measurements of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from sortlast.bench.task import Row, Task

AUTO = "auto"

_SIZES = ((2048, 1024), (4096, 2048))
_EVERY_RANKS = (2, 3, 4, 5, 7, 8, 12, 16)
_SOME_RANKS = (2, 4, 8, 16)


def matrix() -> list[tuple[int, Task]]:
    """All monitored cells, as (ranks, task).

    Dense images at many numbers of ranks and two sizes; at fewer, frames without gather, sparse images with
    and without bounds, and images with depth.
    """
    small = _SIZES[0]
    cells = [
        (ranks, Task(*size, "float32", "over", gather=True)) for size, ranks in product(_SIZES, _EVERY_RANKS)
    ]
    cells += [
        (ranks, Task(*size, "float32", "over", gather=False)) for size, ranks in product(_SIZES, _SOME_RANKS)
    ]
    cells += [
        (ranks, Task(*small, "float32", "over", True, content, bounds))
        for content, bounds, ranks in product(("block", "random"), (False, True), _SOME_RANKS)
    ]
    cells += [
        (ranks, Task(*small, format_, "closest", gather=True))
        for format_, ranks in product(("float32", "uint8"), _SOME_RANKS)
    ]
    return cells


@dataclass(frozen=True)
class Cell:
    """The rows of one cell."""

    ranks: int
    task: Task
    rows: Sequence[Row]

    def best(self, *peers: str) -> Row | None:
        """The fastest row of the given peers, by its median; None if they were not measured."""
        rows = [row for row in self.rows if row.peer in peers]
        return min(rows, key=lambda row: row.median_ms, default=None)

    def auto(self, peer: str) -> Row | None:
        """The row of a peer's ``auto``; None if it was not measured."""
        return next((row for row in self.rows if (row.peer, row.algorithm) == (peer, AUTO)), None)

    def best_fixed(self, peer: str) -> Row | None:
        """The fastest row of a peer that is not its ``auto``."""
        rows = [row for row in self.rows if row.peer == peer and row.algorithm != AUTO]
        return min(rows, key=lambda row: row.median_ms, default=None)


def cells_of(rows: Iterable[Row]) -> list[Cell]:
    """Group rows by cell, in order of first appearance."""
    groups: dict[tuple[int, Task], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.ranks, row.task_of()), []).append(row)
    return [Cell(ranks, task, group) for (ranks, task), group in groups.items()]
