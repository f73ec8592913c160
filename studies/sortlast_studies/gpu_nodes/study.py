"""The study as a value: converts the frame times to rows."""

from __future__ import annotations

from sortlast_studies.gpu_nodes import frames, terms
from sortlast_studies.gpu_nodes.networks import LINK
from sortlast_studies.gpu_nodes.steps import steps
from sortlast_studies.steps import Results
from sortlast_studies.study import Study
from sortlast_studies.table import Table


def tabulate(results: Results, quick: bool) -> Table:
    """The table of all runs."""
    table = Table()
    within = frames.seconds_within()
    for cell in frames.cells(quick):
        found = results[cell.name]
        item = terms.frames(cell.network, cell.cabling)
        table.add(
            item,
            cell.nodes,
            cell.algorithm,
            1e3 * (within + found["seconds"]),
            "ms",
            "simulated",
            note=found["name"],
        )
    table.add(terms.WITHIN, "", "", 1e3 * within, "ms", "computed")
    return table


STUDY = Study(
    package="sortlast_studies.gpu_nodes",
    steps=steps,
    tabulate=tabulate,
    settings={
        "link_bytes_per_second": LINK,
        "inside_bytes_per_second": frames.INSIDE,
        "blend_bytes_per_second": frames.BLENDING,
        "message_seconds": frames.MESSAGE,
        "pixel_bytes": frames.PIXEL_BYTES,
    },
    terms=terms.Terms,
)
