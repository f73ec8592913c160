"""The picture: the best frame of each network and cabling, and its ratio to the best on one switch."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sortlast.plot.figure import BLACK, BLUE, GREY, ORANGE, VERMILION
from sortlast.plot.panels import legend_below, lines_behind, panels
from sortlast_studies.gpu_nodes.networks import BY_NODE, CROSSBAR, DRAGONFLY, FAT, HALF
from sortlast_studies.gpu_nodes.terms import MATTERS, Terms
from sortlast_studies.table import Table

_COLOURS = {FAT: BLUE, HALF: ORANGE, DRAGONFLY: VERMILION}


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name."""
    return {"gpu-nodes": gpu_nodes(Terms(table))}


def gpu_nodes(terms: Terms) -> Figure:
    """Milliseconds on the left, ratios to one switch on the right."""
    figure, [[left, right]] = panels(9.4, 4.4, columns=2)
    one = [terms.best(CROSSBAR, BY_NODE, nodes)[0] for nodes in terms.nodes]
    left.plot(terms.nodes, one, "-", color=BLACK, label=CROSSBAR)
    for network, cabling in terms.places:
        style = {
            "color": _COLOURS[network],
            "linestyle": "-" if cabling == BY_NODE else "--",
            "marker": "o" if cabling == BY_NODE else "s",
            "label": f"{network}, {cabling}",
        }
        best = [terms.best(network, cabling, nodes)[0] for nodes in terms.nodes]
        left.plot(terms.nodes, best, **style)
        right.plot(terms.nodes, [terms.over(network, cabling, nodes) for nodes in terms.nodes], **style)
    right.axhline(MATTERS, color=GREY)
    _name(left, "time of the best frame [ms]", terms.nodes)
    _name(right, "time relative to one switch", terms.nodes)
    legend_below(figure, left, 3)
    return figure


def _name(axes: Axes, what: str, nodes: list[int]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(nodes, [str(each) for each in nodes])
    axes.set_xlabel("nodes of eight GPUs")
    axes.set_ylabel(what)
    axes.set_ylim(bottom=0)
    lines_behind(axes)
