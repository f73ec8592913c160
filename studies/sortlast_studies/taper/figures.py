"""The pictures: performance and performance per cost against taper, and the loss by missing cables."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sortlast.plot.figure import BLACK, BLUE, GREEN, ORANGE, SKY, VERMILION
from sortlast.plot.panels import legend_below, lines_behind, panels
from sortlast_studies.table import Table
from sortlast_studies.taper.failures import SCHEDULES as FAILING
from sortlast_studies.taper.frames import SCHEDULES, Way
from sortlast_studies.taper.terms import MISSING, Terms, rates
from sortlast_studies.taper.trees import REFERENCE, label

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


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name."""
    return {"taper": against_taper(table), "failures": against_failures(table)}


def against_taper(table: Table) -> Figure:
    """One column of panels per way of simulation: frame rates above, frame rates per cost below."""
    shown = Terms(table).timed
    figure, grid = panels(3.6 * len(shown), 6.4, 2, len(shown), sharex=True, sharey="row")
    for column, way in enumerate(shown):
        _performance(grid[0][column], grid[1][column], table, way)
        grid[0][column].set_title(way.about.replace(" pixels, ", " pixels,\n", 1), fontsize="medium")
        grid[1][column].set_xlabel(f"ports up of a switch with {REFERENCE.k} down")
    for row in grid:
        row[0].set_ylim(bottom=0)  # for all panels of the row, when their contents are known
    grid[0][0].set_ylabel("frames/s relative to the\nfastest on the fat-tree")
    grid[1][0].set_ylabel("the same over the cost\nrelative to fat-trees")
    legend_below(figure, grid[0][0], 2 * len(shown))
    return figure


def against_failures(table: Table) -> Figure:
    """One panel per network and schedule, one line per routing: mean, shaded down to the minimum."""
    terms = Terms(table)
    networks = list(dict.fromkeys(row.split(", ")[0] for row in table.rows(MISSING)))
    columns = len(FAILING)
    rows = len(networks)
    figure, grid = panels(3.3 * columns, 0.9 + 2.5 * rows, rows, columns, sharex=True, sharey=True)
    shares = table.columns(MISSING)
    percents = [int(share.split()[0]) for share in shares]
    for net, row in zip(networks, grid, strict=True):
        for schedule, axes in zip(FAILING, row, strict=True):
            intact = terms.intact(net, schedule)
            for routing, (colour, marker) in _ROUTING_STYLES.items():
                found = [terms.rate(MISSING, f"{net}, {schedule}, {routing}", share) for share in shares]
                mean, least = ([fps[k] / intact for fps in found] for k in (0, 1))
                axes.plot(percents, mean, color=colour, marker=marker, markersize=4, label=routing)
                axes.fill_between(percents, least, mean, color=colour, alpha=0.2, linewidth=0)
            axes.set_title(f"{schedule}, {net}", fontsize="medium")
            lines_behind(axes)
    grid[0][0].set_ylim(bottom=0)  # for all panels, when their contents are known
    for axes in grid[-1]:
        axes.set_xticks(percents)
        axes.set_xlabel("missing links, %")
    for row in grid:
        row[0].set_ylabel("frames/s relative to\nthe intact tree, ftree")
    legend_below(figure, grid[0][0], 3)
    return figure


def _performance(above: Axes, below: Axes, table: Table, way: Way) -> None:
    terms = Terms(table)
    networks = terms.thin_trees
    up = [net.up for net in networks]
    costs = [terms.relative_cost(label(net)) for net in networks]
    top = max(table.value(rates(way), schedule, label(REFERENCE)) for schedule in SCHEDULES)
    for schedule, (colour, marker, line) in _STYLES.items():
        share = [table.value(rates(way), schedule, label(net)) / top for net in networks]
        per_cost = [part / cost for part, cost in zip(share, costs, strict=True)]
        for axes, values in ((above, share), (below, per_cost)):
            axes.plot(up, values, color=colour, marker=marker, markersize=4, linestyle=line, label=schedule)
    for axes in (above, below):
        axes.set_xticks(up)
        axes.set_xlim(up[0] + 0.3, up[-1] - 0.3)
        lines_behind(axes)
