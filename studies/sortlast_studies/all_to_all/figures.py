"""Figures 2.1 and 3.1 from their definitions; Tables 4.2 and 4.4 as curves, and the placements as bars."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import cos, pi, sin

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator

from sortlast.plot.figure import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, empty
from sortlast.plot.panels import panels, plain_numbers
from sortlast_studies.all_to_all.cluster import NAMES, PLACEMENTS
from sortlast_studies.all_to_all.design import LEAF, NODES
from sortlast_studies.all_to_all.measured import HOSTS_GLOBAL_M, HOSTS_LOCAL_M, RATE
from sortlast_studies.all_to_all.simulated import CROWDED, METHODS
from sortlast_studies.all_to_all.terms import AT_A_COST, GLOBAL, LOCAL, by_nodes, no_hosts
from sortlast_studies.table import Table

_SHOWN = (9, 18, 36)  # nodes of the three schematics
_FIRST = 37  # the name of the leaf module's first node
_ROW, _GROUP = 9, 3  # nodes per row and per group
_COLOURS = (BLUE, GREEN, ORANGE, VERMILION)  # one for each row of Table 4.4
_MARKS = "os^D"  # the same rows, distinguished without colours


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name."""
    return {
        "figure-2-1": schematics(),
        "figure-3-1": leaf_module(),
        "times": times(table),
        "placements": placements(table),
    }


def schematics() -> Figure:
    """Figure 2.1: a line for every pair of 9, 18 and 36 nodes."""
    figure, [row] = panels(9, 3.4, columns=len(_SHOWN))
    for axes, nodes in zip(row, _SHOWN, strict=True):
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
    figure, axes = empty(7, 1.9)
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


def times(table: Table) -> Figure:
    """Top: the paper's two designs, published and simulated; bottom: measurements on hosts and cores."""
    figure, [(left, right), (on_hosts, on_cores)] = panels(9.5, 7.4, 2, 2)
    left.set_title("constant global memory (Table 4.2)", fontsize="medium")
    _curve(left, by_nodes(table, "Table 4.2", GLOBAL, "published"), "o", BLACK, "published")
    _curve(left, by_nodes(table, "Table 4.2", GLOBAL, "simulated"), "s--", BLUE, "simulated")
    costly = by_nodes(table, "Table 4.2" + AT_A_COST, GLOBAL, "simulated")
    _curve(left, costly, "d:", VERMILION, "with a cost of a message")
    right.set_title("constant local memory (Table 4.4)", fontsize="medium")
    for colour, mark, row in zip(_COLOURS, _MARKS, LOCAL.values(), strict=True):
        _curve(right, by_nodes(table, "Table 4.4", row, "published"), mark, colour, f"{row}, published")
        _curve(right, by_nodes(table, "Table 4.4", row, "simulated"), "--", colour, "")
    right.plot([], [], "--", color=GREY, label="simulated, in the colour of the row")
    _hosts(on_hosts, table)
    on_cores.set_title("measured on cores", fontsize="medium")
    _curve(on_cores, by_nodes(table, "Table 4.2, of a core for each rank", GLOBAL), "x-", BLACK, GLOBAL)
    for colour, mark, row in zip(_COLOURS, _MARKS, LOCAL.values(), strict=True):
        _curve(on_cores, by_nodes(table, "Table 4.4, of a core for each rank", row), f"{mark}-", colour, row)
    for axes in (left, right, on_hosts, on_cores):
        if axes.lines:
            _scale(axes)
    on_cores.set_ylabel("seconds of a core per rank")
    return figure


def _hosts(axes: Axes, table: Table) -> None:
    axes.set_title(f"measured on hosts of {RATE:g} Mbit/s", fontsize="medium")
    if reason := no_hosts(table):
        axes.text(0.5, 0.5, reason, transform=axes.transAxes, ha="center", wrap=True)
        axes.set_axis_off()
        return
    for item, colour, label in (
        ("Table 4.2, m = 512, on hosts", BLUE, f"constant global, m = {HOSTS_GLOBAL_M}"),
        ("Table 4.4, m = 512 N, on hosts", VERMILION, f"constant local, m = {HOSTS_LOCAL_M} N"),
    ):
        for name, style in (("MPI_Alltoallv", "^-"), ("shift", "v:")):
            _curve(axes, by_nodes(table, item, name), style, colour, f"{label}, {name}")


def placements(table: Table) -> Figure:
    """MPI_Alltoallv and shift on 36 nodes, on both trees: flows next to packets."""
    item = "36 nodes, by where they are and in which order"
    widths = [len(each) for each in CROWDED.values()]
    figure, [row] = panels(9.5, 4.2, columns=len(CROWDED), sharey=True, width_ratios=widths)
    for axes, (tree, names) in zip(row, CROWDED.items(), strict=True):
        for k, (label, colour) in enumerate(zip(NAMES.values(), (SKY, BLUE), strict=True)):
            for shift, (method, hatch) in enumerate(zip(METHODS, ("", "///"), strict=True)):
                column = f"{label}, {method}s"
                # Relative to the time without contention: packed, in order, full tree.
                free = table.value(item, f"full, {PLACEMENTS['packed']}", column)
                heights = [table.value(item, f"{tree}, {PLACEMENTS[name]}", column) / free for name in names]
                x = [j + (2 * k + shift - 1.5) * 0.2 for j in range(len(names))]
                axes.bar(x, heights, 0.18, color=colour, hatch=hatch, edgecolor="white", label=column)
                for place, height in zip(x, heights, strict=True):
                    axes.text(place, height + 0.03, f"{height:.2f}", ha="center", fontsize=7)
        axes.axhline(1, color=BLACK, linewidth=0.8)
        axes.set_xticks(
            range(len(names)),
            [PLACEMENTS[name].replace("leaf ", "leaf\n").replace(", ", ",\n") for name in names],
        )
        axes.tick_params(axis="x", labelsize="small")
        axes.set_title(f"{tree} bisection", fontsize="medium")
    row[0].set_ylabel("time on 36 nodes, relative to no contention")
    row[0].legend(frameon=False, fontsize="small", loc="upper left")
    return figure


def _curve(axes: Axes, values: Mapping[int, float], style: str, colour: str, label: str) -> None:
    if values:
        x, y = list(values), list(values.values())
        axes.plot(x, y, style, color=colour, label=label, markersize=5, fillstyle="none")


def _scale(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(FixedLocator(NODES))
    plain_numbers(axes.xaxis)
    plain_numbers(axes.yaxis)
    axes.set_xlabel("nodes N")
    axes.set_ylabel("seconds")
    axes.grid(color=GREY, alpha=0.25)
    axes.legend(frameon=False, fontsize="small")
