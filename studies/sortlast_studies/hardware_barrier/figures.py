"""The pictures of the study: Figures 1 and 2, and the tables as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sortlast.plot.figure import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, empty
from sortlast.plot.panels import legend_below, lines_behind, panels, plain_numbers
from sortlast_studies.hardware_barrier.barriers import BARRIERS, NONE
from sortlast_studies.hardware_barrier.cascade import Unit, cascade
from sortlast_studies.hardware_barrier.device import HARDWARE
from sortlast_studies.hardware_barrier.dynamic import costs, software
from sortlast_studies.hardware_barrier.frames import RENDERERS
from sortlast_studies.hardware_barrier.paper import FAST, GIGABIT, KINDS, NETWORKS, NODES, SIZES
from sortlast_studies.hardware_barrier.swap import HERTZ
from sortlast_studies.hardware_barrier.terms import HERE, LARGE, LOCAL, SWAP, Terms
from sortlast_studies.hardware_barrier.wire import Drive, Edge, simulate
from sortlast_studies.table import Table

COLOURS = {
    NONE: GREY,
    "mpi": VERMILION,
    "dissemination": ORANGE,
    "tree": PURPLE,
    "flags": BLUE,
    "port": GREEN,
}
MARKS = dict(zip(COLOURS, "xosD^v", strict=True))  # distinguish barriers without colours too


def draw(table: Table) -> dict[str, Figure]:
    """Draw all pictures, by their names in the report."""
    return {
        "figure-1": cascades((8, 64)),
        "figure-2": waveforms(),
        "tables-3-and-6": frame_rates(table),
        "larger": larger(table),
        "latency": latency(table),
        "frames": frames(table),
        "future": future(table),
    }


def cascades(sizes: Sequence[int]) -> Figure:
    """Figure 1: units and their cables, one panel for each number of nodes."""
    figure, [row] = panels(4.2 * len(sizes), 3.6, columns=len(sizes))
    for axes, p in zip(row, sizes, strict=True):
        _cascade(axes, p, cascade(p))
    return figure


def _cascade(axes: Axes, p: int, levels: Sequence[Sequence[Unit]]) -> None:
    def middle(depth: tuple[int, int]) -> float:
        return (depth[0] + depth[1] - 1) / 2

    for level in levels:
        for unit in level:
            for depth in unit.inputs:
                ends = (middle(depth), middle(unit.output))
                axes.plot([unit.level - 1, unit.level], ends, color=GREY, linewidth=0.7, zorder=1)
            axes.plot(unit.level, middle(unit.output), "s", color=BLUE, markersize=9, zorder=2)
    axes.plot([0] * p, range(p), "o", color=VERMILION, markersize=6 if p <= 16 else 2.5, zorder=2)
    end = len(levels)
    axes.plot([end, end + 1], [(p - 1) / 2] * 2, color=GREY, linewidth=0.7, zorder=1)
    axes.plot(end + 1, (p - 1) / 2, "D", color=GREEN, markersize=9, zorder=2)
    names = ["rendering\nnodes", *(f"units of\nlevel {k + 1}" for k in range(end)), "display\nnode"]
    axes.set_xticks(range(end + 2), names, fontsize="small")
    axes.set_xlim(-0.4, end + 1.4)
    axes.set_yticks([0, p - 1], ["front", "back"], fontsize="small")
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    count = sum(map(len, levels))
    axes.set_title(f"{p} nodes, {count} unit{'s' if count > 1 else ''}", loc="left", fontsize="medium")


def waveforms(nodes: int = 3) -> Figure:
    """Figure 2: the signals of the wire in two barriers, in nanoseconds."""
    rising = [Drive(10_000 + 12_000 * k, k, True) for k in range(nodes)]
    falling = [Drive(110_000 + 9_000 * (nodes - 1 - k), k, False) for k in range(nodes)]
    edges = simulate(nodes, rising + falling)
    end = 170.0
    lines = {
        f"node {k + 1}": [Edge(d.time, "", d.high) for d in (rising[k], falling[k])] for k in range(nodes)
    }
    nets = {"set": "set = AND", "reset": "reset = NOR", "q": "all read"}
    rows = lines | {label: [edge for edge in edges if edge.net == net] for net, label in nets.items()}
    figure, axes = empty(7.2, 3.4)
    for row, (label, own) in enumerate(rows.items()):
        colour = VERMILION if label.startswith("node") else BLUE if label == "all read" else GREY
        levels = [not own[0].high, *(edge.high for edge in own)]
        times = [0.0, *(edge.time / 1e3 for edge in own), end]
        heights = [-1.5 * row + 0.9 * level for level in (*levels, levels[-1])]
        axes.step(times, heights, where="post", color=colour, linewidth=1.6)
    for last, first, k in ((rising[-1], "rise", 0), (falling[0], "fall", 1)):
        _delay(axes, last.time / 1e3, rows["all read"][k].time / 1e3, -1.5 * len(rows) + 1.1, first)
    axes.set_yticks([-1.5 * row + 0.45 for row in range(len(rows))], list(rows))
    axes.set_ylim(-1.5 * len(rows), 1.2)
    axes.set_xlim(0, end)
    axes.set_xlabel("time [ns]")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    return figure


def _delay(axes: Axes, begin: float, end: float, height: float, what: str) -> None:
    axes.annotate("", (begin, height), (end, height), arrowprops={"arrowstyle": "<->", "color": BLACK})
    axes.text(end + 2, height, f"{what} {end - begin:.1f} ns", fontsize="small", va="center")
    for x in (begin, end):
        axes.axvline(x, color=GREY, linewidth=0.5, linestyle=":")


def frame_rates(table: Table) -> Figure:
    """Tables 3 and 6, published and computed, one panel per network."""
    figure, [row] = panels(11.4, 3.9, columns=len(NETWORKS), sharey=True)
    for axes, network in zip(row, NETWORKS, strict=True):
        cells = [cell for cell in Terms(table).cells if cell.network == network]
        x = np.arange(len(cells))
        _spans(axes, x - 0.3, [cell.published for cell in cells], VERMILION, "Table 3, published")
        computed = [cell.computed for cell in cells]
        _spans(axes, x - 0.1, computed, ORANGE, "computed, from congested to alone", fill="none")
        theirs, ours = zip(
            *((cell.published_hardware, cell.computed_hardware) for cell in cells), strict=True
        )
        axes.plot(x + 0.1, theirs, "o", color=GREEN, label="Table 6, published")
        axes.plot(x + 0.3, ours, "o", color=SKY, fillstyle="none", label="computed")
        axes.set_title(network, loc="left", fontsize="medium")
        axes.set_xticks(x, [cell.size for cell in cells], rotation=40, fontsize="small", ha="right")
        _rates(axes, (5, 10, 20, 50, 100, 200))
    row[0].set_ylabel("frames per second")
    legend_below(figure, row[0], 4)
    return figure


def _spans(
    axes: Axes,
    x: NDArray[np.floating[Any]],
    spans: Sequence[tuple[float, float]],
    colour: str,
    label: str,
    fill: str = "full",
) -> None:
    """Ranges as marks joined by lines, filled or not."""
    low, high = np.transpose(spans)
    axes.vlines(x, low, high, color=colour, linewidth=3 if fill == "full" else 1)
    axes.plot(x, high, "s", color=colour, markersize=5, fillstyle=fill, label=label)
    axes.plot(x, low, "s", color=colour, markersize=5, fillstyle=fill)


def larger(table: Table) -> Figure:
    """Frame rates of larger clusters, computed, at the smallest and a middle size."""
    figure, [row] = panels(8.6, 3.7, columns=2)
    styles = {HARDWARE: (GREEN, "o"), GIGABIT: (SKY, "s"), FAST: (VERMILION, "^")}
    for axes, size in zip(row, ("256x256", "512x512"), strict=True):
        item = LARGE.format(size)
        nodes = [int(row) for row in table.rows(item)]
        for name, (colour, mark) in styles.items():
            for how, line in (("", "-"), (", congested", ":")):
                values = list(table.column(item, name + how).values())
                if values:
                    label = ("MPI_Barrier, " if name in KINDS else "") + name + how
                    axes.plot(nodes, values, line, marker=mark, markersize=4, color=colour, label=label)
        axes.set_xscale("log", base=2)
        axes.set_xticks(nodes, table.rows(item))
        axes.set_ylim(bottom=0)
        axes.set_xlabel("rendering nodes")
        axes.set_title(size, loc="left", fontsize="medium")
        axes.grid(axis="y", color=GREY, alpha=0.25)
    row[0].set_ylabel("frames per second, computed")
    legend_below(figure, row[0], 2)
    return figure


def latency(table: Table) -> Figure:
    """Times of all barriers measured here: one panel per load, median and range of the turns."""
    figure, [row] = panels(8.6, 3.5, columns=2, sharey=True)
    for axes, (load, item) in zip(row, LOCAL.items(), strict=True):
        counts = table.rows(item)
        _medians(axes, table, item, list(BARRIERS), 0.14)
        axes.set_xticks(range(len(counts)), [f"{count} ranks" for count in counts])
        axes.set_title(load, loc="left", fontsize="medium")
        axes.set_yscale("log")
    for axes in row:
        _rates(axes, (1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000))
    row[0].set_ylabel("time of a barrier, measured [us]")
    legend_below(figure, row[0], 6)
    return figure


def frames(table: Table) -> Figure:
    """Frame rates measured here: one group per size, one dot per barrier, with the range of the turns."""
    figure, axes = empty(8.6, 3.9)
    _medians(axes, table, HERE, [NONE, *BARRIERS], 0.13)
    axes.set_xticks(range(len(SIZES)), list(SIZES))
    axes.set_ylabel("frames per second, measured")
    axes.set_title(f"{RENDERERS} ranks on this machine", loc="left", fontsize="medium")
    _rates(axes, (10, 20, 50, 100, 200, 500, 1000))
    legend_below(figure, axes, 6)
    return figure


def future(table: Table) -> Figure:
    """Dynamic barriers by the nodes of a group, and frames per second with swap locking."""
    figure, [(left, right)] = panels(9.6, 4.0, columns=2)
    kinds = {"hardware": (GREEN, "o", "-"), GIGABIT: (SKY, "s", "--"), FAST: (VERMILION, "^", ":")}
    members = range(2, NODES + 1)
    for name, (colour, mark, line) in kinds.items():
        for part, filled in (("set-up", "none"), ("barrier", "full")):
            times = [
                1e6 * (costs(NODES) if name == "hardware" else software(name, count))[part]
                for count in members
            ]
            if name == "hardware" or part == "barrier":
                label = f"wire, {part}" if name == "hardware" else f"MPI_Barrier, {name}"
                left.plot(members, times, line, marker=mark, fillstyle=filled, color=colour, label=label)
    _rates(left, (1, 10, 100, 1000, 10000))
    left.set_ylim(1, 200000)
    left.set_xlabel(f"nodes of a group, of {NODES}")
    left.set_ylabel("time, computed [us]")
    left.legend(frameon=False, fontsize="small", loc="upper left")
    shown = {
        NONE: ("no retrace, no lock", BLACK, "x"),
        HARDWARE: ("locked, hardware barrier", GREEN, "o"),
        FAST: (f"locked, MPI_Barrier, {FAST}", VERMILION, "^"),
        f"{FAST}, congested": ("the same, congested", ORANGE, "v"),
    }
    for k, (name, (label, colour, mark)) in enumerate(shown.items()):
        x = np.arange(len(SIZES)) + 0.16 * (k - 1.5)
        right.plot(x, list(table.column(SWAP, name).values()), mark, color=colour, label=label)
    right.set_xticks(range(len(SIZES)), list(SIZES), rotation=40, fontsize="small", ha="right")
    _rates(right, (5, 10, 15, 20, 30, 60, 120))
    right.set_ylabel(f"frames per second at {HERTZ} retraces, computed")
    right.legend(frameon=False, fontsize="small")
    return figure


def _medians(axes: Axes, table: Table, item: str, names: Sequence[str], apart: float) -> None:
    """One group per row of an item, one dot per barrier for its median, with the range of its turns."""
    for k, row in enumerate(table.rows(item)):
        for j, name in enumerate(names):
            found = table.find(item, row, name)
            if found is None or found.value is None or found.spread is None:
                continue
            x = k + (j - (len(names) - 1) / 2) * apart
            axes.plot([x, x], found.spread, color=COLOURS[name], alpha=0.5, linewidth=2)
            label = name if k == 0 else None
            axes.plot(x, found.value, MARKS[name], color=COLOURS[name], markersize=6, label=label)


def _rates(axes: Axes, ticks: Sequence[float]) -> None:
    """A logarithmic scale with plain numbers; only ticks near the values are shown."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    shown = [t for t, after in pairwise((*ticks, ticks[-1] * 10)) if after > low and t <= high]
    axes.set_yticks(shown)
    plain_numbers(axes.yaxis, ",g")
    axes.set_ylim(min(low, shown[0]), max(high, shown[-1]))
    lines_behind(axes, "y")
