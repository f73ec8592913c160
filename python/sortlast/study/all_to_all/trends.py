"""Trends: how a time changes from column to column of a table, with sign and size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sortlast.study.all_to_all import calibration, hosts
from sortlast.study.all_to_all.design import GLOBAL_M, LOCAL_M, NODES, paper
from sortlast.study.all_to_all.found import Found, simulated_global, simulated_local
from sortlast.study.all_to_all.published import seconds

FIRST = 3  # the least number of nodes with a network between them
CONNECTED = 64  # processes above which MVAPICH2 connects two when they first talk
_STEADY = 0.05  # relative change that counts as none


@dataclass(frozen=True)
class Trend:
    """The time of a row on ``last`` nodes over that on ``first``: published, and ours."""

    table: str
    row: str
    first: int
    last: int
    published: float
    ours: float

    @property
    def agree(self) -> bool:
        """Whether both have the same sign."""
        return sign(self.ours) == sign(self.published)


def sign(factor: float) -> str:
    """Whether a time that changes by this factor rises, falls or is steady."""
    if abs(factor - 1) <= _STEADY:
        return "steady"
    return "rises" if factor > 1 else "falls"


def simulated(found: Found) -> list[Trend]:
    """Of the simulated times."""
    made = [_trend("4.2", GLOBAL_M, {n: found.simulated(simulated_global(n)) for n in NODES})]
    for m in LOCAL_M:
        made.append(_trend("4.4", m, {n: found.simulated(simulated_local(m, n)) for n in NODES}))
    return [trend for trend in made if trend is not None]


def on_hosts(found: Found) -> list[Trend]:
    """Of the times measured on hosts, which stand for m = 512 and m = 512 N."""
    made = [
        _trend("4.2", GLOBAL_M, {n: found.on_hosts(hosts.constant_global(n)) for n in NODES}),
        _trend("4.4", LOCAL_M[0], {n: found.on_hosts(hosts.constant_local(n)) for n in NODES}),
    ]
    return [trend for trend in made if trend is not None]


def on_cores(found: Found) -> list[Trend]:
    """Of the times measured on the cores of this machine, in seconds of a core for each rank."""
    here = {"4.2": {GLOBAL_M: {n: found.constant_global(n, "C") for n in found.measured_nodes}}}
    here["4.4"] = {m: {n: found.constant_local(m, n) for n in found.measured_nodes} for m in LOCAL_M}
    made = [
        _trend(table, m, {n: None if each is None else each.core_seconds for n, each in times.items()})
        for table, rows in here.items()
        for m, times in rows.items()
    ]
    return [trend for trend in made if trend is not None]


def _trend(table: str, m: int, ours: Mapping[int, float | None]) -> Trend | None:
    """From the first to the last column with times of both; None if there are fewer than two."""
    theirs = dict(zip(NODES, seconds(table, str(m)), strict=True))
    both = [(n, before, own) for n, own in ours.items() if n >= FIRST and own and (before := theirs[n])]
    if len(both) < 2:
        return None
    (first, *start), (last, *end) = both[0], both[-1]
    return Trend(table, str(m), first, last, end[0] / start[0], end[1] / start[1])


def node_rate(m: int, nodes: int, time: float) -> float:
    """GB/s that leave a node, of a cell that took ``time`` seconds."""
    cell = paper(nodes, m)
    return calibration.leaving(cell.per_node * cell.local_bytes, nodes) / time / 1e9


def lacking(found: Found) -> list[float]:
    """What the simulation of Table 4.2 lacks for each message of a process, in seconds, from 9 nodes on."""
    return [
        (theirs - ours) / (paper(nodes, GLOBAL_M).p - 1)
        for nodes, theirs in zip(NODES, seconds("4.2", str(GLOBAL_M)), strict=True)
        if nodes > FIRST and theirs and (ours := found.simulated(simulated_global(nodes)))
    ]


def connection_seconds() -> float:
    """What setting up a connection takes if all of MPI_Alltoallv(int) on 36 nodes is that: Table 4.5."""
    time = seconds("4.5", "B")[-1]
    return (time or 0.0) / (paper(NODES[-1], GLOBAL_M).p - 1)


def connecting(nodes: int) -> float:
    """Seconds to connect a process with all others, where MVAPICH2 does it at the first message."""
    p = paper(nodes, GLOBAL_M).p
    return (p - 1) * connection_seconds() if p > CONNECTED else 0.0
