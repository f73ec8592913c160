"""Table 1: the published terms evaluated, beside what our schedules cost as they are walked.

p: ranks; n: pixels; alpha: of a message; beta: of a pixel. Nothing of ours comes from the published terms:
messages and pixels are counted in the programs of all ranks, and the rank that takes longest counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isclose, log2

from sortlast import schedule
from sortlast.study.document import Grid
from sortlast.study.shift_based.published import values

ALGORITHMS = ("direct-send", "binary-swap", "2-3-swap", "radix-k", "parallel-pipeline", "shift")
POWERS = (2, 4, 8, 16, 32, 64, 128)
OTHERS = (3, 5, 6, 7, 12, 17, 24, 36, 100, 144)
POWERS_ONLY = frozenset({"binary-swap"})  # whose published terms are of powers of two
_PIXELS = 5040  # of a rank's piece
_ROUNDING = 1e-9
_CALLED = {"2-3-swap": "2-3 swap", "parallel-pipeline": "pipeline"}  # in sentences

# The terms that Table 1 uses, of p and of radix-k's radices.
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
    """Multiples of alpha and of n beta."""

    latency: float
    transfer: float


@dataclass(frozen=True)
class Ratios:
    """Ours over the published, from the least to the greatest of some numbers of ranks."""

    least: float
    most: float

    @property
    def equal(self) -> bool:
        """Whether ours is the published one at all of them."""
        return isclose(self.least, 1, rel_tol=_ROUNDING) and isclose(self.most, 1, rel_tol=_ROUNDING)

    @property
    def text(self) -> str:
        """For a cell or a sentence."""
        if self.equal:
            return "equal"
        least, most = f"{self.least:.2f}", f"{self.most:.2f}"
        return least if least == most else f"{least} to {most}"


@dataclass(frozen=True)
class Row:
    """A row of Table 1: ours over the published at all numbers of ranks."""

    name: str
    latency: Ratios
    transfer: Ratios

    @property
    def equal(self) -> bool:
        """Whether both terms are the published ones at all of them."""
        return self.latency.equal and self.transfer.equal


def walked(name: str, p: int, *, commutes: bool = False) -> Cost:
    """What our schedule of p ranks costs, counted from the programs of all ranks."""
    n = _PIXELS * p
    made = schedule.make(name, p=p, n=n, commutes=commutes)

    def only(alpha: float, beta: float) -> float:
        return schedule.price(made, alpha=alpha, beta=beta, gamma=0.0).wait

    return Cost(only(1, 0), only(0, 1) / n)


def published(name: str, p: int) -> Cost:
    """The published terms at p ranks; of radix-k with the radices that the library takes."""
    made = schedule.make(name, p=p, n=p).name
    radices = [int(k) for k in made.partition(":")[2].split(",")] if name == "radix-k" else []
    latency, transfer, _ = values()["table_1"][name]
    return Cost(_TERMS[latency](p, radices), _TERMS[transfer](p, radices))


def counts(name: str) -> Sequence[int]:
    """The numbers of ranks at which an algorithm is compared."""
    return POWERS if name in POWERS_ONLY else sorted([*POWERS, *OTHERS])


@cache
def rows() -> Sequence[Row]:
    """Every algorithm of the table."""
    return [compare(name) for name in ALGORITHMS]


def compare(name: str, *, commutes: bool = False) -> Row:
    """One algorithm of the table; with an operator that commutes where wanted."""
    pairs = [(walked(name, p, commutes=commutes), published(name, p)) for p in counts(name)]
    latency = [ours.latency / theirs.latency for ours, theirs in pairs]
    transfer = [ours.transfer / theirs.transfer for ours, theirs in pairs]
    return Row(name, *(Ratios(min(each), max(each)) for each in (latency, transfer)))


def grid() -> Grid:
    """Table 1 with the ratios of ours."""
    body = []
    for row in rows():
        latency, transfer, overlap = values()["table_1"][row.name]
        body.append([row.name, latency, row.latency.text, transfer, row.transfer.text, overlap])
    head = [
        "",
        "latency, published",
        "ours / published",
        "transfer, published",
        "ours / published",
        "overlap, published",
    ]
    return Grid("Table 1. Communication and computation costs", head, body, first_number=6)


def near() -> str:
    """How near, in a sentence without its end: rows that are equal, and the ratios of the others."""
    different = [row for row in rows() if not row.equal]
    equal = len(rows()) - len(different)
    ratios = (f"{row.name} latency {row.latency.text}, transfer {row.transfer.text}" for row in different)
    return "; ".join([f"{equal} of {len(rows())} rows equal at {_where()}", *ratios])


def why() -> str:
    """Why rows differ, in a sentence without its end; empty if none does."""
    return "; ".join(_why(row) for row in rows() if not row.equal)


def _where() -> str:
    every = sorted([*POWERS, *OTHERS])
    alone = " and ".join(sorted(POWERS_ONLY))
    return (
        f"{len(every)} numbers of ranks from {every[0]} to {every[-1]} ({alone} at the {len(POWERS)} powers "
        "of two)"
    )


def _why(row: Row) -> str:
    name = _CALLED.get(row.name, row.name)
    most = max(row.latency.most, row.transfer.most)
    if most <= 1 + _ROUNDING:
        how = f"our {name} costs less than published"
    elif min(row.latency.least, row.transfer.least) >= 1 - _ROUNDING:
        how = f"our {name} costs up to {most:.2f} times as much as published"
    else:
        how = f"our {name} differs from the published one"
    return f"{how}, {_reason(row)}"


def _reason(row: Row) -> str:
    if row.name == "parallel-pipeline" and compare(row.name, commutes=True).equal:
        return (
            "because an operator such as over may not join the two ends of its ring; with one that commutes "
            "it is equal"
        )
    if row.name == "2-3-swap" and all(walked(row.name, p) == walked("binary-swap", p) for p in POWERS):
        return (
            "because the published terms are bounds for any p; at powers of two our groups are all of two, "
            "as in binary swap, and at others some are of three"
        )
    return "for a reason that is not known"
