"""Writes a fat-tree as a topology of htsim (``.topo``).

::

    Nodes 16
    Tiers 2
    Podsize 16

    Tier 0
    Downlink_speed_Gbps 100
    Radix_Down 4
    Radix_Up 4
    Downlink_Latency_ns 1000
    Switch_Latency_ns 0
    Oversubscribed 1

    Tier 1
    Downlink_speed_Gbps 100
    Radix_Down 4
    Downlink_Latency_ns 1000
    Switch_Latency_ns 0
    Bundle 1

htsim builds an intact tree of two or three tiers from these numbers: a PGFT with as many links down as up on
each switch, or a whole multiple of them. Its hosts have the same order as here. Source: csg-htsim,
sim/datacenter/fat_tree_topology.cpp.
"""

from __future__ import annotations

from sortlast._errors import ArgumentError
from sortlast._fabric import Topology, TreeShape

_USUAL = 100  # Gbit/s of a link without a known rate


def write_htsim_topology(topology: Topology, link_nanoseconds: int = 1000) -> str:
    """A fat-tree as a topology of htsim; the latency of a link [ns] is at least 1.

    A link without a known rate has 100 Gbit/s. Raises ArgumentError for a fabric that is not an intact tree
    of a family with two or three levels of switches, or has no whole ratio of links down and up.
    """
    shape = topology.shape
    if link_nanoseconds < 1:
        raise ArgumentError(f"a latency of {link_nanoseconds} ns; htsim needs 1 or more")
    if not isinstance(shape, TreeShape) or len(shape.m) not in (2, 3) or shape.w[0] * shape.p[0] != 1:
        raise ArgumentError(
            f"{topology.name} is not, or no longer, a fat-tree of two or three levels with one link per host,"
            " which are all that htsim builds from a .topo"
        )
    levels = len(shape.m)
    pod = len(topology.hosts) // (shape.m[2] if levels == 3 else 1)
    lines = [f"Nodes {len(topology.hosts)}", f"Tiers {levels}", f"Podsize {pod}"]
    for tier in range(levels):
        down = shape.m[tier] * shape.p[tier]
        lines += ["", f"Tier {tier}", f"Downlink_speed_Gbps {_rate(topology, tier)}", f"Radix_Down {down}"]
        if tier + 1 < levels:
            up = shape.w[tier + 1] * shape.p[tier + 1]
            if down % up:
                raise ArgumentError(
                    f"{topology.name}: switches of level {tier + 1} have {down} links down and {up} up; htsim"
                    " needs a whole multiple"
                )
            lines.append(f"Radix_Up {up}")
        lines += [f"Downlink_Latency_ns {link_nanoseconds}", "Switch_Latency_ns 0"]
        if tier + 1 < levels:
            lines.append(f"Oversubscribed {down // up}")
        if tier > 0:
            lines.append(f"Bundle {shape.p[tier]}")
    return "\n".join(lines) + "\n"


def _rate(topology: Topology, tier: int) -> int:
    """The rate of the links below a tier in Gbit/s, of its first link."""
    hosts = len(topology.hosts)
    for link in topology.links:
        levels = [0 if end < hosts else topology.switches[end - hosts].level for end in (link.a, link.b)]
        if max(levels) == tier + 1:
            return round(link.gbps) or _USUAL
    return _USUAL
