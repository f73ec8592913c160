"""The steps of the study, in the order of the paper's figures, except that measurements are last."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast_studies.radix_k import cluster, later, live, profile, scaling, services, vectors
from sortlast_studies.steps import Step


def steps(quick: bool, asked: Sequence[Step] = ()) -> list[Step]:
    """All simulations and measurements, with additional frames; quick: fewer and smaller ones."""
    return [
        *scaling.steps(quick),
        *asked,
        *vectors.steps(),
        *services.steps(quick),
        *cluster.steps(quick),
        *later.steps(quick),
        *profile.steps(quick),
        *live.steps(quick),
    ]
