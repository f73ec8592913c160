"""The steps of the study, one per run."""

from __future__ import annotations

from sortlast_studies.beside.jobs import cells
from sortlast_studies.steps import Step


def steps(quick: bool) -> list[Step]:
    """All runs, or only the runs of the quick study."""
    return [Step(cell.name, cell.simulate, cell.work) for cell in cells(quick)]
