"""Pictures of the times: Tables 4.2 and 4.4 as curves, and the placements as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from sortlast.plot.figure import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, VERMILION
from sortlast.study.all_to_all import cluster, hosts, traffic
from sortlast.study.all_to_all.design import GLOBAL_M, LOCAL_M, NODES
from sortlast.study.all_to_all.found import Found, Measured, simulated_global, simulated_local
from sortlast.study.all_to_all.published import seconds
from sortlast.study.all_to_all.simulated import CROWDED, Simulation

_COLOURS = (BLUE, GREEN, ORANGE, VERMILION)  # a row of Table 4.4 each
_WAYS = {"posted": ("MPI_Alltoallv", SKY), "shift": ("shift", BLUE)}
Times = Mapping[int, float | None]  # by nodes


def times(found: Found) -> Figure:
    """Above the paper's two designs, published and simulated; below what was measured on hosts and cores."""
    figure = Figure(figsize=(9.5, 7.4), layout="constrained")
    (left, right), (on_hosts, on_cores) = figure.subplots(2, 2)
    left.set_title("constant global memory (Table 4.2)", fontsize="medium")
    _curve(left, _published("4.2", GLOBAL_M), "o", BLACK, "published")
    _curve(left, {n: found.simulated(simulated_global(n)) for n in NODES}, "s--", BLUE, "simulated")
    right.set_title("constant local memory (Table 4.4)", fontsize="medium")
    for colour, m in zip(_COLOURS, LOCAL_M, strict=True):
        _curve(right, _published("4.4", m), "o", colour, f"m = {m} N")
        _curve(right, {n: found.simulated(simulated_local(m, n)) for n in NODES}, "s--", colour, "")
    for style, label in (("o", "published"), ("s--", "simulated")):
        right.plot([], [], style, color=GREY, fillstyle="none", label=label)
    _hosts(on_hosts, found)
    _cores(on_cores, found)
    for axes in (left, right, on_hosts, on_cores):
        if axes.lines:
            _scale(axes)
    on_cores.set_ylabel("seconds of a core for each rank")
    return figure


def _hosts(axes: Axes, found: Found) -> None:
    axes.set_title("measured on hosts of 10 Mbit/s", fontsize="medium")
    if found.no_hosts:
        axes.text(0.5, 0.5, found.no_hosts, transform=axes.transAxes, ha="center", wrap=True)
        axes.set_axis_off()
        return
    for cell, colour, label in (
        (hosts.constant_global, BLUE, f"constant global, m = {hosts.GLOBAL_M}"),
        (hosts.constant_local, VERMILION, f"constant local, m = {hosts.LOCAL_M} N"),
    ):
        for way, style in (("posted", "^-"), ("shift", "v:")):
            times = {n: found.on_hosts(cell(n), way) for n in NODES}
            _curve(axes, times, style, colour, f"{label}, {_WAYS[way][0]}")


def _cores(axes: Axes, found: Found) -> None:
    axes.set_title("measured on cores", fontsize="medium")
    _curve(
        axes, _core({n: found.constant_global(n, "C") for n in found.measured_nodes}), "^-", BLACK, "m = 512"
    )
    for colour, m in zip(_COLOURS, LOCAL_M, strict=True):
        here = {n: found.constant_local(m, n) for n in found.measured_nodes}
        _curve(axes, _core(here), "^-", colour, f"m = {m} N")


def placements(found: Found) -> Figure:
    """MPI_Alltoallv and shift on 36 nodes, on both trees: flows, and packets behind them."""
    figure = Figure(figsize=(9.5, 4.2), layout="constrained")
    panels = figure.subplots(
        1, len(CROWDED), sharey=True, width_ratios=[len(each) for each in CROWDED.values()]
    )
    for axes, (tree, names) in zip(panels, CROWDED.items(), strict=True):
        for k, way in enumerate(traffic.WAYS):
            label, colour = _WAYS[way]
            for method, hatch, shift in (("flow", "", 0), ("packet", "///", 1)):
                heights = [relative(found, method, tree, name, way) for name in names]
                x = [j + (2 * k + shift - 1.5) * 0.2 for j in range(len(names))]
                shown = [height or 0.0 for height in heights]
                axes.bar(
                    x, shown, 0.18, color=colour, hatch=hatch, edgecolor="white", label=f"{label}, {method}s"
                )
                for place, height in zip(x, shown, strict=True):
                    axes.text(place, height + 0.03, f"{height:.2f}", ha="center", fontsize=7)
        axes.axhline(1, color=BLACK, linewidth=0.8)
        axes.set_xticks(
            range(len(names)),
            [cluster.PLACEMENTS[name].replace("leaf ", "leaf\n").replace(", ", ",\n") for name in names],
        )
        axes.tick_params(axis="x", labelsize="small")
        axes.set_title(f"{tree} bisection", fontsize="medium")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("time on 36 nodes, over that without contention")
    panels[0].legend(frameon=False, fontsize="small", loc="upper left")
    return figure


def relative(found: Found, method: str, tree: str, placement: str, way: str) -> float | None:
    """Time on 36 nodes over that of the same exchange without contention: packed, in order, full tree."""
    nodes = NODES[-1]
    m = GLOBAL_M if method == "packet" else GLOBAL_M * nodes
    time = found.simulated(Simulation(nodes, m, way, placement, tree, method))
    free = found.simulated(Simulation(nodes, m, way, "packed", "full", method))
    return time / free if time and free else None


def _core(found: Mapping[int, Measured | None]) -> Times:
    return {nodes: None if each is None else each.core_seconds for nodes, each in found.items()}


def _published(table: str, m: int) -> Times:
    return dict(zip(NODES, seconds(table, str(m)), strict=True))


def _curve(axes: Axes, values: Times, style: str, colour: str, label: str) -> None:
    there = {nodes: value for nodes, value in values.items() if value}
    if there:
        x, y = list(there), list(there.values())
        axes.plot(x, y, style, color=colour, label=label, markersize=5, fillstyle="none")


def _scale(axes: Axes, columns: Sequence[int] = NODES) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(FixedLocator(columns))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("nodes N")
    axes.set_ylabel("seconds")
    axes.grid(color=GREY, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small")
