"""Throughput and delay over the load: packets begin at random, independent of earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from sortlast import _simulate
from sortlast._simulate import LoadResult
from sortlast.fabric import Routes, Topology
from sortlast.simulate.packets import lane_count, lane_routes


def load(
    fabric: Topology | Routes,
    offered: float,
    traffic: Literal["uniform", "next-group"] = "uniform",
    *,
    routing: str | None = None,
    roots: Sequence[str] | Sequence[int] | None = None,
    lanes: int | None = None,
    ugal_threshold: int = 0,
    link_cycles: int = 0,
    global_cycles: int = 0,
    allocation: Literal["together", "lane-first"] = "together",
    seed: int = 17,
    packet_phits: int = 16,
    switch_cycles: int = 1,
    buffer_packets: int = 4,
    arbitration: Literal["random", "round-robin"] = "random",
    warm_up: int = 3000,
    measured: int = 5000,
    drain: int = 20000,
    progress: Callable[[float], object] | None = None,
) -> LoadResult:
    """Simulate an open loop: in each cycle each host creates a packet with probability ``offered`` / P.

    Hosts keep packets in unlimited queues. Packets created in the ``measured`` cycles after ``warm_up``
    count; the run ends when all of them have arrived, or ``drain`` cycles later. Switches are as in
    :func:`packet` with ``lanes``. Equal arguments give equal runs.

    Args:
        fabric: a fabric, or one with its routing.
        offered: phits that a host creates per cycle, 0 to 1.
        traffic: "uniform": each packet goes to any other host; "next-group": to any host of the next group of
            a dragonfly or dragonfly+; its minimal paths share the few links between the two groups.
        routing: an engine of :func:`sortlast.fabric.engines` or one of :func:`lane_routings`.
        roots: the root switches of the routing, as for :func:`sortlast.fabric.route`; None: it finds them.
        lanes: virtual lanes of each link; None: as many as the routing needs.
        ugal_threshold: for the routing "ugal": phits by which the minimal path may be worse.
        link_cycles: additional cycles of latency between two switches, for a phit and for a credit on its
            way back.
        global_cycles: the same between two groups of a dragonfly or dragonfly+.
        allocation: when a packet gets its lane, as in :func:`packet`.
        seed: of all random choices.
        packet_phits: P, cycles that a packet takes on a link.
        switch_cycles: cycles from the arrival of a packet's head at a switch until it may leave.
        buffer_packets: packets that a lane's queue holds.
        arbitration: how an output port chooses an input port.
        warm_up: cycles before packets count.
        measured: cycles in which counted packets are created.
        drain: maximum cycles to wait for counted packets.
        progress: called repeatedly with the fraction done, 0 to 1; an exception or the result False ends the
            run.

    Raises:
        ArgumentError: an argument is out of range, no such routing, a fabric that it does not support, or one
            without groups.
        Error: packets deadlock.
    """
    lane_options = _simulate.LaneOptions(
        lanes=lane_count(lanes),
        ugal_threshold=ugal_threshold,
        link_cycles=link_cycles,
        global_cycles=global_cycles,
        allocation=allocation,
    )
    options = _simulate.PacketOptions(
        seed=seed,
        packet_phits=packet_phits,
        switch_cycles=switch_cycles,
        buffer_packets=buffer_packets,
        arbitration=arbitration,
    )
    routes = lane_routes(fabric, routing, roots)
    return _simulate.simulate_load(
        routes, offered, traffic, options, lane_options, warm_up, measured, drain, progress
    )
