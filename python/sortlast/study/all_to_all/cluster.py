"""The paper's cluster as a fabric: six leaf modules of 18 nodes under a spine, and which nodes a job has.

Section 3.1. The paper does not say how many links a leaf module has upward. Switches of this InfiniBand
generation have 36 ports, so *full* has 18 up, two to each of nine spine switches, and *half* has nine, to
show what fewer would do. Routing is that of OpenSM's ftree.
"""

from __future__ import annotations

import random
from functools import cache

from sortlast import fabric
from sortlast.fabric import Routes
from sortlast.study.all_to_all.design import LEAF
from sortlast.study.all_to_all.published import cluster

_SPINES = 9
TREES = {"full": 2, "half": 1}  # links from a leaf module to each spine switch

# Which nodes: consecutive ones, as the paper asked for them by name (up to 18 on one leaf module, 36 on two),
# or any of the cluster, as a scheduler hands them out; and whether their ranks follow the routing order or a
# random one.
PLACEMENTS = {
    "packed": "whole leaf modules, in order",
    "packed shuffled": "whole leaf modules, out of order",
    "scattered": "any nodes, in order",
    "scattered shuffled": "any nodes, out of order",
}


def family(tree: str) -> str:
    """The fabric as a name that :func:`sortlast.fabric.make_topology` takes, one of :data:`TREES`."""
    return f"pgft:{LEAF},{int(cluster('leaf modules'))};1,{_SPINES};1,{TREES[tree]}"


@cache
def routes(tree: str) -> Routes:
    """The fabric with its tables, one of :data:`TREES`."""
    return fabric.route(fabric.make_topology(family(tree)), "ftree")


def nodes_of(placement: str, nodes: int, seed: int) -> list[int]:
    """Hosts of a job's nodes, in the order of its ranks; one of :data:`PLACEMENTS`."""
    chance = random.Random(seed)
    hosts = len(routes("full").topology.hosts)
    chosen = sorted(chance.sample(range(hosts), nodes)) if placement.startswith("scattered") else range(nodes)
    return chance.sample(chosen, nodes) if placement.endswith("shuffled") else list(chosen)
