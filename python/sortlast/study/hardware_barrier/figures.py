"""The pictures of the study: Figures 1 and 2, and the tables as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter
from numpy.typing import NDArray

from sortlast.plot.figure import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, empty
from sortlast.study.hardware_barrier import published as paper
from sortlast.study.hardware_barrier.barriers import BARRIERS, NONE
from sortlast.study.hardware_barrier.cascade import Unit, cascade
from sortlast.study.hardware_barrier.comparison import table_3, table_6
from sortlast.study.hardware_barrier.device import calibrated
from sortlast.study.hardware_barrier.larger import HARDWARE, NODES, rates
from sortlast.study.hardware_barrier.measurements import LOADED, QUIET, RENDERERS, Measured
from sortlast.study.hardware_barrier.wire import Delays, Drive, Edge, simulate

COLOURS = {
    NONE: GREY,
    "mpi": VERMILION,
    "dissemination": ORANGE,
    "tree": PURPLE,
    "flags": BLUE,
    "port": GREEN,
}


def draw(measured: Measured) -> dict[str, Figure]:
    """All pictures, by the names that the report gives them."""
    return {
        "figure-1": cascades((8, 64)),
        "figure-2": waveforms(),
        "tables-3-and-6": frame_rates(),
        "larger": larger(),
        "latency": latency(measured),
        "frames": frames(measured),
    }


def cascades(sizes: Sequence[int]) -> Figure:
    """Figure 1: units and their cables, a panel for each number of nodes."""
    figure = Figure(figsize=(4.2 * len(sizes), 3.6), layout="constrained")
    for axes, p in zip(figure.subplots(1, len(sizes), squeeze=False)[0], sizes, strict=True):
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
    """Figure 2: what the wire does in two barriers, in nanoseconds."""
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
    total = Delays.as_published().total(nodes) / 1e3
    axes.set_title(
        f"Two barriers: T_Internal + 3 T_Gates = {total:.1f} ns from the last node",
        loc="left",
        fontsize="medium",
    )
    return figure


def _delay(axes: Axes, begin: float, end: float, height: float, what: str) -> None:
    axes.annotate("", (begin, height), (end, height), arrowprops={"arrowstyle": "<->", "color": BLACK})
    axes.text(end + 2, height, f"{what} {end - begin:.1f} ns", fontsize="small", va="center")
    for x in (begin, end):
        axes.axvline(x, color=GREY, linewidth=0.5, linestyle=":")


def frame_rates() -> Figure:
    """Tables 3 and 6, published and computed, a panel a network."""
    device = calibrated()
    figure = Figure(figsize=(11.4, 3.9), layout="constrained")
    panels = figure.subplots(1, len(paper.NETWORKS), sharey=True)
    hardware = table_6(device)
    for axes, network in zip(panels, paper.NETWORKS, strict=True):
        cells = [cell for cell in table_3(device) if cell.network == network]
        x = np.arange(len(cells))
        _spans(axes, x - 0.3, [cell.published for cell in cells], VERMILION, "Table 3, published")
        computed = [(cell.congested, cell.alone) for cell in cells]
        _spans(axes, x - 0.1, computed, ORANGE, "computed, from congested to alone")
        axes.plot(
            x + 0.1, [cell.published for cell in hardware], "o", color=GREEN, label="Table 6, published"
        )
        axes.plot(x + 0.3, [cell.computed for cell in hardware], "o", color=SKY, label="computed")
        axes.set_title(network, loc="left", fontsize="medium")
        axes.set_xticks(x, [cell.size for cell in cells], rotation=40, fontsize="small", ha="right")
        _rates(axes, (5, 10, 20, 50, 100, 200))
    panels[0].set_ylabel("frames per second")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return figure


def _spans(
    axes: Axes, x: NDArray[np.floating[Any]], spans: Sequence[tuple[float, float]], colour: str, label: str
) -> None:
    """Ranges as dots joined by lines."""
    low, high = np.transpose(spans)
    axes.vlines(x, low, high, color=colour, linewidth=3)
    axes.plot(x, high, "s", color=colour, markersize=5, label=label)
    axes.plot(x, low, "s", color=colour, markersize=5)


def larger() -> Figure:
    """Frame rates of larger clusters, computed, at the smallest and a middle size."""
    figure = Figure(figsize=(8.6, 3.7), layout="constrained")
    styles = {HARDWARE: GREEN, paper.GIGABIT: SKY, paper.FAST: VERMILION}
    for axes, size in zip(figure.subplots(1, 2), ("256x256", "512x512"), strict=True):
        for name, colour in styles.items():
            for congested, line in ((False, "-"), (True, ":")):
                if congested and name not in paper.NETWORKS.values():
                    continue
                label = f"MPI_Barrier, {name}" if name in paper.NETWORKS.values() else name
                values = [rates(size, nodes, congested=congested)[name] for nodes in NODES]
                label += ", congested" if congested else ""
                axes.plot(NODES, values, line, marker="o", markersize=4, color=colour, label=label)
        axes.set_xscale("log", base=2)
        axes.set_xticks(NODES, [str(nodes) for nodes in NODES])
        axes.set_ylim(bottom=0)
        axes.set_xlabel("rendering nodes")
        axes.set_title(size, loc="left", fontsize="medium")
        axes.grid(axis="y", color=GREY, alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("frames per second, computed")
    figure.legend(
        *figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False
    )
    return figure


def latency(measured: Measured) -> Figure:
    """Times of all barriers measured here: a panel a load, median and range of the turns."""
    figure = Figure(figsize=(8.6, 3.5), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, load in zip(panels, (QUIET, LOADED), strict=True):
        for k, count in enumerate(measured.plan.ranks):
            for j, name in enumerate(BARRIERS):
                times = np.array(measured.latencies(count, load, name)) * 1e6
                x = k + (j - (len(BARRIERS) - 1) / 2) * 0.14
                axes.plot([x, x], [times.min(), times.max()], color=COLOURS[name], alpha=0.5, linewidth=2)
                label = name if k == 0 else None
                axes.plot(x, np.median(times), "o", color=COLOURS[name], markersize=6, label=label)
        axes.set_xticks(range(len(measured.plan.ranks)), [f"{count} ranks" for count in measured.plan.ranks])
        axes.set_title(load, loc="left", fontsize="medium")
        axes.set_yscale("log")
    for axes in panels:
        _rates(axes, (1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 30000))
    panels[0].set_ylabel("time of a barrier, measured [us]")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False)
    return figure


def frames(measured: Measured) -> Figure:
    """Frame rates measured here: a group a size, a dot a barrier, with the range of the turns."""
    figure, axes = empty(8.6, 3.9)
    names = [NONE, *BARRIERS]
    for k, size in enumerate(paper.sizes()):
        for j, name in enumerate(names):
            x = k + (j - (len(names) - 1) / 2) * 0.13
            shortest, longest = measured.frame_spread(size, name)
            axes.plot([x, x], [1 / longest, 1 / shortest], color=COLOURS[name], alpha=0.5, linewidth=2)
            label = name if k == 0 else None
            axes.plot(x, 1 / measured.frame(size, name), "o", color=COLOURS[name], markersize=6, label=label)
    axes.set_xticks(range(len(paper.sizes())), list(paper.sizes()))
    axes.set_ylabel("frames per second, measured")
    axes.set_title(f"{RENDERERS} ranks on this machine", loc="left", fontsize="medium")
    _rates(axes, (10, 20, 50, 100, 200, 500, 1000))
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False)
    return figure


def _rates(axes: Axes, ticks: Sequence[float]) -> None:
    """A logarithmic scale with plain numbers: of the ticks those near the values."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    shown = [t for t, after in pairwise((*ticks, ticks[-1] * 10)) if after > low and t <= high]
    axes.set_yticks(shown)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(min(low, shown[0]), max(high, shown[-1]))
    axes.grid(axis="y", color=GREY, alpha=0.25)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
