"""The trees of the study and their cost, by the cost model of Navaridas et al., section 5.1.

Notation of the paper: k ports down and k' up (``up``) on a switch, n levels. The taper is k:k',
at every level.
"""

from __future__ import annotations

from functools import cache

from sortlast import fabric
from sortlast.fabric import Routes, Topology
from sortlast_studies.narrowed_trees.networks import (
    LINK,
    SWITCH_PORT_SQUARED,
    Network,
    cost,
    counted,
    of_network,
)

PORT = SWITCH_PORT_SQUARED * 16  # dollars, for switch prices linear in ports; equal at 16 ports


def thin(k: int, up: int, n: int) -> Network:
    """The k:k',n-thin-tree; with k' = k the fat-tree."""
    return Network("fat" if up == k else "thin", k, up, n)


# 512 nodes, reference first: every schedule by every simulator.
TREES = tuple(thin(8, up, 3) for up in range(8, 0, -1))
SLENDER = (Network("slender", 16, 8, 3), Network("slender", 8, 4, 5))
# 4096 nodes: only schedules with few messages.
LARGE = (
    *(thin(8, up, 4) for up in range(8, 0, -1)),
    Network("slender", 8, 4, 8),
    Network("slender", 8, 2, 5),
)
NETWORKS = {net.name: net for net in (*TREES, *SLENDER, *LARGE)}
REFERENCE = TREES[0]


@cache
def topology(name: str) -> Topology:
    """The fabric of a network, by name."""
    return of_network(NETWORKS[name])


@cache
def routes(name: str) -> Routes:
    """The fabric with the tables of ftree."""
    return fabric.route(topology(name), "ftree")


def taper(net: Network) -> str:
    """Ratio of ports down to ports up, as ``2:1``."""
    return f"{net.narrowing:.2f}".rstrip("0").rstrip(".") + ":1"


def label(net: Network) -> str:
    """The ports of a network, and its family if it is not a thin-tree: ``8:4``, ``8:4 slender``."""
    return f"{net.k}:{net.up}" + (" slender" if net.family == "slender" else "")


def by_square(net: Network) -> float:
    """Dollars per node by the paper's model: switches by the square of their ports, k + k' on every level."""
    elements = counted(topology(net.name))
    return cost(net, elements) / elements.nodes


def by_port(net: Network) -> float:
    """Dollars per node if the price of a switch were linear in its ports; links as in the paper."""
    elements = counted(topology(net.name))
    return (PORT * net.radix * elements.switches + LINK * elements.links) / elements.nodes
