"""Performance, cost, and performance per cost of several networks, with user-defined weights.

Source: Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection Networks", section 5.
There T_{P,S} is the time of pattern P at message size S on a network, divided by the time on the first
network; w_P and w_S are weights. The performance is phi = 1 / sum of w_P w_S T_{P,S}, normalised here, as in
the paper's tables, by the first network's; performance per cost is phi / (cost per node), normalised too.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from sortlast._errors import ArgumentError


@dataclass(frozen=True)
class Indicator:
    """The value of a network compared with the first one.

    For the first network ``performance``, ``relative_cost`` and ``performance_per_cost`` are 1.

    Attributes:
        network: its name.
        relative_time: sum of w_P w_S T_{P,S}; for the first network the sum of the weights.
        performance: phi, normalised.
        cost: per node, as given.
        relative_cost: cost divided by the first network's.
        performance_per_cost: performance divided by relative cost.
    """

    network: str
    relative_time: float
    performance: float
    cost: float
    relative_cost: float
    performance_per_cost: float


def indicators(
    times: Mapping[str, Mapping[Hashable, float]],
    costs: Mapping[str, float],
    weights: Mapping[Hashable, float] | None = None,
) -> list[Indicator]:
    """Compare networks with the first of ``times``.

    Args:
        times: by network, the time of each workload in any unit, above 0; all networks have the same
            workloads. A workload is a name, or a tuple of names such as (pattern, size).
        costs: per node, by network, above 0.
        weights: of workloads, 0 or more, by name. The weight of a tuple is the product of its members'
            weights; unnamed ones have weight 1. None: all weigh 1.

    Raises:
        ArgumentError: networks with different workloads or without a cost, a time or cost that is not above
            0, a weight that is negative or of an unknown name, or weights that are all 0.
    """
    if not times:
        raise ArgumentError("times has no network; expected at least one")
    first = next(iter(times))
    weight = _weights(list(times[first]), weights or {})
    base = _checked(first, times[first], set(weight))
    made: list[Indicator] = []
    for network, each in times.items():
        found = _checked(network, each, set(weight))
        total = math.fsum(weight[job] * found[job] / base[job] for job in weight)
        performance = math.fsum(weight.values()) / total
        relative = _cost(network, costs) / _cost(first, costs)
        made.append(Indicator(network, total, performance, costs[network], relative, performance / relative))
    return made


def _weights(workloads: list[Hashable], named: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """The weight of each workload."""
    parts = {job: job if isinstance(job, tuple) else (job,) for job in workloads}
    known = {part for each in parts.values() for part in each}
    for name, weight in named.items():
        if name not in known:
            raise ArgumentError(
                f"weight of {name!r}: no workload has this name; they are {', '.join(map(str, known))}"
            )
        if not 0 <= weight < math.inf:
            raise ArgumentError(f"weight of {name!r} is {weight}; expected a number of 0 or more")
    made = {job: math.prod(named.get(part, 1.0) for part in each) for job, each in parts.items()}
    if not any(made.values()):
        raise ArgumentError("the weights of all workloads are 0; expected one above 0")
    return made


def _checked(
    network: str, times: Mapping[Hashable, float], workloads: set[Hashable]
) -> Mapping[Hashable, float]:
    if set(times) != workloads:
        differ = ", ".join(sorted(str(each) for each in set(times) ^ workloads))
        raise ArgumentError(f"times of {network}: its workloads are not those of the first network: {differ}")
    for job, time in times.items():
        if not 0 < time < math.inf:
            raise ArgumentError(f"times of {network}: {job} takes {time}; expected a number above 0")
    return times


def _cost(network: str, costs: Mapping[str, float]) -> float:
    cost = costs.get(network)
    if cost is None or not 0 < cost < math.inf:
        raise ArgumentError(f"costs: that of {network} is {cost}; expected a number above 0")
    return cost
