"""The steps of the study: a frame each."""

from __future__ import annotations

from sortlast_studies.gpu_nodes.frames import cells
from sortlast_studies.steps import Step


def steps(quick: bool) -> list[Step]:
    """All frames, or those of few nodes."""
    return [Step(cell.name, cell.simulate, cell.work) for cell in cells(quick)]
