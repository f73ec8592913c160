"""The steps of the study, one per frame."""

from __future__ import annotations

from sortlast_studies.gpu_nodes.frames import cells
from sortlast_studies.steps import Step


def steps(quick: bool) -> list[Step]:
    """All frames, or only frames on few nodes."""
    return [Step(cell.name, cell.simulate, cell.work) for cell in cells(quick)]
