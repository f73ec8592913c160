"""The picture: the slowdown of frames and exchanges, in panels by number of ranks."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from sortlast.plot.figure import BLUE, GREY, ORANGE, SKY, VERMILION
from sortlast.plot.panels import legend_below, lines_behind, panels
from sortlast_studies.beside.jobs import ALGORITHMS, FABRICS, RADIX, SHIFT, SWAP, WIDE
from sortlast_studies.beside.terms import EXCHANGE, FRAME, Terms, face
from sortlast_studies.table import Table

_STYLES = {SHIFT: (BLUE, "o"), WIDE: (SKY, "^"), SWAP: (VERMILION, "s"), RADIX: (ORANGE, "D")}
_APART = 0.18  # distance of the algorithms within a row


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name."""
    return {"beside": beside(table)}


def beside(table: Table) -> Figure:
    """One row per fabric and size of faces, one mark per algorithm."""
    terms = Terms(table)
    figure, rows = panels(
        9.6,
        0.9 + sum(_height(terms, p) for p in terms.ranks),
        rows=len(terms.ranks),
        columns=2,
        sharex=True,
        sharey="row",
        height_ratios=[_height(terms, p) for p in terms.ranks],
    )
    for row, p in zip(rows, terms.ranks, strict=True):
        sizes = terms.sizes[p]
        places = [(fabric, size) for fabric in FABRICS for size in sizes]
        heights = np.array([-k - k // len(sizes) * 0.6 for k in range(len(places))])
        for axes, what in zip(row, (FRAME, EXCHANGE), strict=True):
            axes.axvline(1, color=GREY)
            for k, algorithm in enumerate(ALGORITHMS):
                colour, marker = _STYLES[algorithm]
                values = [terms.slower(what, p, fabric, algorithm, size) for fabric, size in places]
                shifted = heights + _APART * (1.5 - k)
                axes.plot(values, shifted, marker, color=colour, label=algorithm, markersize=5, clip_on=False)
            axes.set_yticks(heights, [f"{fabric}, {face(size)}" for fabric, size in places])
            axes.set_title(f"{what}, {p} ranks", fontsize="medium")
            axes.set_xlim(left=0.95)
            lines_behind(axes)
    for axes, what in zip(rows[-1], (FRAME, EXCHANGE), strict=True):
        axes.set_xlabel(f"time of the {what} during the other, over its time alone")
    legend_below(figure, rows[0][0], len(_STYLES))
    return figure


def _height(terms: Terms, p: int) -> float:
    """Inches of the panels for ``p`` ranks."""
    return 0.7 + 0.33 * len(FABRICS) * (len(terms.sizes[p]) + 0.6)
