"""Invented recordings of frames, of which it is known what made them late.

The flow simulator makes the messages, on links of which one may be slow or busy with the traffic of others;
the ranks' starts, work and attention are random.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sortlast import fabric, simulate
from sortlast._simulate import parse_goal
from sortlast.fabric import PortCounters, Routes
from sortlast.trace import Event

RATE = 1e9  # of a link [byte/s]
OVERHEAD = 0.03  # of headers
FABRICS = ("k-ary-n-tree:2,3", "k-ary-n-tree:4,2", "torus:3,3", "pgft:2,2,3;1,2,2;1,1,1")


@dataclass(frozen=True)
class Truth:
    """What made a frame late, and by how much."""

    kind: str  # "start", "work", "link", "traffic", "cable" (of a host), "none"
    rank: int
    channel: int
    factor: float  # of the time that a link or a rank takes, or of the frame that a rank is late


@dataclass(frozen=True)
class Recording:
    """An invented recording with its truth."""

    routes: Routes
    hosts: list[int]
    events: list[list[Event]]
    counters: PortCounters
    truth: Truth
    slowdown: float  # of the frame, by its slow link


def invent(kind: str, seed: int) -> Recording:
    """A frame that was late for a reason of this kind."""
    rng = np.random.default_rng(seed)
    routes = routes_of(str(rng.choice(FABRICS)))
    hosts = rng.permutation(len(routes.topology.hosts)).tolist()
    size = int(rng.integers(100_000, 4_000_000))
    cables, between = used_channels(routes, hosts)
    channel = int(rng.choice(cables if kind == "cable" else between))
    truth = Truth(kind, int(rng.integers(len(hosts))), channel, float(rng.uniform(5, 12)))
    stages = groups(len(hosts), rng)
    return record(routes, hosts, stages, size, truth, rng)


@cache
def routes_of(net: str) -> Routes:
    """A fabric with its tables."""
    return fabric.route(fabric.make_topology(net), "minhop")


def used_channels(routes: Routes, hosts: list[int]) -> tuple[list[int], list[int]]:
    """Channels that messages of all pairs cross: at hosts, and between switches."""
    topology = routes.topology
    used = {channel for a in hosts for b in hosts for channel in routes.walk(a, b)}
    count = len(topology.hosts)
    at_host = {c for c in used if topology.source(c)[0] < count or (topology.target(c) or (0, 0))[0] < count}
    return sorted(at_host), sorted(used - at_host)


def groups(p: int, rng: np.random.Generator) -> list[list[list[int]]]:
    """The groups of each stage: all ranks at once, or first the halves, then pairs of them."""
    if p % 2 or rng.integers(2):
        return [[list(range(p))]]
    half = p // 2
    return [[list(range(half)), list(range(half, p))], [[k, k + half] for k in range(half)]]


def record(
    routes: Routes,
    hosts: list[int],
    stages: list[list[list[int]]],
    size: int,
    truth: Truth,
    rng: np.random.Generator,
) -> Recording:
    """Run a frame in which each rank sends ``size`` bytes to every other of its group, then blends."""
    p = len(hosts)
    background = np.zeros(routes.topology.channels)
    if truth.kind in ("link", "traffic", "cable"):
        background[truth.channel] = 1 - 1 / truth.factor

    # Let the ranks start and blend at random speeds.
    length = p * size / RATE
    starts = rng.uniform(0, 0.02, p) * length
    if truth.kind == "start":
        starts[truth.rank] += truth.factor * length / 4
    starts = np.round(starts, 9)  # whole nanoseconds, as in GOAL
    begin = float(starts.max())
    blending = rng.uniform(0.9, 1.1, (len(stages), p)) * 0.1 * length
    if truth.kind == "work":
        blending[:, truth.rank] *= 4 * truth.factor

    # Simulate, and read when messages and blends began and ended.
    program, keys = write(stages, size, begin, blending)
    run, intact = (
        simulate.flow(
            routes,
            parse_goal(program, "invented"),
            placement=hosts,
            link_bytes_per_second=RATE,
            sends_at_once=0,
            background=shares,
            message_log=True,
        )
        for shares in (background.tolist(), 0)
    )
    events: list[list[Event]] = [[Event("agree", float(start), begin)] for start in starts]
    posted = {(rank, 1): begin for rank in range(p)}
    logged = sorted((keys[number], first, last) for (number, _), (first, last) in log(run))
    begun = {}
    for (activity, stage, rank, _), first, last in logged:
        if activity == "blend":
            begun[rank, stage] = first
            posted[rank, stage + 1] = last
    for (activity, stage, rank, peer), first, last in logged:
        if activity == "blend":
            bytes_ = size * sum(len(group) for group in stages[stage - 1] if rank in group)
            events[rank].append(Event("blend", first, last, bytes=bytes_))
        elif activity == "send":
            noticed = min(last + rng.exponential(0.01) * length, begun[peer, stage])
            events[rank].append(Event("send", first, last, peer, stage, size))
            events[peer].append(Event("receive", posted[peer, stage], noticed, rank, stage, size))
    sent = run.channel_bytes.astype(float) * (1 + OVERHEAD)
    if truth.kind == "traffic":
        sent[truth.channel] += background[truth.channel] * RATE * (run.seconds - begin)
    slowdown = (run.seconds - begin) / (intact.seconds - begin)
    return Recording(routes, hosts, events, counters(sent), truth, slowdown)


def write(
    stages: list[list[list[int]]], size: int, begin: float, blending: NDArray[np.float64]
) -> tuple[str, list[tuple[str, int, int, int]]]:
    """The frame as GOAL, and for each message or computation: activity, stage, rank, peer."""
    p = blending.shape[1]
    lines, keys = [f"num_ranks {p}"], []
    for rank in range(p):
        lines += [f"rank {rank} {{", f"b0: calc {round(begin * 1e9)}"]
        keys.append(("start", 0, rank, -1))
        for stage, members in enumerate(stages, 1):
            peers = [peer for group in members if rank in group for peer in group if peer != rank]
            for peer in peers:
                lines += [
                    f"s{stage}x{peer}: send {size}b to {peer} tag {stage}",
                    f"s{stage}x{peer} requires b{stage - 1}",
                    f"r{stage}x{peer}: recv {size}b from {peer} tag {stage}",
                ]
                keys.append(("send", stage, rank, peer))
            lines.append(f"b{stage}: calc {round(blending[stage - 1, rank] * 1e9)}")
            keys.append(("blend", stage, rank, -1))
            lines += [
                f"b{stage} requires {cause}" for cause in (f"b{stage - 1}", *(f"r{stage}x{k}" for k in peers))
            ]
        lines.append("}")
    return "\n".join(lines) + "\n", keys


def log(run):
    """((message, repetition), (begin, end)) of each message."""
    return zip(run.log_messages.tolist(), run.log_seconds.tolist(), strict=True)


def counters(sent: NDArray[np.float64]) -> PortCounters:
    """Counters of bytes; the others are unknown."""
    unknown = np.full(len(sent), -1, np.int64)
    return PortCounters(sent.astype(np.int64), unknown, unknown, unknown)
