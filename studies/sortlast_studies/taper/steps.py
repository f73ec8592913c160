"""The steps of the study, one per cell."""

from __future__ import annotations

from sortlast_studies.steps import Step
from sortlast_studies.taper import failures, leaves, patterns, placement, sweep


def steps(quick: bool) -> list[Step]:
    """All cells, or only the cells of the quick study."""
    return [
        Step(cell.name, cell.simulate, cell.work)
        for part in (sweep, placement, patterns, leaves, failures)
        for cell in part.cells(quick)
    ]
