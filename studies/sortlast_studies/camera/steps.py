"""The steps of the study: a cell each."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast_studies.camera.cells import cells
from sortlast_studies.steps import Step


def steps(ranks: Sequence[int], quick: bool) -> list[Step]:
    """All cells of jobs of so many ranks, or those of the quick study."""
    return [Step(cell.name, cell.compute, cell.work) for cell in cells(ranks, quick)]
