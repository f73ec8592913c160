"""Tables 2 to 5 of Navaridas et al., computed, with the published values beside them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import floor
from typing import Any

from sortlast.correlation import spearman
from sortlast.study.narrowed_trees.cost import COUNTS, cost, cost_per_node
from sortlast.study.narrowed_trees.networks import SETS, Network, complete, symmetric_window, used
from sortlast.study.narrowed_trees.performance import (
    COLLECTIVES,
    EQUAL,
    LONG_MESSAGES,
    Times,
    Weights,
)
from sortlast.study.narrowed_trees.workloads import SIZES

_HALF = 1e-9  # by which a value may miss a half and still be one


@dataclass(frozen=True)
class Row:
    """A row of a table: our values, and the published ones if the paper has that row.

    ``digits`` after the point are compared and shown. ``comparable`` is False for sums of fewer sizes than
    the paper's.
    """

    name: str
    computed: Sequence[float]
    published: Sequence[float] | None
    digits: int = 0
    comparable: bool = True

    @property
    def ratios(self) -> list[float] | None:
        """Computed over published."""
        if self.published is None or not self.comparable:
            return None
        return [ours / theirs for ours, theirs in zip(self.computed, self.published, strict=True)]

    @property
    def exact(self) -> bool:
        """Whether all values are the published ones in every digit printed."""
        if self.published is None:
            return False
        return all(
            shown(ours, self.digits) == shown(theirs, self.digits)
            for ours, theirs in zip(self.computed, self.published, strict=True)
        )


def shown(value: float, digits: int) -> str:
    """A value with ``digits`` after the point, halves rounded up as in the paper."""
    scale = 10**digits
    return f"{floor(value * scale + 0.5 + _HALF) / scale:.{digits}f}"


@dataclass(frozen=True)
class Table:
    """One half of a table of the paper."""

    key: str
    title: str
    networks: Sequence[str]
    rows: Sequence[Row]

    def row(self, name: str) -> Row:
        """The row of this name."""
        return next(row for row in self.rows if row.name == name)

    def rank_agreement(self) -> dict[str, float]:
        """Spearman's correlation of the networks' order with the published one, for what is ranked.

        φ is ranked by its Σ, in which the paper has more digits.
        """
        ranked = [row for row in self.rows if row.name.startswith(("Σ", "Perf./Cost"))]
        found = {
            row.name: spearman(row.computed, row.published) for row in ranked if row.published is not None
        }
        return {name: value for name, value in found.items() if value is not None}


@lru_cache(maxsize=1)
def published() -> dict[str, Any]:
    """The published values: ``published.json``."""
    text = files(__package__).joinpath("published.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def characteristics(which: str) -> Table:
    """Table 2a or 2b; the used elements of 2b counted in both ways."""
    nets = SETS[which]
    rows = [_row(f"2{which}", "Switch radix", [net.radix for net in nets])]
    ways: list[tuple[str, str, Callable[[Network], Any]]] = [("", "", complete)]
    if which == "b":
        ways = [
            ("-CN", "", complete),
            ("-U", ", symmetric window", symmetric_window),
            ("-U", ", by count", used),
        ]
    for suffix, how, count in ways:
        for name in ("Switches", "Links", "Nodes"):
            values = [getattr(count(net), name.lower()) for net in nets]
            rows.append(_row(f"2{which}", name + suffix, values, shown=name + suffix + how))
    return Table(f"2{which}", "Characteristics of the topologies", _names(which), rows)


def costs(which: str) -> Table:
    """Table 3a or 3b; the used elements of 3b counted in both ways."""
    nets = SETS[which]
    rows = []
    ways = [("", "", "CN")]
    if which == "b":
        ways = [("-CN", "", "CN"), ("-U", ", symmetric window", "U"), ("-U", ", by count", "U by count")]
    for suffix, how, count in ways:
        total = [cost(net, COUNTS[count](net)) for net in nets]
        each = [cost_per_node(net, count) for net in nets]
        rows.append(_row(f"3{which}", f"Total Cost{suffix}", total, shown=f"Total Cost{suffix}{how}"))
        rows.append(_row(f"3{which}", f"Cost/Node{suffix}", each, shown=f"Cost/Node{suffix}{how}"))
    return Table(f"3{which}", "Total cost, and cost per node, in dollars", _names(which), rows)


def performance_cost(times: Times) -> list[Table]:
    """Tables 4a, 4b, 5a and 5b, without those for which nothing was simulated."""
    wanted = (
        ("4a", "a", EQUAL, ("CN",), "All weights 1, same size"),
        ("4b", "b", EQUAL, ("CN", "U"), "All weights 1, same radix"),
        ("5a", "a", COLLECTIVES, ("CN",), "Collectives: BU and BT alone"),
        ("5b", "b", LONG_MESSAGES, ("U",), "Science: 100 KB alone"),
    )
    made = [weighed(times, *each) for each in wanted]
    return [table for table in made if table is not None]


def weighed(
    times: Times, key: str, which: str, weights: Weights, counts: Sequence[str], title: str
) -> Table | None:
    """Performance and cost under weights; None if all that was simulated weighs nothing.

    ``key`` names the published table, or none.
    """
    nets = SETS[which]
    phi = [times.performance(which, net, weights) for net in nets]
    known = [value for value in phi if value is not None]
    if len(known) < len(nets):
        return None
    # A sum is the paper's sum if the sizes that were not simulated weigh nothing.
    whole = all(weights.size.get(size, 1.0) == 0 for size in SIZES if size not in times.sizes)
    sums = [times.weighted(which, net, weights) for net in nets]
    name = "Σ Weigh time" if key.startswith("5") else "Σ Relative time"
    rows = [
        _row(key, name, sums, digits=2, comparable=whole),
        _row(key, "Normalized φ", known, digits=2),
    ]
    for count in counts:
        each = [cost_per_node(net, count) for net in nets]
        norm = [value / each[0] for value in each]
        ratio = [performance / price for performance, price in zip(known, norm, strict=True)]
        suffix = "" if which == "a" else f"-{count}"
        rows.append(_row(key, f"Cost/Node{suffix}", each))
        rows.append(_row(key, f"Norm Cost/Node{suffix}", norm, digits=2))
        rows.append(_row(key, f"Perf./Cost{suffix}", ratio, digits=2))
    return Table(key, title, _names(which), rows)


def _names(which: str) -> list[str]:
    return [net.name for net in SETS[which]]


def _row(
    key: str,
    name: str,
    values: Sequence[float],
    *,
    shown: str = "",
    digits: int = 0,
    comparable: bool = True,
) -> Row:
    """A row beside the published one of the same name, if there is such a table."""
    rows = published()["tables"].get(key, {"rows": {}})["rows"]
    return Row(shown or name, values, rows.get(name), digits, comparable)
