"""The study as a value: converts the results of its runs to rows."""

from __future__ import annotations

from sortlast_studies.beside import terms
from sortlast_studies.beside.jobs import LINK, PIXEL_BYTES, cells
from sortlast_studies.beside.steps import steps
from sortlast_studies.steps import Results
from sortlast_studies.study import Study
from sortlast_studies.table import Table


def tabulate(results: Results, quick: bool) -> Table:
    """The table of all runs."""
    table = Table()
    for cell in cells(quick):
        row, found = terms.pair(cell.fabric, cell.algorithm), results[cell.name]
        for what in terms.QUANTITIES:
            table.add(terms.times(what, cell.p), row, terms.face(cell.size), found[what], "ms", "simulated")
    return table


STUDY = Study(
    package="sortlast_studies.beside",
    steps=steps,
    tabulate=tabulate,
    settings={"link_bytes_per_second": LINK, "pixel_bytes": PIXEL_BYTES},
    terms=terms.Terms,
)
