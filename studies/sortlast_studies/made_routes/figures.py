"""The picture: frames per second under both tables, one panel for each number of nodes."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from sortlast.plot.figure import BLUE, GREY
from sortlast.plot.panels import legend_below, lines_behind, panels
from sortlast_studies.made_routes.terms import MADE_RATE, USUAL_RATE, Terms, of_nodes
from sortlast_studies.table import Table

_HEIGHT = 0.38  # of a bar


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name."""
    return {"rates": rates(table)}


def rates(table: Table) -> Figure:
    """Two bars per schedule."""
    nodes = Terms(table).nodes
    figure, [row] = panels(2.9 * len(nodes), 3.4, columns=len(nodes), sharex=True)
    for axes, p in zip(row, nodes, strict=True):
        names = table.rows(of_nodes(p))
        places = np.arange(len(names))[::-1]
        for offset, column, colour, label in (
            (_HEIGHT / 2, USUAL_RATE, GREY, "tables of ftree"),
            (-_HEIGHT / 2, MADE_RATE, BLUE, "tables made for the schedule"),
        ):
            values = [table.value(of_nodes(p), name, column) for name in names]
            axes.barh(places + offset, values, _HEIGHT, color=colour, label=label)
        axes.set_yticks(places, names)
        axes.set_title(f"{p} nodes", fontsize="medium")
        axes.set_xlabel("frames/s")
        lines_behind(axes, "x")
    legend_below(figure, row[0], 2)
    return figure
