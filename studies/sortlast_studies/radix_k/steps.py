"""The steps of the study, in the order of the paper's figures but for what is measured, which comes last."""

from __future__ import annotations

from sortlast_studies.radix_k import cluster, later, live, profile, scaling, vectors
from sortlast_studies.steps import Step


def steps(quick: bool) -> list[Step]:
    """All that is simulated and measured; the quick ones are smaller, and fewer."""
    return [
        *scaling.steps(quick),
        *vectors.steps(),
        *cluster.steps(quick),
        *later.steps(quick),
        *profile.steps(quick),
        *live.steps(quick),
    ]
