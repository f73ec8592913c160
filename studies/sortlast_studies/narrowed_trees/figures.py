"""The pictures: Figures 1 to 4, 6 and 7 of Navaridas et al.

The last two show times of many patterns and sizes relative to the fat-tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator
from numpy.typing import NDArray

from sortlast.plot.figure import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION
from sortlast.plot.panels import lines_behind, panels, plain_numbers
from sortlast_studies.narrowed_trees import diagrams
from sortlast_studies.narrowed_trees.networks import SETS
from sortlast_studies.narrowed_trees.performance import Times
from sortlast_studies.narrowed_trees.terms import FIGURES
from sortlast_studies.narrowed_trees.workloads import PATTERNS, size_name
from sortlast_studies.table import Table

_COLOURS = (BLUE, SKY, VERMILION, ORANGE, GREEN, PURPLE)  # one per network
_HATCHES = ("", "////", "....", "xxxx")  # in print
_COLUMNS = 4  # of panels


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name."""
    times = Times(table)
    sizes = [size_name(size) for size in times.sizes]
    made = {
        "figure-1": diagrams.trees(),
        "figure-2": diagrams.switch(),
        "figure-3": diagrams.partly_used(),
        "figure-4": diagrams.patterns(),
    }
    for which, item in FIGURES.items():
        found = {net.name: times.block(which, net) for net in SETS[which]}
        made[item.lower().replace(" ", "-")] = normalized_times(found, PATTERNS, sizes)
    return made


def normalized_times(
    times: Mapping[str, NDArray[np.float64]], patterns: Sequence[str], sizes: Sequence[str]
) -> Figure:
    """One panel per pattern, one group of bars per size, one bar per network.

    The reference is the line at 1.

    Args:
        times: by network, times relative to the reference: arrays (patterns, sizes); the first network is the
            reference.
        patterns: names of the panels, at most the number of panels minus one for the legend.
        sizes: names of the groups.
    """
    lines = -(-(len(patterns) + 1) // _COLUMNS)
    figure, every = panels(3.4 * _COLUMNS, 0.5 + 2.9 * lines, lines, _COLUMNS)
    grid = every.ravel()
    low, high = _range(times)
    reference, *others = times
    width = 0.85 / len(others)
    for axes, (row, pattern) in zip(grid, enumerate(patterns), strict=False):
        axes.axhline(1, color=BLACK, linewidth=1, label=f"{reference} = 1")
        for k, name in enumerate(others):
            places = np.arange(len(sizes)) + (k - (len(others) - 1) / 2) * width
            # Bars start at 1, the reference: faster networks hang below it.
            heights = times[name][row] - 1
            look = {"color": _COLOURS[k], "hatch": _HATCHES[k], "edgecolor": BLACK, "linewidth": 0.4}
            axes.bar(places, heights, width, bottom=1, label=name, **look)
        axes.set_title(pattern, fontsize="medium")
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        plain_numbers(axes.yaxis)
        axes.set_xticks(range(len(sizes)), sizes, fontsize="small")
        lines_behind(axes, "y")
    for axes in grid[::_COLUMNS]:
        axes.set_ylabel("time relative to the fat-tree")
    for axes in grid[max(0, len(patterns) - _COLUMNS) : len(patterns)]:
        axes.set_xlabel("size of messages")
    for axes in grid[len(patterns) :]:
        axes.set_axis_off()
    grid[len(patterns)].legend(*grid[0].get_legend_handles_labels(), loc="center", frameon=False)
    return figure


def _range(times: Mapping[str, NDArray[np.float64]]) -> tuple[float, float]:
    """One scale for all panels."""
    values = np.concatenate([array.ravel() for array in times.values()])
    return min(0.7, float(values.min()) / 1.1), max(1.5, float(values.max()) * 1.1)
