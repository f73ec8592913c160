"""Table 1, Figures 2 and 3: the published terms, and the costs counted in our schedules.

p: ranks; n: pixels; alpha: time per message; beta: time per pixel. Our costs do not use the published terms:
messages and pixels are counted in the programs of all ranks, and the slowest rank counts.

The paper counts n in data items and prints beta = 0.53 ns, which is the time per byte (1800 MB/s): a pixel
of 16 bytes takes 16 times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from sortlast import schedule
from sortlast.cost import Network, communication_time
from sortlast_studies.shift_based.cluster import PACKAGE
from sortlast_studies.table import published

ALGORITHMS = ("direct-send", "binary-swap", "2-3-swap", "radix-k", "parallel-pipeline", "shift")
POWERS = (2, 4, 8, 16, 32, 64, 128)
OTHERS = (3, 5, 6, 7, 12, 17, 24, 36, 100, 144)
POWERS_ONLY = frozenset({"binary-swap"})  # published terms only for powers of two
CURVES = tuple(2**k for k in range(1, 16))  # ranks of Figures 2 and 3
PRICED = (16, 64, 128)  # ranks; powers of two, for which binary swap has a closed form
_PIXELS = 5040  # per rank

# The terms of Table 1 as functions of p and the radices of radix-k.
_TERMS: Mapping[str, Callable[[int, Sequence[int]], float]] = {
    "alpha (p-1)": lambda p, k: p - 1,
    "alpha log2(p)": lambda p, k: log2(p),
    "4 alpha log2(p)": lambda p, k: 4 * log2(p),
    "alpha sum(k_i - 1)": lambda p, k: sum(each - 1 for each in k),
    "beta n (p-1)/p": lambda p, k: (p - 1) / p,
    "1.3 beta n (p-1)/p": lambda p, k: 1.3 * (p - 1) / p,
}


@dataclass(frozen=True)
class Cost:
    """Cost as multiples of alpha and of n beta."""

    latency: float
    transfer: float


def walked(name: str, p: int, *, commutes: bool = False) -> Cost:
    """The cost of our schedule on p ranks, counted in the programs of all ranks."""
    n = _PIXELS * p
    made = schedule.make(name, p=p, n=n, commutes=commutes)

    def only(alpha: float, beta: float) -> float:
        return schedule.price(made, alpha=alpha, beta=beta, gamma=0.0).wait

    return Cost(only(1, 0), only(0, 1) / n)


def by_terms(name: str, p: int) -> Cost:
    """The published terms at p ranks; for radix-k with the library's default radices."""
    made = schedule.make(name, p=p, n=p).name
    radices = [int(k) for k in made.partition(":")[2].split(",")] if name == "radix-k" else []
    latency, transfer = (published(PACKAGE).note("Table 1", name, term) for term in ("latency", "transfer"))
    return Cost(_TERMS[latency](p, radices), _TERMS[transfer](p, radices))


def counts(name: str) -> Sequence[int]:
    """The numbers of ranks at which an algorithm is compared."""
    return POWERS if name in POWERS_ONLY else sorted([*POWERS, *OTHERS])


def compare(name: str, *, commutes: bool = False) -> dict[str, list[float]]:
    """Our latency and transfer divided by the published ones, at each number of ranks."""
    pairs = [(walked(name, p, commutes=commutes), by_terms(name, p)) for p in counts(name)]
    return {
        "latency": [ours.latency / theirs.latency for ours, theirs in pairs],
        "transfer": [ours.transfer / theirs.transfer for ours, theirs in pairs],
    }


# --- Figures 2 and 3 ----------------------------------------------------------------------------------


def network() -> Network:
    """The network of Figures 2 and 3."""
    given = {row: published(PACKAGE).value("Figures 2 and 3", row) for row in ("alpha", "beta")}
    n, pixel_bytes = (
        int(published(PACKAGE).value("Figures 2 and 3", row)) for row in ("pixels", "bytes of a pixel")
    )
    return Network(n, pixel_bytes, given["alpha"], 1 / given["beta"])


def degradation() -> float:
    """The fraction of the bandwidth that is lost to contention in Figure 3."""
    return published(PACKAGE).value("Figures 2 and 3", "bandwidth that contention takes")


def priced(name: str, p: int) -> tuple[float, float]:
    """Seconds of communication on that network: the closed form, and our schedule priced step by step."""
    given = network()
    made = schedule.make(name, p=p, n=given.n)
    ours = schedule.price(made, alpha=given.alpha, beta=given.beta, gamma=0.0).wait
    return communication_time(name, p, given), ours


def latency_share(p: int) -> float:
    """The fraction of shift's time in Figure 2 that is latency."""
    return network().alpha * (p - 1) / communication_time("shift", p, network())
