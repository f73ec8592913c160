"""Seconds of each barrier, in turns, among ranks of this machine or on hosts of a network (Table 4).

The ranks run ``python -m ...latency SETTINGS REPORT``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

from sortlast import launch
from sortlast_studies.hardware_barrier.barriers import BARRIERS, Barrier
from sortlast_studies.hardware_barrier.paper import FAST, GIGABIT, NODES
from sortlast_studies.hardware_barrier.traffic import ring
from sortlast_studies.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast_testbed import Testbed

HOSTS = range(NODES)  # in the testbed
RATES = {FAST: 100.0, GIGABIT: 1000.0}  # of links [Mbit/s]
BY_MESSAGES = ("mpi", "dissemination", "tree")  # barriers without shared memory

_WARM = 10  # calls before time is taken


def on_hosts(kind: str, turns: int, calls: int, timeout: float, *, congested: bool) -> Json:
    """The report of :func:`measure` from nine hosts, which are network namespaces on one switch.

    The result is {"refused": reason} if this machine has no namespaces.

    Args:
        kind: kind of network, a key of :data:`RATES`.
        turns: turns over all barriers.
        calls: barriers of one kind per turn.
        timeout: seconds after which the ranks are killed.
        congested: every host streams to the next one meanwhile.

    Raises:
        Error: the ranks failed.
        TimeoutError: they did not end in time.
    """
    from sortlast_testbed import answer, plan, why_not

    if why := why_not():
        return {"refused": why}
    asked: dict[str, Json] = {"barriers": BY_MESSAGES, "turns": turns, "calls": calls}
    if congested:
        asked["addresses"] = [plan.address(host) for host in HOSTS]
    with network(kind) as testbed:
        return answer(testbed, HOSTS, __name__, asked, timeout)


@contextmanager
def network(kind: str) -> Iterator[Testbed]:
    """A testbed of :data:`HOSTS` on one switch, with the link rate of a kind of network."""
    from sortlast_testbed import Settings, Testbed, namespaces

    settings = Settings(f"crossbar:{NODES}", engine="minhop", rate_mbit=RATES[kind])
    with Testbed(settings) as testbed:
        # Let packets leave the hosts in order of arrival, like adapters do, rather than short ones first.
        for host in HOSTS:
            namespaces.call(
                "tc", "-n", testbed.spaces[host], *["filter", "del", "dev", "eth0", "parent", "1:"]
            )
        yield testbed


def measure(comm: MPI.Intracomm, settings: Json) -> Json:
    """Mean seconds per call by barrier, one value per turn. Collective.

    Settings: ``barriers`` (names), ``turns``, ``calls`` (barriers of one kind per turn); ``addresses`` of the
    machines by rank, if each streams to the next meanwhile.
    """
    with ExitStack() as made:
        if "addresses" in settings:
            made.enter_context(ring(comm, settings["addresses"]))
        barriers = {name: made.enter_context(closing(BARRIERS[name](comm))) for name in settings["barriers"]}
        found: dict[str, list[float]] = {name: [] for name in barriers}
        for _ in range(settings["turns"]):
            for name, barrier in barriers.items():
                found[name].append(_mean_seconds(barrier, settings["calls"]))
    return found


def _mean_seconds(barrier: Barrier, calls: int) -> float:
    for _ in range(_WARM):
        barrier.wait()
    begin = time.perf_counter()
    for _ in range(calls):
        barrier.wait()
    return (time.perf_counter() - begin) / calls


if __name__ == "__main__":
    launch.serve(measure)
