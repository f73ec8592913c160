"""The links of a fabric in classes, by the levels of switches, or hosts, that they join."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sortlast.fabric import Routes, Spreading, Topology, data_rate

UNKNOWN_RATE = 1.25e9  # of a link without a given rate [byte/s]
_HOSTS = -1  # level of hosts


@dataclass(frozen=True)
class LinkClass:
    """Channels from one level to another, ascending, and the name of the class."""

    name: str
    channels: NDArray[np.int64]


def link_rates(topology: Topology) -> dict[float, int]:
    """Number of links by data rate in the fabric's file [byte/s], most common first."""
    counts = Counter(data_rate(link.gbps) for link in topology.links if link.gbps > 0)
    return dict(counts.most_common())


def link_rate(fabric: Topology | Routes | Spreading) -> float:
    """The most common data rate [byte/s]; ``UNKNOWN_RATE`` if the fabric's file has none."""
    topology = fabric if isinstance(fabric, Topology) else fabric.topology
    return next(iter(link_rates(topology)), UNKNOWN_RATE)


def link_classes(topology: Topology) -> list[LinkClass]:
    """All channels with a cable, by class: upward from the hosts, then downward.

    Switches without a level, such as in a torus, form one class.
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
    """Sort key of the classes: upward and between equal levels, then downward."""
    begin, end = pair
    return begin > end, begin if begin <= end else -begin


def _side(level: int) -> str:
    if level == _HOSTS:
        return "hosts"
    return f"level {level}" if level > 0 else "switches"
