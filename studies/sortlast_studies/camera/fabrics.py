"""The three fabrics, and the tapers of one of them.

- 12-ary 2-tree: the 144 hosts of Cavin and Demengeon, switches of 24 ports, full bisection. A job that shares
  the machine and does not fit gets the largest tree of the same switches: 24 leaves, 288 hosts.
- tapered tree: 512 hosts under three levels, leaves of 16 ports down and 8 up (2:1) and no taper above them,
  like most clusters today.
- torus: 8x8x8 switches with one host each, routed in the order of the dimensions.
"""

from __future__ import annotations

from functools import cache

from sortlast import fabric
from sortlast.fabric import Routes, Topology

TWO_LEVEL, TAPERED, TORUS = "12-ary 2-tree", "tapered tree", "torus"
FABRICS = (TWO_LEVEL, TAPERED, TORUS)
ARITY, LEAF, SIDE = 12, 16, 8  # hosts per leaf of the two trees, switches along each side of the torus
MOST_HOSTS = 2 * ARITY**2  # on the largest machine that all fabrics have
TAPERED_UP, TAPERED_HOSTS = 8, 512  # ports up per leaf of the tapered tree, and its hosts
UPLINKS = (16, 8, 4, 2)  # per leaf of 16 hosts: tapers 1:1 to 8:1
ONE_SWITCH = "one switch"


@cache
def routes(name: str, hosts: int) -> Routes:
    """A fabric with at least ``hosts`` hosts, at most 288, and its tables."""
    if name == TWO_LEVEL:
        leaves = ARITY if hosts <= ARITY**2 else 2 * ARITY
        return fabric.route(fabric.pgft([ARITY, leaves], [1, ARITY], [1, 1]), "ftree")
    if name == TAPERED:
        return tapered(TAPERED_UP)
    return fabric.route(fabric.torus([SIDE] * 3), "dor")


@cache
def tapered(up: int) -> Routes:
    """512 hosts, 4 pods of 8 leaves, 16 hosts and ``up`` ports up per leaf, four cables to each spine."""
    return fabric.route(fabric.pgft([LEAF, 8, 4], [1, up, 2], [1, 1, 4]), "ftree")


@cache
def one_switch(p: int) -> Routes:
    """A crossbar, where only the hosts' own links are shared."""
    return fabric.route(fabric.crossbar(p), "minhop")


def taper(up: int) -> str:
    """Ratio of ports down to ports up, as ``2:1``."""
    return f"{LEAF // up}:1"


def groups(topology: Topology, hosts: list[int]) -> list[list[int]]:
    """Hosts grouped by leaf, in order; on a torus by line along x."""
    found: dict[int, list[int]] = {}
    for host in hosts:
        switch = topology.hosts[host].switch
        found.setdefault(switch if topology.levels else switch // SIDE, []).append(host)
    return list(found.values())
