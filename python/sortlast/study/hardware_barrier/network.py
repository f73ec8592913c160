"""Barriers over a network of this machine: nine hosts, which are namespaces, on one switch."""

from __future__ import annotations

from sortlast.study.hardware_barrier import published as paper
from sortlast.study.steps import Json

RATES = {paper.FAST: 100.0, paper.GIGABIT: 1000.0}  # of a link [Mbit/s]
BARRIERS = ["mpi", "dissemination", "tree"]  # those by messages


def latencies(kind: str, turns: int, calls: int, timeout: float, *, congested: bool) -> Json:
    """Seconds of each barrier among nine hosts, as ``live.latency`` reports them.

    Where this machine lends no namespaces: {"refused": why}.

    Args:
        kind: of network, a key of :data:`RATES`.
        turns: of all barriers.
        calls: barriers of one kind in a turn.
        timeout: seconds after which the ranks are ended.
        congested: every host streams to the next one meanwhile.

    Raises:
        Error: the ranks failed.
        TimeoutError: they did not end in time.
    """
    from sortlast.testbed import Settings, Testbed, answer, namespaces, plan, why_not

    if why := why_not():
        return {"refused": why}
    nodes = paper.published()["nodes"]
    hosts = list(range(nodes))
    asked: dict[str, Json] = {"barriers": BARRIERS, "turns": turns, "calls": calls}
    if congested:
        asked["addresses"] = [plan.address(host) for host in hosts]
    settings = Settings(f"crossbar:{nodes}", engine="minhop", rate_mbit=RATES[kind])
    with Testbed(settings) as testbed:
        # Let packets leave the hosts in the order in which they come, as adapters do, and not short ones
        # first.
        for host in hosts:
            namespaces.call(
                "tc", "-n", testbed.spaces[host], *["filter", "del", "dev", "eth0", "parent", "1:"]
            )
        return answer(testbed, hosts, "sortlast.study.hardware_barrier.live.latency", asked, timeout)
