"""Open-loop traffic: packets that begin at random times, regardless of earlier packets."""

from __future__ import annotations

import numpy as np
from peer_booksim import PHITS, Network

from sortlast import simulate
from sortlast._simulate import parse_goal

PACKET_BYTES = 64
# At this link rate a phit takes a nanosecond, so the computations that delay a packet are in cycles.
BYTES_PER_SECOND = PACKET_BYTES / PHITS * 1e9
WARM_UP, MEASURED = 3000, 4000


def bernoulli(hosts: int, load: float, cycles: int, seed: int) -> simulate.Traffic:
    """In each cycle a host begins a packet to another host with probability load / PHITS.

    A host alternates between a computation, which lasts until the next packet begins, and a message.
    """
    random = np.random.default_rng(seed)
    begins = [np.flatnonzero(random.random(cycles) < load / PHITS) for _ in range(hosts)]
    programs: list[list[str]] = [[] for _ in range(hosts)]
    for host, moments in enumerate(begins):
        others = (host + 1 + random.integers(hosts - 1, size=len(moments))) % hosts
        waits = np.diff(moments, prepend=0)
        for i, (wait, other) in enumerate(zip(waits, others, strict=True)):
            programs[host] += [f"c{i}: calc {wait}", f"s{i}: send {PACKET_BYTES}b to {other}"]
            programs[host] += [f"s{i} requires c{i}", *([f"c{i} requires c{i - 1}"] if i else [])]
            programs[other].append(f"recv {PACKET_BYTES}b from {host}")
    ranks = ("\n".join([f"rank {rank} {{", *lines, "}"]) for rank, lines in enumerate(programs))
    return parse_goal("\n".join([f"num_ranks {hosts}", *ranks]), "Bernoulli")


def begins(traffic: simulate.Traffic) -> np.ndarray:
    """The cycle in which each message begins: the sum of its host's computations up to it."""
    computed = np.where(traffic.destination == traffic.source, traffic.size, 0)
    total = np.cumsum(computed)
    first = np.searchsorted(traffic.source, traffic.source)  # by message: the first one of its host
    return np.asarray(total - total[first] + computed[first])


def ours(network: Network, load: float, seed: int) -> dict[str, float]:
    """Mean latency of the packets that begin after the warm-up, and the accepted load from then on."""
    traffic = bernoulli(network.hosts, load, 2 * WARM_UP + MEASURED, seed)
    run = network.ours(traffic, seed=seed, message_log=True, link_bytes_per_second=BYTES_PER_SECOND)
    message, ended = run.message_log[:, 0], run.message_log[:, 3]  # the cycle after the last phit arrived
    sent = (traffic.destination != traffic.source)[message]
    begun = begins(traffic)[message]
    measured = sent & (begun >= WARM_UP) & (begun < WARM_UP + MEASURED)
    arrived = sent & (ended >= WARM_UP) & (ended < WARM_UP + MEASURED)
    return {
        "latency": float(np.mean((ended - 1 - begun)[measured])),
        "accepted": float(np.count_nonzero(arrived) * PHITS / (MEASURED * network.hosts)),
        "seconds": run.elapsed,
    }
