"""The networks, and the cabling of the nodes' adapters."""

from __future__ import annotations

from functools import cache

from sortlast import fabric
from sortlast.fabric import Routes

GPUS = 8  # per node, each with an adapter
LINK = 100e9  # byte/s: 800 Gbit/s
CROSSBAR, FAT, HALF, DRAGONFLY = "one switch", "fat-tree", "half a fat-tree", "dragonfly"
NETWORKS = {
    CROSSBAR: ("pgft:2048;1;1", "d-mod-k", "all adapters on one switch, without contention in links"),
    FAT: ("pgft:32,64;1,32;1,1", "d-mod-k", "switches of 64 ports: 32 adapters and 32 links up on a leaf"),
    HALF: ("pgft:32,64;1,16;1,1", "d-mod-k", "the same with 16 links up"),
    DRAGONFLY: (
        "dragonfly:8,16,8,16",
        "minimal",
        "16 groups of 16 switches with 8 adapters and 8 global links each, by shortest paths",
    ),
}
BY_NODE, BY_RAIL = "by node", "by rail"
CABLINGS = {
    BY_NODE: "the eight adapters of a node lie side by side on a switch",
    BY_RAIL: "a switch has adapter j of all nodes near it, its neighbour adapter j + 1",
}


@cache
def routes(name: str) -> Routes:
    """A network with its tables."""
    net, engine, _ = NETWORKS[name]
    return fabric.route(fabric.make_topology(net), engine)


def adapters_of_a_switch(name: str) -> int:
    """Number of adapters per switch."""
    return {DRAGONFLY: 8}.get(name, 32)


def host(name: str, cabling: str, node: int, gpu: int) -> int:
    """The number of the host in the network where an adapter is plugged in."""
    if cabling == BY_NODE:
        return GPUS * node + gpu
    near = adapters_of_a_switch(name)  # nodes that share eight switches, one adapter on each
    return node // near * near * GPUS + gpu * near + node % near
