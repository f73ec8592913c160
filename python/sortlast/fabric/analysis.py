"""Contention and bisection: how many flows share the links of a fabric."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortlast import _fabric
from sortlast._errors import ArgumentError
from sortlast.fabric.nodes import Nodes, Placement, placement
from sortlast.fabric.patterns import pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast._fabric import BestOrder, Bisection, Contention, Pattern, PatternTime, Routes, Topology
    from sortlast.fabric.patterns import Communication

Progress = Callable[[float], object]


def contention(
    routes: Routes,
    what: Communication = "shift",
    nodes: Nodes = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Contention:
    """Count the flows on every channel (one direction of a link) at every stage of a pattern.

    Args:
        routes: the fabric and its tables.
        what: as for :func:`pattern`: "shift", a Schedule, a permutation, traffic, ...
        nodes: the hosts of the participants in order, as for :func:`placement`.
        threads: 0: one per core.
        progress: called repeatedly with the fraction done, 0 to 1. False or an exception ends the analysis.

    Raises:
        ArgumentError: an invalid argument, or a pattern for a different number of participants.
        Error: the tables lead nowhere or in a cycle for a pair that communicates.
    """
    hosts = placement(routes.topology, nodes)
    made = between_nodes(pattern(what, len(hosts), ranks_per_node=hosts.ranks_per_node), hosts)
    return _fabric.contention(routes, made, hosts, threads, progress)


def repeats(found: Contention) -> list[int]:
    """Number of consecutive repetitions of each stage."""
    if found.steps == found.stages:
        return [1] * found.stages
    return [found.pattern.repeats(stage) for stage in range(found.stages)]


def between_nodes(what: Pattern, job: Placement) -> Pattern:
    """The flows of a pattern between nodes; all flows if no node has ranks on several hosts."""
    if all(len({*group}) == 1 for group in job.groups()):
        return what
    return _fabric.between_nodes(what, job.nodes)


def pattern_time(
    routes: Routes,
    what: Communication,
    nodes: Nodes = None,
    *,
    link_bytes_per_second: float,
    stage_seconds: float = 0.0,
    pixel_bytes: int = 1,
    rank_bytes: int | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> PatternTime:
    """Estimate the time of a pattern from the tables only.

    A message takes ``stage_seconds``, plus its bytes at ``link_bytes_per_second`` divided by the number of
    flows on the fullest channel of its path.

    Args:
        routes: the fabric and its tables.
        what: as for :func:`pattern`. A Schedule or traffic gives the size of messages; messages of a
            permutation have one byte.
        nodes: the hosts of the participants in order, as for :func:`placement`.
        link_bytes_per_second: of every link, in one direction [byte/s]; 0: the rates of the fabric's file.
        stage_seconds: the fixed cost of a stage.
        pixel_bytes: bytes per pixel, for a Schedule and an algorithm, which count pixels.
        rank_bytes: bytes that each participant holds, as for :func:`pattern`.
        threads: 0: one per core.
        progress: as for :func:`contention`.

    Returns:
        ``synchronised``: seconds if all wait for the slowest message of every stage; ``free_running``: if
        every participant proceeds independently; ``mean_bandwidth`` of the messages [byte/s]; ``bound``: like
        ``synchronised``, if messages shared only the links of hosts.

    Raises:
        ArgumentError: an unknown rate, or too many bytes to be counted.
    """
    hosts = placement(routes.topology, nodes)
    made = between_nodes(pattern(what, len(hosts), pixel_bytes, rank_bytes, hosts.ranks_per_node), hosts)
    return _fabric.pattern_time(routes, made, hosts, link_bytes_per_second, stage_seconds, threads, progress)


def bisection(
    routes: Routes,
    samples: int = 1000,
    seed: int = 1,
    nodes: Nodes = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Bisection:
    """Effective bisection bandwidth (Hoefler, Schneider and Lumsdaine, 2008): the mean share of a flow.

    In each of ``samples`` samples, the distinct hosts are divided into two random halves, and each host of
    one half is paired with one of the other. ``one_way``: the first half sends to the other.
    ``both_ways``: both send to each other at once. ``one_way_samples``, ``both_ways_samples``: results of
    each sample. Other arguments and errors are the same as in :func:`contention`.
    """
    hosts = dict.fromkeys(placement(routes.topology, nodes))  # each once, even with several ranks
    return _fabric.bisection(routes, list(hosts), samples, seed, threads, progress)


def best_order(
    routes: Routes,
    nodes: Nodes = None,
    what: str | Callable[[int], Pattern] = "shift",
    dummies: bool = False,
    steps: int | None = None,
    seed: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> BestOrder:
    """Find an order of a job's hosts in which a pattern has the least contention.

    Tries the known orders (:func:`host_orders`), then improves the best one by a search.

    Args:
        routes: the fabric and its tables.
        nodes: the job's hosts, as for :func:`placement`; their given order is tried too.
        what: a name, as for :func:`pattern`, or a function that returns the Pattern for a number of
            participants.
        dummies: places may stay empty; the pattern then has more participants than there are hosts.
        steps: of the search; None: as many as take some seconds; 0: only the known orders.
        seed: of the search.
        threads: 0: one per core.
        progress: as for :func:`contention`; False ends the search, and the best order so far is returned.
        seconds: limit of the search in wall time, after which the best order so far is returned; None: 60, or
            none if ``steps`` is given, so that results do not depend on the machine.

    Returns:
        ``placement``, its ``contention``, ``how`` it was found, ``proof``: why no order of these hosts is
        contention-free under this routing (empty: not known), ``proven_best``. Patterns in which all pairs
        exchange the same, such as "all-to-all", are not searched: no order changes them.
    """
    job = placement(routes.topology, nodes)
    if job.shares_nodes:
        raise ArgumentError("several ranks a node; best_node_order() finds orders of their nodes")
    hosts = [host for host in job if host >= 0]
    made = what if callable(what) else None if what == "shift" else lambda p: pattern(what, p)
    count = -1 if steps is None else steps
    limit = search_limit(steps, seconds)
    return _fabric.best_order(routes, hosts, dummies, count, seed, limit, made, threads, progress)


def search_limit(steps: int | None, seconds: float | None) -> float:
    """Limit of a search for an order in seconds, as for :func:`best_order`."""
    if seconds is not None:
        return seconds
    return 60.0 if steps is None else math.inf


@dataclass(frozen=True)
class ContendedTime:
    """Time of a pattern with contention: ``seconds`` if a stage ends with its slowest message.

    ``bound``: seconds if messages shared only the links of hosts.
    """

    seconds: float
    bound: float

    @property
    def lost(self) -> float:
        """The fraction of the time that is lost to links other than the hosts' own, 0 to 1."""
        return 1 - self.bound / self.seconds if self.seconds > 0 else 0.0


