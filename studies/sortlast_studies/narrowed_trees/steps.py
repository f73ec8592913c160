"""The steps of the study, one per cell, setting and seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from sortlast_studies.narrowed_trees.models import AS_IS, LIKELY, MODELS, Setting
from sortlast_studies.narrowed_trees.workloads import QUICK_SIZES, SIZES, Cell, cells, packets, simulated
from sortlast_studies.steps import Step

Models = Literal["none", "short", "likely", "all"]
_SEEDED = 1_000  # sizes up to this one run with SEEDS seeds
SEEDS = 3
_SHORT = 10_000  # up to this size every model runs


@dataclass(frozen=True)
class Run:
    """A cell under one setting with one seed."""

    cell: Cell
    setting: Setting
    seed: int

    def name(self, first_seed: int) -> str:
        """The name of its step; with the first model and the first seed, the name of the cell."""
        if self.setting == AS_IS.setting and self.seed == first_seed:
            return self.cell.name
        return f"{self.setting.name}-seed-{self.seed}/{self.cell.name}"


def runs(sizes: Sequence[int], seed: int, models: Models) -> list[Run]:
    """The runs for some sizes, without duplicates, though several models may need the same run."""
    first = [Run(cell, AS_IS.setting, seed) for cell in cells(tuple(sorted(set(sizes))))]
    return list(dict.fromkeys(first + list(_of_models(first, seed, models))))


def _of_models(first: Sequence[Run], seed: int, models: Models) -> Iterator[Run]:
    for model in () if models == "none" else MODELS:
        for cell in (run.cell for run in first):
            setting = model.of(cell.pattern)
            whole = models == "all" or (models == "likely" and model == LIKELY) or setting.one_wave
            if cell.size > _SHORT and not whole:
                continue
            for k in range(SEEDS if cell.size <= _SEEDED else 1):
                yield Run(cell, setting, seed + k)


def steps(sizes: Sequence[int] | None, seed: int, ties: str, models: Models, quick: bool) -> list[Step]:
    """The steps for some sizes of messages, or of the quick or the whole study.

    Args:
        sizes: sizes of messages; None: the sizes of the study.
        seed: the first seed.
        ties: argument of :func:`sortlast.simulate.packet`.
        models: "none" except the first; "short": all with messages of up to 10 KB; "likely": also the likely
            one with all sizes; or "all" with all sizes.
        quick: whether this is the quick study, which has one model.
    """
    wanted = runs(sizes or (QUICK_SIZES if quick else SIZES), seed, "none" if quick else models)
    return [
        Step(
            run.name(seed),
            partial(simulated, run.cell, run.setting, run.seed, ties),
            work=packets(run.cell, run.setting),
        )
        for run in wanted
    ]
