"""The parts to buy for a fabric: its switches by ports, its cables by kind, its adapters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from sortlast._fabric import Topology, find_nodes


@dataclass(frozen=True)
class Components:
    """The parts of a fabric.

    Attributes:
        nodes: machines for jobs, each with any number of adapters.
        switches: number of switches by their ports.
        cables: number of cables by kind: "hosts to level 1", "level 1 to level 2" and so on upward; "hosts to
            switches" and "switches to switches" if switches have no level.
        adapters: of all nodes.
    """

    nodes: int
    switches: Mapping[int, int]
    cables: Mapping[str, int]
    adapters: int


def components(topology: Topology) -> Components:
    """Count the parts of a fabric.

    An aggregation node or router is part of its switch: neither it nor its link is counted. Hosts with the
    same GUID are ports of one adapter. Levels of a fabric from a file are found by ``rank_switches``.
    """
    hosts = topology.hosts
    within = {host.number for host in hosts if host.aggregates or host.router}
    ports = [switch.ports for switch in topology.switches]
    level = _levels(topology)
    cables = Counter(
        _kind(level[link.a], level[link.b])
        for link in topology.links
        if link.a not in within and link.b not in within
    )
    guids = [host.guid for host in hosts if host.number not in within]
    nodes = [
        node for node in find_nodes(topology) if any(adapter.host not in within for adapter in node.adapters)
    ]
    return Components(
        nodes=len(nodes),
        switches=dict(sorted(Counter(ports).items())),
        cables=dict(sorted(cables.items())),
        adapters=len(set(filter(None, guids))) + guids.count(0),
    )


def _levels(topology: Topology) -> list[int]:
    """The level of each vertex; below 0: a host, 0: a switch without a level."""
    levels = [switch.level for switch in topology.switches]
    if not any(levels):
        levels = topology.rank_switches().level
    return [-1] * len(topology.hosts) + list(levels)


def _kind(a: int, b: int) -> str:
    """The kind of a cable between two levels."""
    low, high = sorted((a, b))
    return f"{_side(low)} to {_side(high)}"


def _side(level: int) -> str:
    if level < 0:
        return "hosts"
    return f"level {level}" if level > 0 else "switches"
