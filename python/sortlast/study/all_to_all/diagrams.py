"""Figures 2.1 and 3.1: pairs of nodes, and a leaf module."""

from __future__ import annotations

from itertools import combinations
from math import cos, pi, sin

from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sortlast.plot.figure import BLACK, BLUE, GREY, SKY
from sortlast.study.all_to_all.design import LEAF

_SHOWN = (9, 18, 36)  # nodes of the three schematics
_FIRST = 37  # the name of the leaf module's first node
_ROW, _GROUP = 9, 3  # nodes of a row and of a group


def schematics() -> Figure:
    """Figure 2.1: a line for every two of 9, 18 and 36 nodes."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    for axes, nodes in zip(figure.subplots(1, len(_SHOWN)), _SHOWN, strict=True):
        places = [(sin(2 * pi * k / nodes), cos(2 * pi * k / nodes)) for k in range(nodes)]
        pairs = list(combinations(places, 2))
        axes.add_collection(LineCollection(pairs, colors=BLUE, linewidths=0.4))
        axes.plot(*zip(*places, strict=True), "o", color=BLACK, markersize=4)
        axes.set_title(f"{nodes} nodes, {len(pairs)} pairs", fontsize="medium")
        axes.set_aspect("equal")
        axes.set_axis_off()
    return figure


def leaf_module() -> Figure:
    """Figure 3.1: two rows of nine nodes in groups of three."""
    figure = Figure(figsize=(7, 1.9), layout="constrained")
    axes = figure.add_subplot()
    for k in range(LEAF):
        row, column = divmod(k, _ROW)
        x, y = column + 0.5 * (column // _GROUP), -1.2 * row
        axes.add_patch(Rectangle((x, y), 0.9, 0.9, facecolor=SKY, edgecolor=BLACK))
        axes.text(x + 0.45, y + 0.45, f"n{_FIRST + k}", ha="center", va="center", fontsize="small")
    axes.add_patch(Rectangle((-0.3, -1.5), 10.5, 2.7, facecolor="none", edgecolor=GREY, linewidth=1.5))
    axes.set_xlim(-0.5, 10.4)
    axes.set_ylim(-1.7, 1.4)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return figure
