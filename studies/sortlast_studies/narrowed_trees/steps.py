"""The steps of the study: a cell each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sortlast_studies.narrowed_trees.workloads import QUICK_SIZES, SIZES, cells, packets, simulated
from sortlast_studies.steps import Step


def steps(sizes: Sequence[int] | None, seed: int, ties: str, quick: bool) -> list[Step]:
    """Of some sizes of messages, or of those of the quick or the whole study."""
    chosen = sizes or (QUICK_SIZES if quick else SIZES)
    return [
        Step(cell.name, partial(simulated, cell, seed, ties), work=packets(cell))
        for cell in cells(tuple(sorted(set(chosen))))
    ]
