"""The steps of the study: a job each."""

from __future__ import annotations

from sortlast_studies.steps import Step
from sortlast_studies.vectors.jobs import cells


def steps(quick: bool) -> list[Step]:
    """All jobs, or those of the quick study."""
    return [Step(cell.name, cell.simulate, cell.work) for cell in cells(quick)]
