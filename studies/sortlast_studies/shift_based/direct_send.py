"""Direct-send on the modelled cluster: which mechanisms halve its bandwidth, tried one at a time.

Every rank sends to each other rank the piece of that rank, without synchronization. The paper does not give
the order; it calls the pattern unpredictable, with several senders to one receiver at a time. The simulations
vary the order, and the mechanisms by which a crowded receiver can slow other receivers:

- a sender that serves its messages one by one, so that it waits with its receiver (``sends_at_once``);
- queues in which packets for a crowded port block the packets behind them (packets, not flows);
- links shared by messages to several receivers (the tree, not one switch with as many ports).

No constant is fitted to the published rates of direct-send, and blending takes no time.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from sortlast import _simulate, simulate
from sortlast_studies.shift_based import cluster
from sortlast_studies.shift_based.cluster import by_bandwidths
from sortlast_studies.shift_based.frames import PACKET_BYTES
from sortlast_studies.steps import Json, PartDone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast.fabric import Routes
    from sortlast.simulate import Traffic

PIXELS = 4096 * 2048
Order = Literal["shift", "rank", "random"]


@dataclass(frozen=True)
class Mechanism:
    """One way to simulate direct-send.

    Attributes:
        key: part of the names of its steps.
        text: description in reports; on the fat-tree unless it names a network.
        order: order of a rank's destinations: "shift": i + 1, i + 2, ...; "rank": 0, 1, ...; "random".
        packets: packets, or flows.
        tree: the cluster's fat-tree, or one switch.
        sends_at_once: concurrent messages per rank, for flows; 0: all of them.
        piece: bytes of the pieces that an adapter takes from each message in turn, for packets; 0: it sends
            one message after the other.
    """

    key: str
    text: str
    order: Order
    packets: bool = True
    tree: bool = True
    sends_at_once: int = 1
    piece: int = 0

    @property
    def quick(self) -> bool:
        """Whether it belongs to the quick study."""
        return self.piece == 0 and self.order != "rank"


EXPLANATION = Mechanism("random-packets-tree", "random order, one at a time; packets, fat-tree", "random")
MECHANISMS = (
    Mechanism("at-once-flows", "all at once, links shared; flows", "shift", packets=False, sends_at_once=0),
    Mechanism("shift-flows", "order of a shift, one at a time; flows", "shift", packets=False),
    Mechanism("shift-packets", "order of a shift, one at a time; packets", "shift"),
    Mechanism(
        "random-flows-switch",
        "random order, one at a time; flows, one switch",
        "random",
        packets=False,
        tree=False,
    ),
    Mechanism("random-flows-tree", "random order, one at a time; flows, fat-tree", "random", packets=False),
    Mechanism(
        "random-packets-switch", "random order, one at a time; packets, one switch", "random", tree=False
    ),
    EXPLANATION,
    Mechanism("turns-32", "32 KiB of each message in turn; packets", "rank", piece=2**15),
    Mechanism("turns-128", "128 KiB of each message in turn; packets", "rank", piece=2**17),
    Mechanism("rank-packets", "to rank 0, 1, 2, ..., one at a time; packets", "rank"),
)


def traffic(mechanism: Mechanism, p: int, pixels: int, seed: int) -> Traffic:
    """The messages of a frame of direct-send, in the order in which each rank sends them."""
    generator = random.Random(seed)
    lines, arrivals = [], []
    for source in range(p):
        sends = [
            (to, _piece_bytes(to, p, pixels)) for to in _destinations(mechanism.order, source, p, generator)
        ]
        for turn, (to, count) in _turns(sends, mechanism.piece):
            lines.append(f"s {source} {to} {turn} {count}")
            arrivals.append(f"r {source} {to} {turn} {count}")
    return _simulate.parse_fsin("\n".join(lines + arrivals), f"direct-send, {mechanism.text}")


def simulated(
    mechanism: Mechanism, p: int, order: str, seed: int, part_done: PartDone, pixels: int = PIXELS
) -> Json:
    """Frames per second, and the number of messages under way to one receiver.

    ``order`` is the order of the nodes, see :func:`sortlast_studies.shift_based.cluster.hosts`.
    """
    sent = traffic(mechanism, p, pixels, seed)
    routes, hosts = _network(mechanism, p, order)
    link = by_bandwidths().link
    if mechanism.packets:
        packets = simulate.packet(
            routes,
            sent,
            placement=hosts,
            packet_bytes=PACKET_BYTES,
            link_bytes_per_second=link,
            message_log=True,
            progress=part_done,
        )
        log = packets.message_log
        return _found(packets.seconds, sent, log[:, 0], log[:, 2:])
    flows = simulate.flow(
        routes,
        sent,
        placement=hosts,
        link_bytes_per_second=link,
        sends_at_once=mechanism.sends_at_once,
        message_log=True,
        progress=part_done,
    )
    return _found(flows.seconds, sent, flows.log_messages[:, 0], flows.log_seconds)


def under_way(receiver: NDArray[np.int32], times: NDArray[np.float64]) -> float:
    """Mean number of messages under way to a receiver while there is at least one, over all receivers.

    Args:
        receiver: receiver of each message.
        times: start and end of each message, (messages, 2), in any unit.
    """
    means = []
    for each in np.unique(receiver):
        mine = times[receiver == each]
        moments = np.concatenate([mine[:, 0], mine[:, 1]])
        change = np.repeat([1, -1], len(mine))
        by_time = np.argsort(moments, kind="stable")
        count = np.cumsum(change[by_time])[:-1]
        last = np.diff(moments[by_time])
        busy = last[count > 0].sum()
        if busy > 0:
            means.append((count * last).sum() / busy)
    return float(np.mean(means)) if means else 0.0


def _found(
    seconds: float, sent: Traffic, logged: NDArray[np.int64], times: NDArray[np.int64] | NDArray[np.float64]
) -> Json:
    return {
        "fps": 1 / seconds,
        "under_way": under_way(sent.destination[logged], np.asarray(times, np.float64)),
    }


def _network(mechanism: Mechanism, p: int, order: str) -> tuple[Routes, list[int]]:
    if mechanism.tree:
        return cluster.tree(p), cluster.hosts(order, p)
    return cluster.one_switch(p), list(range(p))


def _destinations(order: Order, source: int, p: int, generator: random.Random) -> list[int]:
    shifted = [(source + s) % p for s in range(1, p)]
    if order == "shift":
        return shifted
    if order == "rank":
        return sorted(shifted)
    generator.shuffle(shifted)
    return shifted


def _piece_bytes(rank: int, p: int, pixels: int) -> int:
    """Bytes of the pixels that a rank composites."""
    return cluster.PIXEL_BYTES * ((rank + 1) * pixels // p - rank * pixels // p)


def _turns(sends: Sequence[tuple[int, int]], piece: int) -> list[tuple[int, tuple[int, int]]]:
    """(turn, (destination, bytes)) in the order of sending; without pieces there is only one turn."""
    if piece == 0:
        return [(0, send) for send in sends]
    turns = -(-max(count for _, count in sends) // piece)
    return [
        (turn, (to, min(piece, count - turn * piece)))
        for turn in range(turns)
        for to, count in sends
        if count > turn * piece
    ]
