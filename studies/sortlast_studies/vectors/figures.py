"""The picture: the time of each choice over that with the fabric known, a panel for each number of ranks."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from sortlast.plot.figure import BLACK, BLUE, GREY, ORANGE, VERMILION
from sortlast.plot.panels import legend_below, lines_behind, panels
from sortlast_studies.table import Table
from sortlast_studies.vectors.terms import AUTO, BEST, KNOWN, TARGET, WORST, Terms, times

_STYLES = {BEST: (BLUE, "o"), TARGET: (VERMILION, "s"), AUTO: (ORANGE, "D"), WORST: (BLACK, "x")}


def draw(table: Table) -> dict[str, Figure]:
    """Every picture of the report by the name of its file."""
    return {"vectors": vectors(table)}


def vectors(table: Table) -> Figure:
    """A row a job, a mark a choice."""
    ranks = Terms(table).ranks
    figure, [row] = panels(1.8 + 4.2 * len(ranks), 4.6, columns=len(ranks), sharey=True)
    for axes, p in zip(row, ranks, strict=True):
        jobs = table.rows(times(p))
        places = np.arange(len(jobs))[::-1]
        best = [table.value(times(p), each, KNOWN) for each in jobs]
        axes.axvline(1, color=GREY)
        for column, (colour, marker) in _STYLES.items():
            ratios = [
                table.value(times(p), each, column) / known for each, known in zip(jobs, best, strict=True)
            ]
            axes.plot(ratios, places, marker, color=colour, label=column, clip_on=False)
        axes.set_yticks(places, jobs)
        axes.set_xlim(left=0.95)
        axes.set_title(f"{p} ranks", fontsize="medium")
        axes.set_xlabel("time over that with the fabric known")
        lines_behind(axes)
    legend_below(figure, row[0], len(_STYLES))
    return figure
