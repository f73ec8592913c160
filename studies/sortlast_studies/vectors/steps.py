"""The steps of the study, one per job."""

from __future__ import annotations

from sortlast_studies.steps import Step
from sortlast_studies.vectors.jobs import cells


def steps(quick: bool) -> list[Step]:
    """All jobs, or only the jobs of the quick study."""
    return [Step(cell.name, cell.simulate, cell.work) for cell in cells(quick)]
