"""The packet simulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from sortlast import _simulate
from sortlast._errors import ArgumentError
from sortlast._simulate import PacketResult, Traffic
from sortlast.fabric import Routes, Topology, route
from sortlast.fabric.routing import switches
from sortlast.simulate.links import link_rate


def packet(
    fabric: Topology | Routes,
    traffic: Traffic,
    *,
    seed: int = 17,
    first_host: int = 0,
    placement: Sequence[int] | None = None,
    routing: str | None = None,
    roots: Sequence[str] | Sequence[int] | None = None,
    packet_bytes: int = 64,
    packet_phits: int = 16,
    switch_cycles: int = 1,
    buffer_packets: int = 4,
    injection_packets: int = 8,
    arbitration: Literal["random", "round-robin"] = "random",
    ties: Literal["uniform", "fsin"] = "uniform",
    requests: Literal["each-cycle", "persistent"] = "each-cycle",
    link_bytes_per_second: float | None = None,
    sample_cycles: int = 0,
    message_log: bool = False,
    background: float = 0,
    lanes: int | None = None,
    ugal_threshold: int = 0,
    link_cycles: int = 0,
    global_cycles: int = 0,
    allocation: Literal["together", "lane-first"] = "together",
    progress: Callable[[float], object] | None = None,
) -> PacketResult:
    """Simulate traffic packet by packet: virtual cut-through, input-buffered switches, credits.

    The model is described in Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection
    Networks", section 3.1; its unit of time is the cycle in which a phit crosses a link. Equal arguments give
    equal runs.

    Args:
        fabric: a fabric, or one with its routing.
        traffic: the messages of its tasks.
        seed: of all random choices.
        first_host: tasks are placed on consecutive hosts from this one.
        placement: the host of each task, instead of ``first_host``.
        routing: "adaptive": the port with most credits on a shortest path (the default for a Topology); or an
            engine of :func:`sortlast.fabric.engines`, which computes tables; or one of
            :func:`lane_routings`. Not with Routes.
        roots: the root switches of the routing, as for :func:`sortlast.fabric.route`; None: it finds them.
        packet_bytes: bytes that a packet carries.
        packet_phits: cycles that a packet takes on a link.
        switch_cycles: cycles from the arrival of a packet's head at a switch until it may leave; packets
            still follow each other without gaps. Without lanes at most ``packet_phits``.
        buffer_packets: packets that the queue at each input port of a switch holds.
        injection_packets: packets that the queue of each host holds.
        arbitration: how an output port chooses an input port.
        ties: how one of several ports with equally many credits is chosen: "uniform" at random, or "fsin", as
            in the simulator FSIN, with twice the probability for the first port.
        requests: when a packet chooses its port: in "each-cycle" that it waits at the head of its queue, or
            once on arriving there, "persistent". They are equal for routings without a choice, such as static
            routes.
        link_bytes_per_second: converts between cycles and seconds; None: the most common data rate in the
            fabric's file, or 1.25e9 if it has none.
        sample_cycles: if above 0, the interval in cycles at which packets in buffers are counted.
        message_log: keep the start and end of every message.
        background: fraction of each host's link, 0 to 0.99, that other packets take on average. Each goes to
            a random host, and enters its host's queue before packets of the traffic. They end with the
            traffic, and are included in ``link_loads``, ``packet_hops`` and ``occupation``.
        lanes: virtual lanes of each link, with ``buffer_packets`` each; at least as many as the routing needs
            to be deadlock-free. None: as many as necessary for "minimal" and :func:`lane_routings`, and one
            queue per port for all other routings. With lanes, ``requests`` must be "each-cycle", ``ties``
            "uniform", and there are no samples and no background.
        ugal_threshold: for the routing "ugal": phits by which the minimal path may be worse.
        link_cycles: with lanes: additional cycles of latency between two switches, for a phit and for a
            credit on its way back.
        global_cycles: the same between two groups of a dragonfly or dragonfly+.
        allocation: when a packet gets its lane: "together" with its port, when it leaves; or "lane-first",
            before the port, which may be busy, as in BookSim2.
        progress: called repeatedly with the fraction done, 0 to 1; an exception or the result False ends the
            run.

    Raises:
        ArgumentError: tasks do not fit on the hosts, an argument is out of range, no such routing.
        Error: packets or messages deadlock (the text names them), or tables lead nowhere.
    """
    topology = fabric if isinstance(fabric, Topology) else fabric.topology
    options = _simulate.PacketOptions(
        packet_bytes=packet_bytes,
        packet_phits=packet_phits,
        switch_cycles=switch_cycles,
        buffer_packets=buffer_packets,
        injection_packets=injection_packets,
        arbitration=arbitration,
        ties=ties,
        requests=requests,
        seed=seed,
        link_bytes_per_second=link_rate(fabric) if link_bytes_per_second is None else link_bytes_per_second,
        sample_cycles=sample_cycles,
        message_log=message_log,
        background=background,
    )
    hosts = list(placement) if placement is not None else _consecutive(topology, traffic, first_host)
    if on_lanes(fabric, routing, lanes):
        if (requests, ties, sample_cycles, background) != ("each-cycle", "uniform", 0, 0):
            raise ArgumentError(
                "on lanes requests are 'each-cycle', ties 'uniform', and sample_cycles and background 0"
            )
        on = _simulate.LaneOptions(
            lanes=lane_count(lanes),
            ugal_threshold=ugal_threshold,
            link_cycles=link_cycles,
            global_cycles=global_cycles,
            allocation=allocation,
        )
        found = lane_routes(fabric, routing, roots)
        return _simulate.simulate_lanes(found, traffic, hosts, options, on, progress)
    if link_cycles or global_cycles or ugal_threshold or allocation != "together":
        raise ArgumentError(
            "link_cycles, global_cycles, ugal_threshold and allocation are of virtual lanes; give lanes too"
        )
    if isinstance(fabric, Topology) and routing in (None, "adaptive"):
        if roots is not None:
            raise ArgumentError("routing 'adaptive' takes shortest paths and has no roots")
        return _simulate.simulate_adaptive(fabric, traffic, hosts, options, progress)
    return _simulate.simulate_static(_routes(fabric, routing, roots), traffic, hosts, options, progress)


def on_lanes(fabric: Topology | Routes, routing: str | None, lanes: int | None) -> bool:
    """Whether packets use virtual lanes."""
    if lane_count(lanes) > 0:
        return True
    name = routing if isinstance(fabric, Topology) else fabric.engine
    return name == "minimal" or name in dict(_simulate.lane_routings())


def lane_count(lanes: int | None) -> int:
    """Convert lanes for the core: 0 for None. Raises ArgumentError for fewer than 1."""
    if lanes is not None and lanes < 1:
        raise ArgumentError(f"lanes is {lanes}; expected 1 or more")
    return lanes or 0


def lane_routes(
    fabric: Topology | Routes,
    routing: str | None,
    roots: Sequence[str] | Sequence[int] | None = None,
) -> _simulate.LaneRoutes:
    """The routing on lanes. Raises ArgumentError if none is named, or if the fabric has routes already."""
    if not isinstance(fabric, Topology):
        return _simulate.lane_routes_of(_routes(fabric, routing, roots))
    if routing in (None, "adaptive"):
        names = ", ".join(["minimal", *dict(_simulate.lane_routings())])
        raise ArgumentError(f"routing 'adaptive' has no lanes; take an engine or one of {names}")
    numbers = [] if roots is None else switches(fabric, roots)
    return _simulate.lane_routes(fabric, str(routing), roots=numbers)


def _routes(
    fabric: Topology | Routes, routing: str | None, roots: Sequence[str] | Sequence[int] | None
) -> Routes:
    """The routes to use. Raises ArgumentError if a routing is given for a fabric with routes."""
    if isinstance(fabric, Topology):
        return route(fabric, str(routing), roots=roots)
    if routing is None and roots is None:
        return fabric
    given = f"routing is {routing!r}" if routing is not None else "roots are given"
    raise ArgumentError(f"{given}, but the fabric comes with the routes of {fabric.engine!r}")


def _consecutive(topology: Topology, traffic: Traffic, first: int) -> list[int]:
    """Consecutive hosts. Raises ArgumentError if there are too few."""
    hosts = len(topology.hosts)
    if first < 0 or first + traffic.tasks > hosts:
        raise ArgumentError(f"{traffic.tasks} tasks from host {first} on do not fit: there are {hosts} hosts")
    return list(range(first, first + traffic.tasks))
