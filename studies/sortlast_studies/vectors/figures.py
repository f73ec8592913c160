"""The picture: the time of each choice relative to the choice with the fabric known, by number of ranks."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from sortlast.plot.figure import BLACK, BLUE, GREY, ORANGE, VERMILION
from sortlast.plot.panels import legend_below, lines_behind, panels
from sortlast_studies.table import Table
from sortlast_studies.vectors.terms import AUTO, BEST, KNOWN, TARGET, WORST, Terms, times

_STYLES = {BEST: (BLUE, "o"), TARGET: (VERMILION, "s"), AUTO: (ORANGE, "D"), WORST: (BLACK, "x")}


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name."""
    return {"vectors": vectors(table)}


def vectors(table: Table) -> Figure:
    """One row per job, one mark per choice."""
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
        axes.set_xlabel("time relative to the choice with the fabric")
        lines_behind(axes)
    legend_below(figure, row[0], len(_STYLES))
    return figure
