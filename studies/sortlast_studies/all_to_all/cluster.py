"""The paper's cluster: its fabric, the nodes of a job, its constants, and an exchange as traffic.

Section 3.1: six leaf modules of 18 nodes under a spine. The paper does not give the number of up-links of a
leaf module. Switches of this InfiniBand generation have 36 ports, so *full* has 18 up-links, two to each of
nine spine switches, and *half* has nine, to show the effect of fewer links. Routes are those of OpenSM's
ftree engine.

Each constant of the simulation is derived from one published time. Without a cost per message there are two:
the copy rate of a process within its node, from Table 4.2 on one node, where nothing else happens; and the
rate of a node's link, from Table 4.4 at m = 512 N on 18 nodes, which share one switch. The paper has 1.14 s
(Tables 4.2 and 4.5) and 0.60 s (Table 4.4) for the same cell, m = 512 on one node. In proportion to m the
neighbouring cells, 1.79 and 1.80 s at m = 800 and 810, match 1.14 s, which is therefore taken.

With a cost per message there are three: in addition to the time of its bytes, each message of vectors holds
its node's link for a fixed time. This time and the rate of the link are derived together from two cells, the
cell of the link and Table 4.2 on 36 nodes, where messages are shortest. The cause of this time is not
published.
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

LINK_NODES = 18  # in the cell that gives the rate of a link
MESSAGE_NODES = 36  # in the cell that gives the cost of a message
MESSAGE_SECONDS = 1e-6 * of_cluster("latency")
NAMES = {"posted": "MPI_Alltoallv", "shift": "shift"}  # exchanges of vectors
CONNECTED = 64  # processes above which MVAPICH2 connects two at their first message
_SPINES = 9
TREES = {"full": 2, "half": 1}  # links from a leaf module to each spine switch

# Nodes of a job: consecutive, as the paper requested them by name (up to 18 on one leaf module, 36 on two),
# or any nodes of the cluster, as a scheduler assigns them; ranks in routing order or in random order.
PLACEMENTS = {
    "packed": "whole leaf modules, in order",
    "packed shuffled": "whole leaf modules, out of order",
    "scattered": "any nodes, in order",
    "scattered shuffled": "any nodes, out of order",
}


def family(tree: str) -> str:
    """The fabric as a name for :func:`sortlast.fabric.make_topology`; one of :data:`TREES`."""
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
    """Bytes per second of a process, including its own block."""
    return paper(1, GLOBAL_M).local_bytes / PAPER.value("Table 4.2", "m = 512", at(1))


def link_rate() -> float:
    """Bytes per second of a node's link, each way."""
    cell = paper(LINK_NODES, GLOBAL_M * LINK_NODES)
    return leaving(cell.node_array, LINK_NODES) / PAPER.value("Table 4.4", m_of(GLOBAL_M), at(LINK_NODES))


@dataclass(frozen=True)
class Link:
    """``rate``: bytes per second each way; ``held``: seconds per message in addition to its bytes."""

    rate: float
    held: float = 0.0

    @property
    def held_bytes(self) -> int:
        """The bytes that take as long as ``held``."""
        return round(self.held * self.rate)


@cache
def link(*, message_cost: bool) -> Link:
    """A node's link, with or without a cost per message.

    With it, the two constants solve two equations: a node's bytes over the rate, plus its messages to other
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
    """Number of messages from the processes of a node to other nodes."""
    return cell.per_node * (cell.p - cell.per_node)


def leaving(bytes_: float, nodes: int) -> float:
    """The part of a node's bytes that is sent to other nodes."""
    return bytes_ * (nodes - 1) / nodes


def connection_seconds() -> float:
    """Time per connection if set-up takes all of MPI_Alltoallv(int) on 36 nodes, Table 4.5."""
    time = PAPER.value("Table 4.5", "B. MPI_Alltoallv(int)", at(NODES[-1]))
    return time / (paper(NODES[-1], GLOBAL_M).p - 1)


def connecting(nodes: int) -> float:
    """Seconds to connect a process with all others, if MVAPICH2 connects at the first message."""
    p = paper(nodes, GLOBAL_M).p
    return (p - 1) * connection_seconds() if p > CONNECTED else 0.0


# --- the exchange -------------------------------------------------------------------------------------


def traffic(way: str, size: int, hosts: Sequence[int], copy_rate: float, held_bytes: int = 0) -> Traffic:
    """All blocks of an all-to-all; a message within a node is a copy, which keeps its sender busy.

    Args:
        way: "posted", MPI_Alltoallv as in MPICH and its descendants: to rank + 1, rank + 2, ..., without
            waiting for stages; or "shift": at stage s rank i sends to i + s, and proceeds when it has
            received and copied all data of the stage.
        size: bytes per block.
        hosts: host of each rank; several ranks may share one.
        copy_rate: bytes per second that a rank copies.
        held_bytes: added to each message to another node, for its cost in addition to its bytes.
    """
    copy = round(size / copy_rate * 1e9)
    lines = [f"num_ranks {len(hosts)}"]
    for rank in range(len(hosts)):
        lines += [f"rank {rank} {{", *_program(rank, way, size + held_bytes, hosts, copy), "}"]
    return parse_goal("\n".join(lines) + "\n", way)


def _program(rank: int, way: str, size: int, hosts: Sequence[int], copy: int) -> Iterator[str]:
    """The program of a rank as lines of GOAL, where ``calc`` takes nanoseconds."""
    p = len(hosts)
    before: list[str] = []  # operations that end the previous stage
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
