"""Chooses the algorithm for a fabric, by simulating every candidate's frame on the job's nodes.

Candidates are the algorithms of :func:`sortlast.schedule.choose`, plus other orders of radix-k's k vectors,
and two rings for shift and direct-send: rank order, and the order of hosts in the fabric's routing. The bytes
on the fullest link give a lower bound for the time of a frame. The bound is cheap, so candidates are
simulated in ascending order of bounds until the bound exceeds the best frame so far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations

from sortlast import _fabric, schedule
from sortlast._errors import ArgumentError
from sortlast.fabric import Routes, Topology, channel_bytes, order_hosts, placement, route
from sortlast.fabric.nodes import Nodes, Placement
from sortlast.schedule import Machine
from sortlast.simulate.flows import flow, frame_traffic
from sortlast.simulate.links import link_rates

Progress = Callable[[float], object]

_FOLLOW_THE_RING = ("shift", "direct-send")
_MOST_ORDERS = 24  # of the numbers of one k vector
_ROUNDING = 1e-6  # relative error of a bound by rounding to whole bytes and nanoseconds


@dataclass(frozen=True)
class FrameTime:
    """The time of a frame with one algorithm.

    Attributes:
        name: the algorithm, with all parameters.
        ring: ranks in communication order; None: rank order.
        least: lower bound, from the bytes on its fullest link [s].
        seconds: of the simulated frame [s]; None: not simulated, as ``least`` exceeds the best frame.
    """

    name: str
    ring: tuple[int, ...] | None
    least: float
    seconds: float | None


@dataclass(frozen=True)
class JobFabric:
    """The network of a job, for :func:`choose` and ``sortlast.Compositor(fabric=...)``.

    Must be the same on all ranks. Each rank simulates by itself: 60 ranks take a second, 256 ranks seconds on
    a tree and minutes on a torus. The result depends only on these values.

    Args:
        fabric: a fabric, or one with its routing.
        nodes: the host of each rank in order, as for :func:`sortlast.fabric.placement`; several ranks may
            share one.
        pixels: of an image.
        pixel_bytes: bytes per pixel.
        active: fraction of an image's pixels that are active, above 0 up to 1.
        machine: ``alpha`` is the cost of a message, ``beta`` the cost of a byte if the fabric's file has no
            rates, and its gammas are the costs of blending; None: the defaults.
        routing: an engine of :func:`sortlast.fabric.engines`, for a fabric without routes.
        order: ranks from front to back; None: rank order.
    """

    fabric: Topology | Routes
    nodes: Nodes
    pixels: int
    pixel_bytes: int = 16
    active: float = 1.0
    machine: Machine | None = None
    routing: str = "ftree"
    order: Sequence[int] | None = None
    _hosts: Placement = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        topology = self.fabric if isinstance(self.fabric, Topology) else self.fabric.topology
        hosts = placement(topology, self.nodes)
        if not hosts or min(hosts) < 0:
            raise ArgumentError("nodes has places that stay empty, or none; expected a host for each rank")
        object.__setattr__(self, "_hosts", hosts)

    @property
    def ranks(self) -> int:
        """Number of ranks of the job."""
        return len(self._hosts)

    def choice(self, ranks: int) -> tuple[str, list[int] | None]:
        """The fastest algorithm and its ring (None: rank order), for a communicator of ``ranks`` ranks.

        Raises ArgumentError if the job has a different number of ranks.
        """
        if ranks != self.ranks:
            raise ArgumentError(f"the fabric has nodes for {self.ranks} ranks, and there are {ranks}")
        best = choose(self)[0]
        return best.name, None if best.ring is None else list(best.ring)


def choose(
    job: JobFabric,
    candidates: Sequence[str] | None = None,
    *,
    all_candidates: bool = False,
    progress: Progress | None = None,
) -> list[FrameTime]:
    """Simulate frames of all candidates on the job's fabric; fastest first.

    Args:
        job: the fabric, its nodes and the image.
        candidates: names of algorithms; None: the algorithms of :func:`sortlast.schedule.choose`, and radix-k
            with its k vectors in other orders.
        all_candidates: simulate even candidates that cannot be the fastest.
        progress: called repeatedly with the fraction done, 0 to 1.

    Returns:
        Simulated candidates, fastest first, then the others by their bounds. Ties keep the order of
        candidates: equal arguments give equal lists.

    Raises:
        ArgumentError: an unknown candidate, or an argument of the job out of range.
        Error: routes lead nowhere.
    """
    machine = Machine() if job.machine is None else job.machine
    routes = job.fabric if isinstance(job.fabric, Routes) else route(job.fabric, job.routing)
    rate = next(iter(link_rates(routes.topology)), 1 / machine.beta)
    waiting = [
        FrameTime(name, ring, _least(job, routes, name, ring, rate), None)
        for name in (_candidates(job, machine) if candidates is None else candidates)
        for ring in _rings(job, routes.topology, name)
    ]
    waiting.sort(key=lambda each: each.least)
    done: list[FrameTime] = []
    best = float("inf")
    for number, each in enumerate(waiting):
        if progress is not None:
            progress(number / len(waiting))
        if each.least >= best and not all_candidates:
            break
        seconds = _simulate(job, routes, each, rate, machine)
        best = min(best, seconds)
        done.append(FrameTime(each.name, each.ring, each.least, seconds))
    return sorted(done, key=lambda each: each.seconds or 0.0) + waiting[len(done) :]


def _candidates(job: JobFabric, machine: Machine) -> list[str]:
    """Names of all algorithms to try."""
    predicted = schedule.choose(
        job.ranks,
        job.pixels,
        machine,
        pixel_bytes=job.pixel_bytes,
        active=job.active,
        order=job.order,
        nodes=_node_numbers(job),
    )
    return list(dict.fromkeys(name for each in predicted for name in _orders(each.name)))


def _orders(name: str) -> list[str]:
    """The name and, if it ends with a k vector, names with its numbers in other orders."""
    head, colon, numbers = name.rpartition("radix-k:")
    if not colon:
        return [name]
    k = [int(number) for number in numbers.split(",")]
    backwards = tuple(sorted(k))
    found = dict.fromkeys([tuple(k), backwards, *islice(permutations(k), _MOST_ORDERS**2)])
    return [f"{head}{colon}{','.join(map(str, each))}" for each in islice(found, _MOST_ORDERS)]


def _node_numbers(job: JobFabric) -> list[int] | None:
    """The node of each rank, numbered from 0; None: each rank has its own."""
    if not job._hosts.shares_nodes:
        return None
    number = {node: k for k, node in enumerate(dict.fromkeys(job._hosts.nodes))}
    return [number[node] for node in job._hosts.nodes]


def _rings(job: JobFabric, topology: Topology, name: str) -> list[tuple[int, ...] | None]:
    if name.rpartition(":")[2] not in _FOLLOW_THE_RING:
        return [None]
    ordered = order_hosts(topology, "routing", list(dict.fromkeys(job._hosts)))
    position = {host: k for k, host in enumerate(ordered)}
    ring = tuple(sorted(range(job.ranks), key=lambda rank: position[job._hosts[rank]]))
    return [None] if ring == tuple(range(job.ranks)) else [None, ring]


def _schedule(job: JobFabric, name: str, ring: tuple[int, ...] | None) -> schedule.Schedule:
    return schedule.make(
        name, p=job.ranks, n=job.pixels, order=job.order, ring=ring, nodes=_node_numbers(job)
    )


def _least(job: JobFabric, routes: Routes, name: str, ring: tuple[int, ...] | None, rate: float) -> float:
    """Minimum busy time of the fullest link [s]; merged images have at least the active pixels of one."""
    pattern = _fabric.schedule_pattern(_schedule(job, name, ring), job.pixel_bytes)
    most = int(channel_bytes(routes, pattern, job._hosts).max(initial=0))
    return most * job.active / rate * (1 - _ROUNDING)


def _simulate(job: JobFabric, routes: Routes, each: FrameTime, rate: float, machine: Machine) -> float:
    """Seconds of a frame in which blending overlaps messages where possible."""
    join = 2 * machine.gamma_read + machine.gamma_write  # seconds per byte: read both, write one
    traffic = frame_traffic(
        _schedule(job, each.name, each.ring),
        pixel_bytes=job.pixel_bytes,
        active=job.active,
        blend_bytes_per_second=1 / join if join > 0 else 0,
    )
    run = flow(
        routes,
        traffic,
        placement=job._hosts,
        link_bytes_per_second=rate,
        message_seconds=machine.alpha,
        sends_at_once=1,  # as in the models of both papers: each message costs its sender alpha
    )
    return run.seconds
