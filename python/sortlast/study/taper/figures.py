"""The pictures: performance and performance per cost against taper, and what missing cables take away."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from sortlast.plot.figure import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, VERMILION
from sortlast.study.study import Results
from sortlast.study.taper import failures, sweep, trees
from sortlast.study.taper.choice import label
from sortlast.study.taper.frames import FLOW, SCHEDULES, Way

_STYLES = {
    "shift": (BLUE, "o", "-"),
    "direct-send": (SKY, "s", "-"),
    "radix-k": (VERMILION, "^", "-"),
    "binary swap": (ORANGE, "D", "-"),
    "2-3 swap": (BLACK, "", ":"),
    "pipeline": (GREEN, "v", "-"),
}
_ROUTING_STYLES = {
    "minhop": (VERMILION, "s"),
    "ftree, told the roots": (BLUE, "o"),
    "adaptive": (GREEN, "^"),
}


def against_taper(results: Results, quick: bool) -> Figure:
    """A column of panels for each way of simulation: frames a second above, below them per cost."""
    shown = [way for way in sweep.ways(quick) if way is not FLOW]
    figure = Figure(figsize=(3.6 * len(shown), 6.4), layout="constrained")
    grid = figure.subplots(2, len(shown), sharex=True, sharey="row", squeeze=False)
    for column, way in enumerate(shown):
        _performance(grid[0][column], grid[1][column], results, way, quick)
        grid[0][column].set_title(way.about.replace(" pixels, ", " pixels,\n", 1), fontsize="medium")
        grid[1][column].set_xlabel("taper: ports down to ports up")
    for row in grid:
        row[0].set_ylim(bottom=0)  # of all panels of the row, after what they show is known
    grid[0][0].set_ylabel("frames a second,\nfastest on the fat-tree = 1")
    grid[1][0].set_ylabel("the same over cost,\nthe fat-tree costs 1")
    handles = grid[0][0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=len(SCHEDULES), frameon=False)
    figure.suptitle("Compositing on thin-trees of 512 nodes", fontsize="medium")
    return figure


def against_failures(results: Results, quick: bool) -> Figure:
    """A panel for each network and schedule, a line for each routing: mean, and down to the least."""
    networks = failures.networks(quick)
    columns = len(failures.SCHEDULES)
    figure = Figure(figsize=(3.3 * columns, 0.9 + 2.5 * len(networks)), layout="constrained")
    grid = figure.subplots(len(networks), columns, sharex=True, sharey=True, squeeze=False)
    percents = failures.shares(quick)
    for net, row in zip(networks, grid, strict=True):
        for schedule, axes in zip(failures.SCHEDULES, row, strict=True):
            intact = failures.intact(results, net, schedule, quick)
            for routing, (colour, marker) in _ROUTING_STYLES.items():
                found = [failures.fps(results, net, each, routing, schedule, quick) for each in percents]
                mean, least = ([fps[k] / intact for fps in found] for k in (0, 1))
                axes.plot(percents, mean, color=colour, marker=marker, markersize=4, label=routing)
                axes.fill_between(percents, least, mean, color=colour, alpha=0.2, linewidth=0)
            axes.set_title(f"{schedule}, {label(net)}", fontsize="medium")
            _plain(axes)
    grid[0][0].set_ylim(bottom=0)  # of all panels, after what they show is known
    for axes in grid[-1]:
        axes.set_xticks(percents)
        axes.set_xlabel("missing links, %")
    for row in grid:
        row[0].set_ylabel("frames a second,\nintact with ftree = 1")
    handles = grid[0][0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _performance(above: Axes, below: Axes, results: Results, way: Way, quick: bool) -> None:
    networks = sweep.networks(quick)
    narrowing = [net.narrowing for net in networks]
    costs = [trees.by_square(net) / trees.by_square(trees.REFERENCE) for net in networks]
    top = max(sweep.fps(results, way, trees.REFERENCE, schedule) for schedule in SCHEDULES)
    for schedule, (colour, marker, line) in _STYLES.items():
        share = [sweep.fps(results, way, net, schedule) / top for net in networks]
        per_cost = [part / cost for part, cost in zip(share, costs, strict=True)]
        for axes, values in ((above, share), (below, per_cost)):
            axes.plot(
                narrowing, values, color=colour, marker=marker, markersize=4, linestyle=line, label=schedule
            )
    for axes in (above, below):
        axes.set_xscale("log", base=2)
        axes.set_xticks(narrowing, [label(net) for net in networks], fontsize="x-small", rotation=60)
        axes.xaxis.set_minor_locator(NullLocator())
        _plain(axes)


def _plain(axes: Axes) -> None:
    axes.grid(color=GREY, alpha=0.25)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
