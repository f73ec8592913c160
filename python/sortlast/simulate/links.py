"""The links of a fabric in classes: those from one level of switches, or hosts, to another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sortlast.fabric import Routes, Spreading, Topology, data_rate

UNKNOWN_RATE = 1.25e9  # of a link of which nothing is known [byte/s]
_HOSTS = -1  # in the place of a level


@dataclass(frozen=True)
class LinkClass:
    """Channels that lead from one level to another, ascending, and what they are called."""

    name: str
    channels: NDArray[np.int64]


def link_rates(topology: Topology) -> dict[float, int]:
    """How many links carry so many bytes a second, by what the fabric's file tells; the commonest first."""
    counts = Counter(data_rate(link.gbps) for link in topology.links if link.gbps > 0)
    return dict(counts.most_common())


def link_rate(fabric: Topology | Routes | Spreading) -> float:
    """Bytes a second of most links; ``UNKNOWN_RATE`` if the fabric's file tells none."""
    topology = fabric if isinstance(fabric, Topology) else fabric.topology
    return next(iter(link_rates(topology)), UNKNOWN_RATE)


def link_classes(topology: Topology) -> list[LinkClass]:
    """All channels that have a cable, by class: upward from the hosts, then down to them.

    Switches without a level, as those of a torus, form one class among themselves.
    """
    level = [_HOSTS] * len(topology.hosts) + [switch.level for switch in topology.switches]
    found: dict[tuple[int, int], list[int]] = {}
    for channel in range(topology.channels):
        target = topology.target(channel)
        if target is not None:
            pair = level[topology.source(channel)[0]], level[target[0]]
            found.setdefault(pair, []).append(channel)
    return [
        LinkClass(f"{_side(begin)} to {_side(end)}", np.array(found[begin, end], np.int64))
        for begin, end in sorted(found, key=_place)
    ]


def _place(pair: tuple[int, int]) -> tuple[bool, int]:
    """Order of the classes: upward, and among the same switches, then downward."""
    begin, end = pair
    return begin > end, begin if begin <= end else -begin


def _side(level: int) -> str:
    if level == _HOSTS:
        return "hosts"
    return f"level {level}" if level > 0 else "switches"
