"""The rows of a benchmark as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

from sortlast.bench.cells import cells_of

if TYPE_CHECKING:
    from sortlast.bench import Row
    from sortlast.bench.cells import Cell

_WINDOW, _NETWORK = "floor-shared-window", "floor-network"
_OURS, _ALLOCATED, _MESSAGES = "sortlast", "sortlast-allocated", "sortlast-messages"
_MPI = ("mpi-reduce", "mpi-reduce-scatter", "mpi-allreduce")


def tables(rows: Iterable[Row]) -> Iterator[Table]:
    """A table per cell: medians, and their ratios to the fastest peer that is no floor and to the window."""
    for cell in cells_of(rows):
        yield _table(cell)


def _table(cell: Cell) -> Table:
    rows = cell.rows
    title = f"{cell.task.title(cell.ranks)}, {rows[0].frames} frames, ms"
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("peer and algorithm", overflow="fold")
    for heading in ("median", "min", "max", "/\nfastest", "/\nwindow", "error", "peak\nMB"):
        table.add_column(heading, justify="right", no_wrap=True)
    fastest = min((row.median_ms for row in rows if not row.peer.startswith("floor-")), default=None)
    window = _ms(cell.best(_WINDOW))
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


def summaries(cells: Sequence[Cell]) -> Iterator[Table]:
    """For each kind of cell two tables over the ranks: the best median of each peer, and their ratios."""
    for kind, group in groupby(cells, key=_kind):
        same = list(group)
        yield _medians(kind, same)
        yield _ratios(kind, same)


def _kind(cell: Cell) -> str:
    """The task without the number of ranks."""
    return cell.task.title(cell.ranks).partition(", ")[2]


def _medians(kind: str, cells: Sequence[Cell]) -> Table:
    table = Table(title=f"{kind}: best median of each peer, ms", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    headings = ("ranks", "icet", "mini-\ngraphics", "MPI", "messages\nauto", "messages\nbest", "sortlast")
    for heading in (*headings, "sortlast\nallocated", "network\nfloor", "window\nfloor", "memcpy"):
        table.add_column(heading, justify="right", no_wrap=True)
    for cell in cells:
        rows = (
            cell.best("icet"),
            cell.best("minigraphics"),
            cell.best(*_MPI),
            cell.auto(_MESSAGES),
            cell.best(_MESSAGES),
            cell.auto(_OURS),
            cell.auto(_ALLOCATED),
            cell.best(_NETWORK),
            cell.best(_WINDOW),
            cell.best("floor-memcpy"),
        )
        table.add_row(str(cell.ranks), *("" if row is None else f"{row.median_ms:.1f}" for row in rows))
    return table


def _ratios(kind: str, cells: Sequence[Cell]) -> Table:
    """The left half has our speedups, if above 1; the right half our ratios to floors."""
    table = Table(title=f"{kind}: ratios", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    headings = ("ranks", "icet /\nmessages", "icet /\nsortlast", "icet /\nallocated", "minigr. /\nsortlast")
    floors = ("messages /\nnetwork", "sortlast /\nwindow", "allocated /\nwindow", "auto /\nbest fixed")
    for heading in (*headings, "MPI /\nsortlast", *floors):
        table.add_column(heading, justify="right", no_wrap=True)
    for cell in cells:
        icet, mini, mpi = (_ms(cell.best(*peers)) for peers in (("icet",), ("minigraphics",), _MPI))
        messages, ours, allocated = (_ms(cell.auto(peer)) for peer in (_MESSAGES, _OURS, _ALLOCATED))
        network, window = _ms(cell.best(_NETWORK)), _ms(cell.best(_WINDOW))
        pairs = (
            (icet, messages),
            (icet, ours),
            (icet, allocated),
            (mini, ours),
            (mpi, ours),
            (messages, network),
            (ours, window),
            (allocated, window),
            (messages, _ms(cell.best_fixed(_MESSAGES))),
        )
        table.add_row(str(cell.ranks), *(_ratio(value, base) for value, base in pairs))
    return table


def _ms(row: Row | None) -> float | None:
    return None if row is None else row.median_ms


def _ratio(value: float | None, base: float | None) -> str:
    return "" if value is None or not base else f"{value / base:.2f}"
