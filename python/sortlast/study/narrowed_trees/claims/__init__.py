"""What the text of Navaridas et al., sections 4 to 6, claims, each held against our figures.

The text speaks of "many" cases and of networks that perform "equally well"; ``words`` fixes what that means.
A claim whose sizes were not all simulated, or that this study has no experiment for, is undecided.
"""

from __future__ import annotations

from sortlast.study.narrowed_trees.claims import words
from sortlast.study.narrowed_trees.claims.claim import Claim, Verdict
from sortlast.study.narrowed_trees.claims.conclusions import CONCLUSIONS
from sortlast.study.narrowed_trees.claims.performance_cost import PERFORMANCE_COST
from sortlast.study.narrowed_trees.claims.same_radix import SAME_RADIX
from sortlast.study.narrowed_trees.claims.same_size import SAME_SIZE
from sortlast.study.narrowed_trees.performance import Times

CLAIMS: tuple[Claim, ...] = (*SAME_SIZE, *SAME_RADIX, *PERFORMANCE_COST, *CONCLUSIONS)

__all__ = ["CLAIMS", "Claim", "Verdict", "judge", "words"]


def judge(times: Times) -> list[tuple[Claim, Verdict]]:
    """Every claim with its verdict, in the order of the text."""
    return [(claim, claim.judge(times)) for claim in CLAIMS]