def contended_time(found: Contention, link_bytes_per_second: float) -> ContendedTime:
    """The time of an analysed pattern and placement, and its lower bound.

    Args:
        found: from :func:`contention`.
        link_bytes_per_second: of every link in one direction; 0: the rates of the fabric's file.

    Raises:
        ArgumentError: an unknown rate.
    """
    # A shift has as many flows as pairs of hosts: use the counted flows if all links have one rate.
    if link_bytes_per_second == 0 and len(rates := _link_rates(found.routes.topology)) == 1:
        link_bytes_per_second = _fabric.data_rate(rates.pop())
    hosts = [host for host in found.placement if host >= 0]
    if found.pattern.is_shift and link_bytes_per_second > 0 and len(set(hosts)) == len(hosts):
        size = int(found.pattern.flows(0)[0, 2]) if found.stages else 0
        stage = size / link_bytes_per_second
        return ContendedTime(stage * float(found.stage_max.sum()), stage * float((found.stage_max > 0).sum()))
    time = _fabric.pattern_time(found.routes, found.pattern, found.placement, link_bytes_per_second, 0.0)
    return ContendedTime(time.synchronised, time.bound)


def cut_bound(found: Contention, link_bytes_per_second: float) -> float:
    """The time that an analysed pattern takes at least under any routing, with its placement [s].

    Each stage needs the time of every host's own link, and the time in which the links that leave a switch or
    a subtree can carry what leaves it, and likewise what enters. So it includes the taper of a tree.

    Args:
        found: from :func:`contention`.
        link_bytes_per_second: of every link in one direction; 0: the rates of the fabric's file.

    Raises:
        ArgumentError: an unknown rate.
    """
    return _fabric.cut_bound(found.routes.topology, found.pattern, found.placement, link_bytes_per_second)


def channel_rates(topology: Topology) -> NDArray[np.float64]:
    """The data rate of each channel [byte/s]: float64 array (channels,); 0: unknown, or no cable."""
    gbps, where = np.unique(np.nan_to_num(topology.channel_gbps), return_inverse=True)
    return np.array([_fabric.data_rate(float(rate)) for rate in gbps])[where]


def _link_rates(topology: Topology) -> set[float]:
    """The signalling rates of all links [Gbit/s]; 0 is an unknown one."""
    gbps = topology.channel_gbps
    return {float(rate) for rate in np.unique(gbps[~np.isnan(gbps)])}


def slowest_link(found: Contention) -> tuple[int, int]:
    """The stage and the channel on which messages take longest.

    If links have different rates, by the seconds of the slowest message; otherwise, or if a rate is unknown,
    by the number of flows.
    """
    rates = _link_rates(found.routes.topology)
    if len(rates) == 1 or 0 in rates:
        return found.worst_stage, found.worst_channel
    time = _fabric.pattern_time(found.routes, found.pattern, found.placement, 0.0, 0.0)
    return time.worst_stage, time.worst_channel


def shares(found: Contention) -> NDArray[np.float64]:
    """The share of a link that the flow of each pair has: (p, p), row: source; 0 without a flow.

    The minimum, for pairs that communicate at several stages. Walks every pair: O(p^2) paths.
    """
    hosts = found.placement
    result = np.zeros((len(hosts), len(hosts)))
    for stage in range(found.stages):
        loads = found.loads(stage)
        for source, destination, _ in found.pattern.flows(stage).tolist():
            if min(hosts[source], hosts[destination]) < 0:
                continue
            share = 1 / loads[found.routes.walk(hosts[source], hosts[destination])].max()
            known = result[source, destination]
            result[source, destination] = min(share, known) if known else share
    return result
