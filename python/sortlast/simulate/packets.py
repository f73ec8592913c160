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

    The model is that of Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection
    Networks", section 3.1; its unit of time is the cycle in which a phit crosses a link. Equal arguments give
    equal runs.

    Args:
        fabric: a fabric, or one with its routing.
        traffic: what its tasks send.
        seed: of everything that is drawn at random.
        first_host: the tasks are on consecutive hosts from this one.
        placement: the host of each task, instead of ``first_host``.
        routing: "adaptive": the port with most credits on a shortest path (the default for a Topology); or an
            engine of :func:`sortlast.fabric.engines`, whose tables are then used; or one of
            :func:`lane_routings`. Routes have theirs.
        roots: the root switches of the routing, as :func:`sortlast.fabric.route` takes them; None: it finds
            them.
        packet_bytes: bytes that a packet carries.
        packet_phits: cycles that a packet takes on a link.
        switch_cycles: cycles from the arrival of a packet's head at a switch until it may leave; packets
            still follow each other without gaps. Without lanes at most ``packet_phits``.
        buffer_packets: packets that the queue at each input port of a switch holds.
        injection_packets: packets that the queue of each host holds.
        arbitration: which input port an output port serves.
        ties: how a port is drawn among those with equally many credits: "uniform", or "fsin", as the
            simulator FSIN does, whose first port has twice the chance of the others.
        requests: when a packet chooses its port: anew in "each-cycle" that it waits at the head of its queue,
            or once, when it comes there, "persistent". Without a choice, as on static routes, they are the
            same.
        link_bytes_per_second: what makes cycles of seconds and seconds of cycles; None: the data rate of most
            links that the fabric's file tells, or 1.25e9 where it tells none.
        sample_cycles: above 0: count the packets in buffers every so many cycles.
        message_log: keep the start and end of every message.
        background: share of each host's link, 0 to 0.99, that packets of others take in the mean. Each goes
            to a host that is drawn at random, and enters its host's queue before packets of the traffic. They
            end with the traffic, and are in ``link_loads``, ``packet_hops`` and ``occupation`` too.
        lanes: virtual lanes of each link, with ``buffer_packets`` each; at least as many as the routing needs
            to be free of deadlock. None: as many as "minimal" and those of :func:`lane_routings` need, and
            one queue a port for all others. On lanes ``requests`` are "each-cycle", ``ties`` "uniform", and
            no samples are taken and there is no background.
        ugal_threshold: of the routing "ugal": phits by which the minimal way may be worse.
        link_cycles: on lanes: further cycles that a phit, and a credit on its way back, is under way between
            two switches.
        global_cycles: the same between two groups of a dragonfly or dragonfly+.
        allocation: when a packet gets its lane: "together" with its port, when it leaves; or "lane-first",
            before the port, which may be busy, as BookSim2 allocates.
        progress: called now and then with the part done, 0 to 1; what it raises ends the run, as False does.

    Raises:
        ArgumentError: tasks do not fit on the hosts, an argument is out of its range, no such routing.
        Error: packets or messages wait for each other for ever: the message names them; or tables lead
            nowhere.
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
    """Whether packets go by virtual lanes."""
    if lane_count(lanes) > 0:
        return True
    name = routing if isinstance(fabric, Topology) else fabric.engine
    return name == "minimal" or name in dict(_simulate.lane_routings())


def lane_count(lanes: int | None) -> int:
    """Lanes as the core takes them: 0 for None. Raises ArgumentError for fewer than 1."""
    if lanes is not None and lanes < 1:
        raise ArgumentError(f"lanes is {lanes}; expected 1 or more")
    return lanes or 0


def lane_routes(
    fabric: Topology | Routes,
    routing: str | None,
    roots: Sequence[str] | Sequence[int] | None = None,
) -> _simulate.LaneRoutes:
    """The routing on lanes. Raises ArgumentError if none is named, or beside one that is there."""
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
    """The routes to use. Raises ArgumentError if a routing is asked for beside one that is there."""
    if isinstance(fabric, Topology):
        return route(fabric, str(routing), roots=roots)
    if routing is None and roots is None:
        return fabric
    given = f"routing is {routing!r}" if routing is not None else "roots are given"
    raise ArgumentError(f"{given}, but the fabric comes with the routes of {fabric.engine!r}")


def _consecutive(topology: Topology, traffic: Traffic, first: int) -> list[int]:
    """Consecutive hosts. Raises ArgumentError if there are not as many."""
    hosts = len(topology.hosts)
    if first < 0 or first + traffic.tasks > hosts:
        raise ArgumentError(f"{traffic.tasks} tasks from host {first} on do not fit: there are {hosts} hosts")
    return list(range(first, first + traffic.tasks))
