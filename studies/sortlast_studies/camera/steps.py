"""The steps of the study, one per cell."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast_studies.camera.cells import cells
from sortlast_studies.steps import Step


def steps(ranks: Sequence[int], quick: bool) -> list[Step]:
    """All cells of jobs with these numbers of ranks, or only the cells of the quick study."""
    return [Step(cell.name, cell.compute, cell.work) for cell in cells(ranks, quick)]
