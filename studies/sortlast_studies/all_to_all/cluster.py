"""The paper's cluster: its fabric, which nodes a job has, its two constants, and an exchange as traffic.

Section 3.1: six leaf modules of 18 nodes under a spine. The paper does not say how many links a leaf module
has upward. Switches of this InfiniBand generation have 36 ports, so *full* has 18 up, two to each of nine
spine switches, and *half* has nine, to show what fewer would do. Routing is that of OpenSM's ftree.

Constants of the simulation come from one published time each. Without a cost of a message there are two:
what a process copies within its node, from Table 4.2 on one node, where nothing else happens; and what a
node's link carries, from Table 4.4 at m = 512 N on 18 nodes, which share one switch. The paper has 1.14 s
(Tables 4.2 and 4.5) and 0.60 s (Table 4.4) for the same cell, m = 512 on one node. In proportion to m the
cells beside it, 1.79 and 1.80 s at m = 800 and 810, belong to 1.14 s, which is therefore taken.

With a cost of a message there are three: each message of vectors holds its node's link for a time of its
own beside that of its bytes. This time and the rate of the link come from two cells together, that of the
link and Table 4.2 on 36 nodes, where messages are shortest. What the time is spent on is not published.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from sortlast import fabric
from sortlast._simulate import Traffic, parse_goal
from sortlast.fabric import Routes
from sortlast_studies.all_to_all.design import (
    GLOBAL_M,
    LEAF,
    NODES,
    PAPER,
    Design,
    at,
    m_of,
    of_cluster,
    paper,
)

LINK_NODES = 18  # of the cell that gives the rate of a link
MESSAGE_NODES = 36  # of the cell that gives the cost of a message
MESSAGE_SECONDS = 1e-6 * of_cluster("latency")
NAMES = {"posted": "MPI_Alltoallv", "shift": "shift"}  # of the ways to exchange vectors
CONNECTED = 64  # processes above which MVAPICH2 connects two when they first talk
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
    return f"pgft:{LEAF},{int(of_cluster('leaf modules'))};1,{_SPINES};1,{TREES[tree]}"


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


# --- the constants ------------------------------------------------------------------------------------


def copy_rate() -> float:
    """Bytes a second of a process, its own block included."""
    return paper(1, GLOBAL_M).local_bytes / PAPER.value("Table 4.2", "m = 512", at(1))


def link_rate() -> float:
    """Bytes a second of a node's link, each way."""
    cell = paper(LINK_NODES, GLOBAL_M * LINK_NODES)
    return leaving(cell.node_array, LINK_NODES) / PAPER.value("Table 4.4", m_of(GLOBAL_M), at(LINK_NODES))


@dataclass(frozen=True)
class Link:
    """``rate``: bytes a second each way; ``held``: seconds that a message holds it beside its bytes."""

    rate: float
    held: float = 0.0

    @property
    def held_bytes(self) -> int:
        """The bytes that take as long."""
        return round(self.held * self.rate)


@cache
def link(*, message_cost: bool) -> Link:
    """A node's link, with a cost of a message or without.

    With it the two constants solve two equations: a node's bytes over the rate, and its messages to other
    nodes times the cost, are the published times of the two cells.
    """
    if not message_cost:
        return Link(link_rate())
    by_rate = paper(LINK_NODES, GLOBAL_M * LINK_NODES)
    by_cost = paper(MESSAGE_NODES, GLOBAL_M)
    times = (
        PAPER.value("Table 4.4", m_of(GLOBAL_M), at(LINK_NODES)),
        PAPER.value("Table 4.2", "m = 512", at(MESSAGE_NODES)),
    )
    (b1, m1), (b2, m2) = (
        (leaving(cell.node_array, cell.nodes), messages(cell)) for cell in (by_rate, by_cost)
    )
    inverse = (times[0] * m2 - times[1] * m1) / (b1 * m2 - b2 * m1)
    return Link(1 / inverse, (times[1] - b2 * inverse) / m2)


def messages(cell: Design) -> int:
    """Messages that the processes of a node send to other nodes."""
    return cell.per_node * (cell.p - cell.per_node)


def leaving(bytes_: float, nodes: int) -> float:
    """The part of what a node holds that goes to other nodes."""
    return bytes_ * (nodes - 1) / nodes


def connection_seconds() -> float:
    """What setting up a connection takes if all of MPI_Alltoallv(int) on 36 nodes is that: Table 4.5."""
    time = PAPER.value("Table 4.5", "B. MPI_Alltoallv(int)", at(NODES[-1]))
    return time / (paper(NODES[-1], GLOBAL_M).p - 1)


def connecting(nodes: int) -> float:
    """Seconds to connect a process with all others, where MVAPICH2 does it at the first message."""
    p = paper(nodes, GLOBAL_M).p
    return (p - 1) * connection_seconds() if p > CONNECTED else 0.0


# --- the exchange -------------------------------------------------------------------------------------


def traffic(way: str, size: int, hosts: Sequence[int], copy_rate: float, held_bytes: int = 0) -> Traffic:
    """All blocks of an all-to-all; a message within a node is a copy: its sender computes, one at a time.

    Args:
        way: "posted", MPI_Alltoallv as MPICH and its descendants do it: to rank + 1, rank + 2, ..., without
            waiting for stages; or "shift": at stage s rank i sends to i + s, and goes on when it has received
            and copied what belongs to the stage.
        size: of each block, in bytes.
        hosts: of each rank; several may be on one.
        copy_rate: bytes a second that a rank copies.
        held_bytes: by which a message to another node is longer, for what it costs beside its bytes.
    """
    copy = round(size / copy_rate * 1e9)
    lines = [f"num_ranks {len(hosts)}"]
    for rank in range(len(hosts)):
        lines += [f"rank {rank} {{", *_program(rank, way, size + held_bytes, hosts, copy), "}"]
    return parse_goal("\n".join(lines) + "\n", way)


def _program(rank: int, way: str, size: int, hosts: Sequence[int], copy: int) -> Iterator[str]:
    """What a rank does, as lines of GOAL, in which ``calc`` takes nanoseconds."""
    p = len(hosts)
    before: list[str] = []  # what ended the stage before
    copied = ""
    for s in range(p):
        to, source = (rank + s) % p, (rank - s) % p
        ends, waits = [], before if way == "shift" else []
        if hosts[to] == hosts[rank]:
            started = f"c{s}"
            yield f"{started}: calc {copy}"
            if way == "posted" and copied:
                waits = [copied]
            copied = started
        else:
            started = f"s{s}"
            yield f"{started}: send {size}b to {to} tag {s}"
        ends.append(started)
        if hosts[source] != hosts[rank]:
            yield f"r{s}: recv {size}b from {source} tag {s}"
            ends.append(f"r{s}")
        yield from (f"{started} requires {end}" for end in waits)
        before = ends
