"""The medians of a benchmark's matrix, and speedups over other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from sortlast.plot.figure import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, YELLOW

if TYPE_CHECKING:
    from sortlast.bench import Row
    from sortlast.bench.cells import Cell

# The bars of a cell: their label, the peers they represent by their best row, their colour.
_MPI = ("mpi-reduce", "mpi-reduce-scatter", "mpi-allreduce")
_BARS = (
    ("IceT, best", ("icet",), VERMILION),
    ("miniGraphics, best", ("minigraphics",), ORANGE),
    ("MPI's reductions, best", _MPI, YELLOW),
    ("sortlast-messages", ("sortlast-messages",), SKY),
    ("sortlast", ("sortlast",), BLUE),
    ("sortlast-allocated", ("sortlast-allocated",), GREEN),
    ("floor-shared-window", ("floor-shared-window",), "white"),
)
_COLUMNS = 2  # of panels


def bars(cells: Sequence[Cell]) -> Figure:
    """One panel for each kind of cell, with a group of bars for each number of ranks, one bar per peer.

    A bar is the best median of its peer. The number on our bars is the speedup over the fastest other peer.
    """
    panels: dict[str, list[Cell]] = {}
    for cell in cells:
        panels.setdefault(_kind(cell.rows[0]), []).append(cell)
    lines = -(-len(panels) // _COLUMNS)
    figure = Figure(figsize=(8 * min(_COLUMNS, len(panels)), 0.8 + 3.2 * lines), layout="constrained")
    grid = figure.subplots(lines, min(_COLUMNS, len(panels)), squeeze=False).ravel()
    measured = [bar for bar in _BARS if any(cell.best(*bar[1]) for cell in cells)]
    for axes, (kind, group) in zip(grid, panels.items(), strict=False):
        _panel(axes, group, measured)
        axes.set_title(kind, fontsize="medium")
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, fontsize="small")
    return figure


def _panel(axes: Axes, cells: Sequence[Cell], bars: Sequence[tuple[str, tuple[str, ...], str]]) -> None:
    width = 0.85 / len(bars)
    for k, (label, peers, colour) in enumerate(bars):
        found = [(x, cell, cell.best(*peers)) for x, cell in enumerate(cells)]
        shown = [(x, cell, row) for x, cell, row in found if row is not None]
        places = [x + (k - (len(bars) - 1) / 2) * width for x, _, _ in shown]
        heights = [row.median_ms for _, _, row in shown]
        drawn = axes.bar(places, heights, width, label=label, color=colour, edgecolor=BLACK, linewidth=0.5)
        if peers[0].startswith("sortlast"):
            others = [cell.best("icet", "minigraphics", *_MPI) for _, cell, _ in shown]
            texts = [
                "" if other is None else f"{other.median_ms / own:.1f}"
                for other, own in zip(others, heights, strict=True)
            ]
            axes.bar_label(drawn, texts, rotation=90, padding=2, fontsize="x-small")
    axes.set_yscale("log")
    axes.margins(y=0.15)
    _number(axes.yaxis)
    axes.set_ylabel("time of a frame [ms]")
    axes.set_xticks(range(len(cells)), [f"{cell.ranks} ranks" for cell in cells])
    axes.grid(axis="y", color=GREY, alpha=0.25)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _kind(row: Row) -> str:
    """Title of the task, without the number of ranks."""
    return row.task_of().title(row.ranks).partition(", ")[2]


def _number(axis: Axis) -> None:
    """Use plain numbers at 1, 2 and 5 of each decade."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
