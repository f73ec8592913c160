"""The cluster of section 5: 144 nodes on a 12-ary 2-tree, routed by OpenSM's fat-tree engine.

The paper does not print the names of its nodes. Its alphabetical order is taken as that of names which count
the nodes in routing order without leading zeros: node1, node10, node100, node101, ... Names that have nothing
to do with the cables would give a random order; ``random-SEED`` is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sortlast import fabric
from sortlast.fabric import Routes

NODES = 144
ARITY = 12  # nodes of a leaf switch
PIXEL_BYTES = 16


@cache
def tree() -> Routes:
    """The cluster with its forwarding tables."""
    return fabric.route(fabric.k_ary_n_tree(ARITY, 2), "ftree")


@cache
def one_switch(p: int) -> Routes:
    """One crossbar with p nodes."""
    return fabric.route(fabric.crossbar(p), "minhop")


def names(hosts: Sequence[int]) -> list[str]:
    """Of hosts of the cluster."""
    return fabric.names(tree().topology, hosts)


def hosts(order: str, p: int) -> list[int]:
    """The first p hosts of the cluster in an order: "routing", "alphabetical" or "random-SEED"."""
    if order == "routing":
        listed = list(range(NODES))
    elif order == "alphabetical":
        listed = sorted(range(NODES), key=lambda host: str(host + 1))
    else:
        listed = fabric.order_hosts(tree().topology, "random", seed=int(order.removeprefix("random-")))
    return listed[:p]
