"""The medians of a benchmark: who takes how long, over the number of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from sortlast.plot.figure import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION

if TYPE_CHECKING:
    from sortlast.bench import Row

_COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK)  # one a number of ranks


def medians(rows: Sequence[Row]) -> Figure:
    """One panel for each size and kind of frame; one line of dots for each algorithm of each peer.

    A dot is the median, the line through it reaches from the fastest frame to the slowest. Floors are
    hollow.
    """
    panels = list(dict.fromkeys((row.width, row.height, row.gather) for row in rows))
    counts = list(dict.fromkeys(row.ranks for row in rows))
    labels = list(dict.fromkeys(_label(row) for row in rows))
    height = 1.2 + 0.3 * len(labels)
    figure = Figure(figsize=(3 + 3.5 * len(panels), height), layout="constrained")
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, panel in zip(grid, panels, strict=True):
        for row in rows:
            if (row.width, row.height, row.gather) != panel:
                continue
            k = counts.index(row.ranks)
            colour = _COLOURS[k % len(_COLOURS)]
            y = labels.index(_label(row)) + (k - (len(counts) - 1) / 2) * 0.5 / len(counts)
            axes.plot([row.min_ms, row.max_ms], [y, y], color=colour, linewidth=1, alpha=0.6)
            face = "white" if row.peer.startswith("floor-") else colour
            axes.plot(row.median_ms, y, "o", color=colour, markerfacecolor=face, markersize=5)
        width, height_, gather = panel
        where = "whole at rank 0" if gather else "where it is finished"
        axes.set_title(f"{width}x{height_}, {where}", fontsize="medium")
        axes.set_xscale("log")
        axes.set_xlabel("time of a frame [ms]")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(axis="x", which="both", color=GREY, alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    grid[0].set_yticks(range(len(labels)), labels)
    grid[0].invert_yaxis()
    for k, count in enumerate(counts):
        grid[-1].plot([], [], "o", color=_COLOURS[k % len(_COLOURS)], label=f"{count} ranks")
    grid[-1].legend(loc="best", fontsize="small")
    return figure


def _label(row: Row) -> str:
    return f"{row.peer} {row.algorithm}" if row.peer == "sortlast" else row.peer
