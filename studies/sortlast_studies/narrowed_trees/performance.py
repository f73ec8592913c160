"""Relative times and the indicator φ: Navaridas et al., sections 5.2 and 5.3.

T_{P,S} is the time of pattern P at size S on a network relative to the fat-tree of the same set; w_P and w_S
are weights. The sum of w_P w_S T_{P,S} is the Σ of Tables 4 and 5; φ is its inverse, scaled to 1 for the
fat-tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sortlast import ArgumentError, Error
from sortlast_studies.narrowed_trees.models import AS_IS, Model, Setting
from sortlast_studies.narrowed_trees.networks import SETS, Network, cost_per_node
from sortlast_studies.narrowed_trees.workloads import PATTERNS, SIZES, Cell
from sortlast_studies.table import Table

CYCLES = "cycles"  # the item of the simulated times
LONGEST, STAND_IN = SIZES[-1], SIZES[-2]  # missing times of LONGEST are replaced by STAND_IN's


StandIn = Literal["never", "missing", "always"]


def cycles_item(setting: Setting, k: int = 0) -> str:
    """The item with the times under a setting, with the k-th seed."""
    name = CYCLES if setting == AS_IS.setting else f"{CYCLES}, {setting.name}"
    return f"{name}, seed +{k}" if k else name


@dataclass(frozen=True)
class Weights:
    """w_P and w_S; patterns and sizes that are not listed weigh 1."""

    pattern: Mapping[str, float] = field(default_factory=dict)
    size: Mapping[int, float] = field(default_factory=dict)

    def of(self, pattern: str, size: int) -> float:
        """w_P w_S."""
        return self.pattern.get(pattern, 1.0) * self.size.get(size, 1.0)


EQUAL = Weights()  # Table 4
COLLECTIVES = Weights({"2W": 0, "3W": 0, "2M": 0, "3M": 0, "WF": 0})  # Table 5a
LONG_MESSAGES = Weights(size={10: 0, 100: 0, 1_000: 0, 10_000: 0})  # Table 5b


def parse_weights(text: str) -> Weights:
    """Read ``BU=2,100000=0``; unlisted names weigh 1. Raises ArgumentError for anything else."""
    pattern: dict[str, float] = {}
    size: dict[int, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = part.partition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = -1.0
        if not 0 <= weight < float("inf"):
            raise ArgumentError(f"weight {part!r}: expected NAME=NUMBER, with a number of 0 or more")
        if name in PATTERNS:
            pattern[name] = weight
        elif name.isdigit() and int(name) in SIZES:
            size[int(name)] = weight
        else:
            names = ", ".join([*PATTERNS, *map(str, SIZES)])
            raise ArgumentError(
                f"weight {part!r}: {name!r} is no pattern and no size; expected one of {names}"
            )
    return Weights(pattern, size)


class Times:
    """The simulated times in a table, for all patterns and some sizes.

    Args:
        table: a table with the cells that ran.
        model: the model of these times.
        k: the k-th seed; cells that did not run with it use the first one.
        stand_in: when relative times at 10 KB replace the times at 100 KB: "never", if "missing", or
            "always". If they may and all shorter sizes ran, all sizes are available.
    """

    def __init__(self, table: Table, model: Model = AS_IS, k: int = 0, stand_in: StandIn = "never") -> None:
        self._table, self._model, self._k, self._stand_in = table, model, k, stand_in
        self._known: dict[tuple[Network, str, int], float] = {}  # cache of cycles
        ran = {
            size
            for size in SIZES
            if all(self._find(SETS["a"][0], pattern, size) is not None for pattern in PATTERNS)
        }
        if stand_in != "never" and set(SIZES[:-1]) <= ran:
            ran = set(SIZES)
        self.sizes = tuple(sorted(ran))

    @property
    def stand_ins(self) -> list[str]:
        """The patterns with relative times at 10 KB in place of 100 KB."""
        return [pattern for pattern in PATTERNS if self._size(pattern, LONGEST) != LONGEST]

    def relative(self, which: str, net: Network, pattern: str, size: int) -> float:
        """T_{P,S} in set "a" or "b"."""
        reference = SETS[which][0]
        size = self._size(pattern, size)
        return self._cycles(net, pattern, size) / self._cycles(reference, pattern, size)

    def block(
        self, which: str, net: Network, patterns: Iterable[str] = PATTERNS, sizes: Iterable[int] = SIZES
    ) -> NDArray[np.float64]:
        """T_{P,S} for the simulated sizes among ``sizes``: array (patterns, sizes)."""
        simulated = [size for size in sizes if size in self.sizes]
        return np.array(
            [[self.relative(which, net, pattern, size) for size in simulated] for pattern in patterns]
        )

    def weighted(self, which: str, net: Network, weights: Weights = EQUAL) -> float:
        """Σ w_P w_S T_{P,S} over the simulated sizes."""
        factors = [[weights.of(pattern, size) for size in self.sizes] for pattern in PATTERNS]
        return float((np.array(factors) * self.block(which, net)).sum())

    def performance(self, which: str, net: Network, weights: Weights = EQUAL) -> float | None:
        """Normalized φ; None if all simulated times have weight 0."""
        total = self.weighted(which, SETS[which][0], weights)
        return total / self.weighted(which, net, weights) if total > 0 else None

    def per_cost(self, which: str, net: Network, count: str, weights: Weights = EQUAL) -> float | None:
        """φ over the relative cost per node, 1 for the fat-tree of the set."""
        price = cost_per_node(net, count) / cost_per_node(SETS[which][0], count)
        found = self.performance(which, net, weights)
        return None if found is None else found / price

    def _size(self, pattern: str, size: int) -> int:
        """The size itself, or the size that stands in for it."""
        if size != LONGEST or self._stand_in == "never":
            return size
        missing = self._find(SETS["a"][0], pattern, size) is None
        return STAND_IN if missing or self._stand_in == "always" else size

    def _cycles(self, net: Network, pattern: str, size: int) -> float:
        if (cell := (net, pattern, size)) not in self._known:
            self._known[cell] = self._looked_up(net, pattern, size)
        return self._known[cell]

    def _looked_up(self, net: Network, pattern: str, size: int) -> float:
        found = self._find(net, pattern, size)
        if found is None:
            raise Error(f"the table has no cycles of {pattern}, {size} B on {net.name}, {self._model.name}")
        return found

    def _find(self, net: Network, pattern: str, size: int) -> float | None:
        setting = self._model.of(pattern)
        seeds = (self._k, 0) if self._k else (0,)
        places = [(cycles_item(setting, k), Cell(net.name, pattern, size).workload, net.name) for k in seeds]
        return next((value for place in places if (value := self._table.get(*place)) is not None), None)
