"""The two constants of the simulation, each from one published time.

    copy   bytes a second that a process moves to others of its node: Table 4.2, one node, where nothing else
    happens link   bytes a second of a node's link: Table 4.4 at m = 512 N on 18 nodes, which share one switch

The paper has 1.14 s (Tables 4.2 and 4.5) and 0.60 s (Table 4.4) for the same cell, m = 512 on one node. In
proportion to m the cells beside it, 1.79 and 1.80 s at m = 800 and 810, belong to 1.14 s, which is therefore
taken.
"""

from __future__ import annotations

from sortlast import Error
from sortlast.study.all_to_all.design import GLOBAL_M, NODES, paper
from sortlast.study.all_to_all.published import cluster, seconds

LINK_NODES = 18
MESSAGE_SECONDS = cluster("latency [s]")  # section 2.1


def copy_rate() -> float:
    """Bytes a second of a process, its own block included."""
    return paper(1, GLOBAL_M).local_bytes / _published("4.2", 1)


def link_rate() -> float:
    """Bytes a second of a node's link, each way."""
    cell = paper(LINK_NODES, GLOBAL_M * LINK_NODES)
    return leaving(cell.per_node * cell.local_bytes, LINK_NODES) / _published("4.4", LINK_NODES)


def leaving(bytes_: float, nodes: int) -> float:
    """The part of what a node holds that goes to other nodes."""
    return bytes_ * (nodes - 1) / nodes


def _published(table: str, nodes: int) -> float:
    found = seconds(table, str(GLOBAL_M))[NODES.index(nodes)]
    if found is None:
        raise Error(f"Table {table} has no time on {nodes} nodes")
    return found
