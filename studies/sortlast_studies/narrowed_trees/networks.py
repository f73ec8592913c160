"""The eight networks of Navaridas et al., section 3.2: their elements and costs (Tables 1 to 3).

Notation of the paper: k ports down and k' up (``up``) on a switch, n levels, N nodes, S switches. Its
formulas are garbled in print; the formulas here are checked against the topologies themselves.

The cost follows section 5.1, in dollars: links cost 150 each, independent of their length, a switch of r
ports 5625/16^2 r^2. The paper says that the links of the nodes are left out, but its Table 3 holds only with
them, so they are included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from sortlast import fabric
from sortlast.fabric import Topology

TASKS = 4096
LINK = 150.0  # dollars
SWITCH_PORT_SQUARED = 5625 / 16**2  # dollars


@dataclass(frozen=True)
class Network:
    """A k,n-fat-tree, k:k',n-thin-tree or k:k',n-slender-tree."""

    family: str
    k: int
    up: int
    n: int

    @property
    def name(self) -> str:
        """The paper's name."""
        ports = f"{self.k}" if self.family == "fat" else f"{self.k}:{self.up}"
        return f"{ports},{self.n}-{self.family}-tree"

    @property
    def radix(self) -> int:
        """Number of ports per switch."""
        return self.k + self.up

    @property
    def narrowing(self) -> float:
        """Ratio of ports down to ports up."""
        return self.k / self.up

    def below(self, height: int) -> int:
        """Nodes below a switch of this height; 1 for a height of 0, a node."""
        if self.family != "slender":
            return int(self.k**height)
        return self.k if height == 1 else int(self.k**2 * (self.k // self.up) ** (height - 2))

    @property
    def nodes(self) -> int:
        """N, Table 1."""
        if self.family != "slender":
            return int(self.k**self.n)
        return int(self.up**2 * (self.k // self.up) ** self.n)

    def switches_of(self, level: int) -> int:
        """S_i, Table 1, with level 0 next to the nodes."""
        above = self.n - 1 - level
        if self.family != "slender":
            return int(self.k**above) * int(self.up**level)
        return int(self.up * (self.k // self.up) ** above)

    @property
    def first_host(self) -> int:
        """The first of the 4096 central nodes."""
        return (self.nodes - TASKS) // 2


# The paper's order; the first of each set is its reference.
FAT = Network("fat", 8, 8, 4)
THIN_2 = Network("thin", 8, 4, 4)
THIN_4 = Network("thin", 8, 2, 4)
SLENDER_2 = Network("slender", 8, 4, 8)
SLENDER_4 = Network("slender", 8, 2, 5)
FAT_12 = Network("fat", 6, 6, 5)
THIN_3 = Network("thin", 9, 3, 4)
SLENDER_3 = Network("slender", 9, 3, 6)

# Tables and figures a (same number of nodes) and b (same radix of switches).
SETS = {
    "a": (FAT, THIN_2, THIN_4, SLENDER_2, SLENDER_4),
    "b": (FAT_12, THIN_2, THIN_3, SLENDER_2, SLENDER_3),
}
THINS = (THIN_2, THIN_4, THIN_3)
SLENDERS = (SLENDER_2, SLENDER_4, SLENDER_3)  # comparable with the thin-trees
NETWORKS = {net.name: net for nets in SETS.values() for net in nets}


def of_network(net: Network) -> Topology:
    """The fabric of a network."""
    make = fabric.slender_tree if net.family == "slender" else fabric.thin_tree
    return make(net.k, net.up, net.n)


@cache
def topology(name: str) -> Topology:
    """The fabric of one of :data:`NETWORKS`, by name."""
    return of_network(NETWORKS[name])


@dataclass(frozen=True)
class Elements:
    """Numbers of switches, links (including the nodes' links) and nodes."""

    switches: int
    links: int
    nodes: int


def counted(whole: Topology) -> Elements:
    """All elements of a fabric."""
    return Elements(len(whole.switches), len(whole.links), len(whole.hosts))


def complete(net: Network) -> Elements:
    """All elements of a network (CN), counted in its topology."""
    return counted(topology(net.name))


def used(net: Network) -> Elements:
    """The elements used by the 4096 central nodes (U): all above them, found by walking up the topology.

    The links of these nodes count, and the links up from the used switches.
    """
    whole = topology(net.name)
    low, high = _links(whole)
    reached = np.zeros(whole.vertices, dtype=bool)
    reached[net.first_host : net.first_host + TASKS] = True
    for _ in range(net.n):
        reached[high[reached[low]]] = True
    hosts = len(whole.hosts)
    return Elements(int(reached[hosts:].sum()), int(reached[low].sum()), TASKS)


def symmetric_window(net: Network) -> Elements:
    """The used elements by the paper's count: equally many unused subtrees on both sides of the window.

    With 9 nodes per leaf switch the 4096 central nodes touch 456 leaf switches, but the window that leaves
    out the same number on both sides has 457; this gives the U columns of the paper's Table 2.
    """
    aside = (net.nodes - TASKS) / 2
    switches = []
    for level in range(net.n):
        subtree = net.below(level + 1)
        kept = net.nodes // subtree - 2 * int(aside // subtree)
        switches.append(kept * net.switches_of(level) * subtree // net.nodes)
    return Elements(sum(switches), TASKS + net.up * sum(switches[:-1]), TASKS)


def switches_by_level(net: Network) -> list[int]:
    """S_i, counted in the topology."""
    levels = np.array([switch.level for switch in topology(net.name).switches])
    return [int(count) for count in np.bincount(levels)[1:]]


def _links(whole: Topology) -> tuple[np.ndarray, np.ndarray]:
    """The lower and the upper end of every link, as vertices."""
    ends = np.array([(link.a, link.b) for link in whole.links])
    level = np.array([0] * len(whole.hosts) + [switch.level for switch in whole.switches])
    swapped = level[ends[:, 0]] > level[ends[:, 1]]
    ends[swapped] = ends[swapped][:, ::-1]
    return ends[:, 0], ends[:, 1]


# Ways to count the priced elements: the complete network, and the elements used by the 4096 central nodes.
COUNTS = {"CN": complete, "U": symmetric_window, "U by count": used}


def cost(net: Network, elements: Elements) -> float:
    """Dollars for these elements of a network."""
    return SWITCH_PORT_SQUARED * net.radix**2 * elements.switches + LINK * elements.links


def cost_per_node(net: Network, count: str) -> float:
    """Dollars per node; ``count`` is a key of :data:`COUNTS`."""
    elements = COUNTS[count](net)
    return cost(net, elements) / elements.nodes
