"""The steps of the study: frames on the fat-tree, frames of the two papers, and a measurement."""

from __future__ import annotations

from sortlast_studies.scale import fat_tree, k_computer, kendall, machine
from sortlast_studies.steps import Step


def steps(quick: bool) -> list[Step]:
    """All steps, or only the quick ones."""
    return [*fat_tree.steps(quick), *kendall.steps(quick), *k_computer.steps(quick), machine.step()]
