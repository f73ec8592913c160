"""The rows of a benchmark as tables: one for each number of ranks, size and kind of frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

if TYPE_CHECKING:
    from sortlast.bench import Row

_WINDOW = "floor-shared-window"


def tables(rows: Iterable[Row]) -> Iterator[Table]:
    """Tables of medians, with their ratios to the fastest peer that is no floor and to the window's."""
    for _, group in groupby(rows, key=lambda row: (row.ranks, row.width, row.height, row.gather)):
        yield _table(list(group))


def _table(rows: list[Row]) -> Table:
    first = rows[0]
    where = "whole at rank 0" if first.gather else "where it is finished"
    kind = f"{first.width}x{first.height} {first.format}, {first.op}, {where}"
    table = Table(
        title=f"{first.ranks} ranks, {kind}, {first.frames} frames, ms", box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    table.add_column("peer and algorithm", overflow="fold")
    for heading in ("median", "min", "max", "/\nfastest", "/\nwindow", "error", "peak\nMB"):
        table.add_column(heading, justify="right", no_wrap=True)
    fastest = min((row.median_ms for row in rows if not row.peer.startswith("floor-")), default=None)
    window = next((row.median_ms for row in rows if row.peer == _WINDOW), None)
    for row in rows:
        table.add_row(
            f"{row.peer} {row.algorithm}",
            *(f"{value:.2f}" for value in (row.median_ms, row.min_ms, row.max_ms)),
            _ratio(row.median_ms, fastest),
            _ratio(row.median_ms, window),
            f"{row.max_abs_error:.2g}",
            "" if row.peak_bytes is None else f"{row.peak_bytes / 1e6:.1f}",
        )
    return table


def _ratio(value: float, base: float | None) -> str:
    return "" if not base else f"{value / base:.2f}"
