"""Trends: how a time changes from column to column of a table, with sign and size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sortlast.study.all_to_all import calibration
from sortlast.study.all_to_all.design import GLOBAL_M, LOCAL_M, NODES, paper
from sortlast.study.all_to_all.found import Found, simulated_global, simulated_local
from sortlast.study.all_to_all.published import seconds

FIRST = 3  # the least number of nodes with a network between them
CONNECTED = 64  # processes above which MVAPICH2 connects two when they first talk
_STEADY = 0.05  # relative change that counts as none


@dataclass(frozen=True)
class Trend:
    """The time of a row on ``last`` nodes over that on ``first``: published, simulated and measured here."""

    table: str
    row: str
    first: int
    last: int
    published: float
    simulated: float | None
    measured: float | None

    @property
    def agree(self) -> bool:
        """Whether all have the same sign."""
        ours = [value for value in (self.simulated, self.measured) if value is not None]
        return all(sign(value) == sign(self.published) for value in ours)


def sign(factor: float) -> str:
    """Whether a time that changes by this factor rises, falls or is steady."""
    if abs(factor - 1) <= _STEADY:
        return "steady"
    return "rises" if factor > 1 else "falls"


def simulated(found: Found) -> list[Trend]:
    """From 3 to 36 nodes, or the last with a published time."""
    rows: list[tuple[str, str, Mapping[int, float | None]]] = [
        (
            "4.2",
            str(GLOBAL_M),
            {nodes: found.simulated(simulated_global(nodes)) for nodes in NODES},
        )
    ]
    for m in LOCAL_M:
        by_nodes = {nodes: found.simulated(simulated_local(m, nodes)) for nodes in NODES}
        rows.append(("4.4", str(m), by_nodes))
    made = [_trend(table, row, NODES, ours, {}) for table, row, ours in rows]
    return [trend for trend in made if trend is not None]


def measured(found: Found) -> list[Trend]:
    """From 3 nodes to the last that was measured, in seconds of a core for each rank."""
    rows = [("4.2", str(GLOBAL_M), {n: found.constant_global(n, "C") for n in found.measured_nodes})]
    for m in LOCAL_M:
        rows.append(("4.4", str(m), {n: found.constant_local(m, n) for n in found.measured_nodes}))
    made = [
        _trend(
            table, row, found.measured_nodes, {}, {n: t.core_seconds if t else None for n, t in ours.items()}
        )
        for table, row, ours in rows
    ]
    return [trend for trend in made if trend is not None]


def _trend(
    table: str,
    row: str,
    columns: Sequence[int],
    simulated: Mapping[int, float | None],
    measured: Mapping[int, float | None],
) -> Trend | None:
    """None if the paper has fewer than two times in these columns."""
    theirs = {nodes: seconds(table, row)[NODES.index(nodes)] for nodes in columns if nodes >= FIRST}
    there = [nodes for nodes, value in theirs.items() if value]
    if len(there) < 2:
        return None
    first, last = there[0], there[-1]
    change = _factor(theirs, first, last)
    if change is None:
        return None
    return Trend(
        table, row, first, last, change, _factor(simulated, first, last), _factor(measured, first, last)
    )


def _factor(values: Mapping[int, float | None], first: int, last: int) -> float | None:
    before, after = values.get(first), values.get(last)
    return after / before if before and after else None


def node_rate(m: int, nodes: int, time: float) -> float:
    """GB/s that leave a node, of a cell that took ``time`` seconds."""
    cell = paper(nodes, m)
    return calibration.leaving(cell.per_node * cell.local_bytes, nodes) / time / 1e9


def connection_seconds() -> float:
    """What setting up a connection takes if all of MPI_Alltoallv(int) on 36 nodes is that: Table 4.5."""
    time = seconds("4.5", "B")[-1]
    return (time or 0.0) / (paper(NODES[-1], GLOBAL_M).p - 1)


def connecting(nodes: int) -> float:
    """Seconds to connect a process with all others, where MVAPICH2 does it at the first message."""
    p = paper(nodes, GLOBAL_M).p
    return (p - 1) * connection_seconds() if p > CONNECTED else 0.0
