"""The study as a value: converts the frame times to rows."""

from __future__ import annotations

from sortlast_studies.steps import Results
from sortlast_studies.study import Study
from sortlast_studies.table import Table
from sortlast_studies.vectors import terms
from sortlast_studies.vectors.jobs import LINK, PIXEL_BYTES, SEED, cells
from sortlast_studies.vectors.steps import steps


def tabulate(results: Results, quick: bool) -> Table:
    """The table of all runs."""
    table = Table()
    for cell in cells(quick):
        row = terms.job(cell.fabric, cell.placement)
        for column, found in results[cell.name].items():
            table.add(terms.times(cell.p), row, column, found["ms"], "ms", "simulated", note=found["name"])
    return table


STUDY = Study(
    package="sortlast_studies.vectors",
    steps=steps,
    tabulate=tabulate,
    settings={"seed": SEED, "link_bytes_per_second": LINK, "pixel_bytes": PIXEL_BYTES},
    terms=terms.Terms,
)
