"""Table 1 and section 3.2: the lower bounds, and what schedules cost as they are walked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log2

from sortlast.schedule import make, price
from sortlast.study.radix_k.published import published

PROCESSES = 64
SCHEDULES = ("binary-swap", "radix-k:8,8", "radix-k:4,4,4", "direct-send")
_PIXELS = 64 * 1024  # a multiple of the processes, so that pieces are equal

# The terms that Table 1 uses, of p.
_TERMS: Mapping[str, Callable[[int], float]] = {
    "log2(p)": log2,
    "1": lambda p: 1,
    "(p-1)/p": lambda p: (p - 1) / p,
    "2 (p-1)/p": lambda p: 2 * (p - 1) / p,
}


@dataclass(frozen=True)
class Cost:
    """Multiples of alpha, of n beta and of n gamma."""

    latency: float
    bandwidth: float
    computation: float


def lower_bounds(p: int) -> dict[str, Cost]:
    """The published bounds at p processes, by name of the collective."""
    rows = published()["table_1"]["rows"]
    return {name: Cost(*(_TERMS[term](p) for term in terms)) for name, terms in rows.items()}


def walked(name: str, p: int) -> Cost:
    """What a schedule of p ranks costs, counted from the programs of all ranks; alpha once a round."""
    made = make(name, p=p, n=_PIXELS)

    def only(alpha: float, beta: float, gamma: float) -> float:
        return price(made, alpha=alpha, beta=beta, gamma=gamma, latency="per_round").total

    return Cost(only(1, 0, 0), only(0, 1, 0) / _PIXELS, only(0, 0, 1) / _PIXELS)
