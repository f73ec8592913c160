"""The steps of the study: the frames of today, those of the two papers, and the machine measured again."""

from __future__ import annotations

from sortlast_studies.scale import fat_tree, k_computer, kendall, machine
from sortlast_studies.steps import Step


def steps(quick: bool) -> list[Step]:
    """All steps, or the quick ones."""
    return [*fat_tree.steps(quick), *kendall.steps(quick), *k_computer.steps(quick), machine.step()]
