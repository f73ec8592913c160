"""Functions and names over the table for the report, its page and the claims."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast_studies import checks
from sortlast_studies.narrowed_trees import networks
from sortlast_studies.narrowed_trees.models import MODELS, Model
from sortlast_studies.narrowed_trees.networks import SETS, Network, cost_per_node
from sortlast_studies.narrowed_trees.performance import (
    COLLECTIVES,
    EQUAL,
    LONG_MESSAGES,
    Times,
    Weights,
    parse_weights,
)
from sortlast_studies.narrowed_trees.steps import SEEDS
from sortlast_studies.narrowed_trees.workloads import PATTERNS, SIZES, size_name
from sortlast_studies.report import environment
from sortlast_studies.table import Table

# Items of the table.
FIGURES = {"a": "Figure 6", "b": "Figure 7"}
OWN = {"a": "Your weights, same size", "b": "Your weights, same radix"}
RANKS, WEIGHTS, WORK = "The order of the networks", "weights", "work"
FSIN, MODELS_ITEM = "FSIN", "Models"
STANDING_IN = "as is, 10 KB for 100 KB"  # the row that shows the error of the stand-in
FEWER = "of fewer sizes of messages than the paper's"  # the note of a sum that has no published one

NEAR = 0.1  # relative difference up to which sums are near the published ones
SUMMED: Mapping[str, tuple[str, Weights]] = {  # table -> set of networks, and weights
    "Table 4a": ("a", EQUAL),
    "Table 4b": ("b", EQUAL),
    "Table 5a": ("a", COLLECTIVES),
    "Table 5b": ("b", LONG_MESSAGES),
}
ABOUT_PATTERNS = {
    "2W": (
        "wave-front in two dimensions",
        "a sweep over a square of tasks from the first to the last, and back",
    ),
    "3W": ("wave-front in three dimensions", "the same over a cube"),
    "2M": ("mesh of two dimensions", "an exchange with the neighbours in a square"),
    "3M": ("mesh of three dimensions", "an exchange with the neighbours in a cube"),
    "BU": ("butterfly", "an exchange at distance 1, 2, 4, and so on"),
    "BT": ("binary tree", "all tasks send towards task 0"),
    "WF": ("waterfall", "many small messages flow across a square"),
}
ABOUT_MODELS = {
    "as is": "a packet chooses its port again in every cycle; nodes send in step; the simulator's default",
    "drawn": "as is, but every node sends to its neighbours in a random order of its own (2M and 3M)",
    "persistent": "a packet chooses its port once, when it reaches the head of its queue, and keeps it",
    "persistent, drawn": "both of these",
    "one wave": "persistent and drawn, and an iteration of WF begins when the last one has ended",
    "slow switch": "persistent and drawn, and a head takes three cycles at a switch",
}
_PACKAGE = "sortlast_studies.narrowed_trees"
_LETTERS = {checks.CONFIRMED: "C", checks.REFUTED: "R", checks.NOT_REPRODUCED: "N", checks.UNDECIDED: "U"}
_HALF = 1e-9  # tolerance for rounding halves up
_PRESETS = {
    "all 1 (Table 4)": EQUAL,
    "collectives (Table 5a)": COLLECTIVES,
    "100 KB alone (Table 5b)": LONG_MESSAGES,
}


def sum_row(item: str) -> str:
    """The row of a table that is its sum."""
    return "Σ Weigh time" if item.startswith("Table 5") else "Σ Relative time"


@dataclass(frozen=True)
class Share:
    """The fraction of cases where something holds, and a text for it."""

    part: float
    text: str


class Names:
    """The networks, sizes and weights, and values that do not depend on times."""

    fat, thin_2, thin_4 = networks.FAT, networks.THIN_2, networks.THIN_4
    slender_2, slender_4 = networks.SLENDER_2, networks.SLENDER_4
    fat_12, thin_3, slender_3 = networks.FAT_12, networks.THIN_3, networks.SLENDER_3
    narrowed_a, narrowed_b = (nets[1:] for nets in SETS.values())
    equal, collectives, long_messages = EQUAL, COLLECTIVES, LONG_MESSAGES
    all_sizes = SIZES
    cost = staticmethod(cost_per_node)
    near_part, seeds, tasks = NEAR, SEEDS, networks.TASKS
    patterns, about_models = ABOUT_PATTERNS, ABOUT_MODELS

    @staticmethod
    def prices(pairs: Sequence[tuple[Network, Network, str]]) -> dict[str, float]:
        """Cost per node relative to a fat-tree, with the count given third."""
        return {
            f"{net.name} ({how})": cost_per_node(net, how) / cost_per_node(fat, how)
            for net, fat, how in pairs
        }

    @staticmethod
    def slender_over_thin(count: str) -> dict[str, float]:
        """Ratios of the cost per node of slender-trees and comparable thin-trees."""
        return {
            slender.name: cost_per_node(slender, count) / cost_per_node(thin, count)
            for slender, thin in zip(networks.SLENDERS, networks.THINS, strict=True)
        }

    @staticmethod
    def narrowed_prices() -> list[float]:
        """Cost per node of every narrowed tree relative to the fat-tree of its set."""
        return [
            cost_per_node(net, count) / cost_per_node(SETS[which][0], count)
            for which, count in (("a", "CN"), ("b", "CN"), ("b", "U"))
            for net in SETS[which][1:]
        ]


class Words:
    """Counting, comparing and formatting of values."""

    @staticmethod
    def share(hits: NDArray[np.bool_]) -> Share:
        """The fraction of cases where something holds."""
        return Share(float(hits.mean()), f"{int(hits.sum())} of {hits.size}")

    @classmethod
    def alike(cls, values: NDArray[np.float64], factor: float) -> Share:
        """The fraction of relative times within a factor of 1."""
        return cls.share((values <= factor) & (values >= 1 / factor))

    @staticmethod
    def between(values: NDArray[np.float64]) -> str:
        """Minimum and maximum as text."""
        return f"{values.min():.2f} to {values.max():.2f}"

    @staticmethod
    def median(values: NDArray[np.float64]) -> float:
        """The median."""
        return float(np.median(values))

    @staticmethod
    def best(values: Mapping[str, float]) -> str:
        """The name of the largest value."""
        return max(values, key=values.__getitem__)

    @staticmethod
    def others(values: Mapping[str, float], skip: Iterable[Network]) -> dict[str, float]:
        """Values by network, without some networks."""
        left_out = {net.name for net in skip}
        return {name: value for name, value in values.items() if name not in left_out}

    @staticmethod
    def listed(values: Mapping[str, float], digits: str = ".2f") -> str:
        """Names with their values, as text."""
        return ", ".join(f"{name} {value:{digits}}" for name, value in values.items())

    @staticmethod
    def shown(value: float, digits: int) -> str:
        """A value with ``digits`` decimals, halves rounded up as in the paper."""
        scale = 10**digits
        return f"{floor(value * scale + 0.5 + _HALF) / scale:.{digits}f}"

    @staticmethod
    def digits(row: str) -> int:
        """Number of decimals that the paper prints in a row of this name."""
        return 2 if row.startswith(("Σ", "Norm", "Perf")) else 0


class Terms(Names, Words):
    """Terms over a table under a model; None: the first model, without stand-ins."""

    def __init__(self, table: Table, model: Model | None = None) -> None:
        self._table = table
        self._times = Times(table) if model is None else Times(table, model, stand_in="missing")

        # Weights given on the command line.
        given = ",".join(f"{name}={value}" for name, value in table.column(WEIGHTS).items())
        self._weights = parse_weights(given)
        self.own = list(OWN.values()) if given else []

    def missing(self, sizes: Iterable[int]) -> list[str]:
        """Sizes that were not simulated."""
        return [size_name(size) for size in sizes if size not in self._times.sizes]

    def T(self, which: str, nets: Sequence[Network], *cases: Any) -> NDArray[np.float64]:  # noqa: N802
        """T_{P,S} of networks, for some patterns and sizes or all: array (networks, patterns, sizes)."""
        return np.array([self._times.block(which, net, *cases) for net in nets])

    def most_of(self, which: str, nets: Sequence[Network], *cases: Any) -> dict[str, float]:
        """The largest T_{P,S} of each network."""
        return {net.name: float(self._times.block(which, net, *cases).max()) for net in nets}

    def phi(self, which: str, weights: Weights) -> dict[str, float]:
        """Normalized φ of every network of a set."""
        return {net.name: self._times.performance(which, net, weights) or 0.0 for net in SETS[which]}

    def per_cost(self, which: str, count: str, weights: Weights) -> dict[str, float]:
        """Performance per cost of every network of a set."""
        return {net.name: self._times.per_cost(which, net, count, weights) or 0.0 for net in SETS[which]}

    def not_paying(self) -> list[str]:
        """Networks with performance per cost not above the fat-tree's, in the tables of the paper."""
        studied = [("4a", "a", "CN", EQUAL), ("4b", "b", "CN", EQUAL), ("4b", "b", "U", EQUAL)]
        studied += [("5a", "a", "CN", COLLECTIVES), ("5b", "b", "U", LONG_MESSAGES)]
        return [
            f"{net} {value:.2f} (Table {key})"
            for key, which, count, weights in studied
            if self._table.rows(f"Table {key}", "ours")
            for net, value in list(self.per_cost(which, count, weights).items())[1:]
            if value <= 1
        ]

    # --- models ---------------------------------------------------------------------------------------

    @property
    def models(self) -> list[Model]:
        """The models that ran with all sizes, or with a stand-in for 100 KB."""
        ran = self._table.rows(MODELS_ITEM)
        return [model for model in MODELS if model.name in ran]

    @property
    def best_model(self) -> str:
        """The model with sums nearest to the published ones, among the models that the paper allows."""
        apart = self._table.column(MODELS_ITEM, "apart")
        possible = [model.name for model in self.models if model.possible]
        return min(possible, key=apart.__getitem__, default="")

    def near(self, items: Sequence[str], nets: Sequence[Network]) -> bool:
        """Whether our sums of some networks in some tables are near the published ones."""
        ratios = [
            ratio
            for item in items
            for name, ratio in self._sum_ratios(item).items()
            if name in {net.name for net in nets}
        ]
        return bool(ratios) and max(abs(ratio - 1) for ratio in ratios) <= NEAR

    def _sum_ratios(self, item: str) -> dict[str, float]:
        """Ratios of our sums to the published ones, under this model; empty if sizes are missing."""
        if self._times.sizes != SIZES:
            return {}
        which, weights = SUMMED[item]
        sums = self._table.line(item, sum_row(item), "published")
        return {
            net.name: self._times.weighted(which, net, weights) / sums[net.name] for net in SETS[which][1:]
        }

    def spread(self, item: str, row: str, column: str, digits: str = ".2f") -> str:
        """Minimum and maximum of a sample, as text; empty for a single value."""
        found = self._table.find(item, row, column, "simulated")
        ends = () if found is None or found.spread is None else found.spread
        return " to ".join(f"{end:{digits}}" for end in ends)

    @staticmethod
    def verdicts(judged: Iterable[checks.Check]) -> str:
        """The number of claims for each verdict, as text."""
        found = [check.verdict for check in judged]
        words = (checks.CONFIRMED, checks.REFUTED, checks.NOT_REPRODUCED, checks.UNDECIDED)
        return ", ".join(f"{found.count(word)} {word}" for word in words)

    def under_models(self, claim: str) -> str:
        """The verdicts of a claim under every model, in the order of :attr:`models`."""
        return " ".join(_LETTERS[verdicts[claim]] for verdicts in self._verdicts)

    @cached_property
    def _verdicts(self) -> list[dict[str, str]]:
        """Verdicts by claim, for every model."""
        found = []
        stated = checks.declared(_PACKAGE)
        for model in self.models:
            own = Terms(self._table, model)
            names = {name: getattr(own, name) for name in dir(own) if not name.startswith("_")}
            templates = environment(_PACKAGE, self._table, {"quick": False, **names, **stated.words})
            found.append({check.claim: check.verdict for check in checks.judge(stated, templates)})
        return found

    # --- comparison with the published tables -------------------------------------------------------------

    def exact(self, item: str, row: str) -> bool:
        """Whether all values of a row equal the published ones in every printed digit."""
        ours, theirs = self._beside(item, row)
        places = self.digits(row)
        return bool(theirs) and all(
            self.shown(ours[net], places) == self.shown(theirs[net], places) for net in ours
        )

    def equal_rows(self, prefix: str) -> str:
        """The number of rows of a table that equal the published ones in every digit."""
        rows = [
            (item, row)
            for item in self._table.items(prefix)
            for row in self._table.rows(item, "ours")
            if not row.endswith("by count")
        ]
        return f"{sum(self.exact(*each) for each in rows)} of {len(rows)}"

    def ratios(self, prefix: str) -> list[float]:
        """Ratios of our sums to the published ones, for all networks but the reference."""
        found: list[float] = []
        for item in self._table.items(prefix):
            for row in self._table.rows(item, "simulated"):
                ours, theirs = self._beside(item, row)
                if row.startswith("Σ") and not self._table.note(item, row, next(iter(ours))):
                    found += [ours[net] / theirs[net] for net in list(ours)[1:]]
        return found

    def nearness(self, prefix: str) -> str:
        """The agreement of a table's sums and ranks with the published ones; empty if there are no sums."""
        ratios = self.ratios(prefix)
        ranks = [value for row, value in self._table.column(RANKS, "Spearman").items() if prefix in row]
        if not ratios:
            return ""
        return (
            f"sums {min(ratios):.2f} to {max(ratios):.2f} of the published, ranks {min(ranks):+.2f} or more"
        )

    def _beside(self, item: str, row: str) -> tuple[dict[str, float], dict[str, float]]:
        """A row of ours, and the published one, which lacks the suffix for the count."""
        return self._table.line(item, row, "ours"), self._table.line(item, row.split(",")[0], "published")

    # --- the page -------------------------------------------------------------------------------------

    @property
    def own_weights(self) -> str:
        """The user's weights, as text."""
        own = self._weights
        named = {**own.pattern, **{size_name(size): value for size, value in own.size.items()}}
        return ", ".join(f"{name} {value:g}" for name, value in named.items())

    @property
    def data(self) -> str:
        """Data for the page as JSON; "<" is escaped, so that no text ends the enclosing script."""
        own = {"your own, as the page was made": self._weights} if self.own else {}
        found = {
            "patterns": list(PATTERNS),
            "sizes": [[size, size_name(size)] for size in self._times.sizes],
            "sets": [self._set(which) for which in SETS],
            "presets": {
                name: {
                    "pattern": [each.pattern.get(pattern, 1.0) for pattern in PATTERNS],
                    "size": [each.size.get(size, 1.0) for size in self._times.sizes],
                }
                for name, each in {**own, **_PRESETS}.items()
            },
        }
        return json.dumps(found, ensure_ascii=False).replace("<", "\\u003c")

    def _set(self, which: str) -> dict[str, Any]:
        counts = ("CN",) if which == "a" else ("CN", "U")
        return {
            "name": "Same size" if which == "a" else "Same radix",
            "counts": counts,
            "networks": [
                {
                    "name": net.name,
                    "cost": [cost_per_node(net, count) for count in counts],
                    "times": self._times.block(which, net).tolist(),
                }
                for net in SETS[which]
            ],
        }
