"""The study as a value: converts the results of its steps to the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from sortlast import fabric
from sortlast_studies.all_to_all import cluster, design, measured, simulated
from sortlast_studies.all_to_all.design import GLOBAL_M, NODES, PAPER, Design, at, paper
from sortlast_studies.all_to_all.simulated import Simulation
from sortlast_studies.all_to_all.steps import steps
from sortlast_studies.all_to_all.terms import (
    ARITHMETIC,
    AT_A_COST,
    BEYOND,
    FIRST,
    FORESEEN,
    GLOBAL,
    LOCAL,
    TIMES,
    WAYS,
    Terms,
    by_nodes,
)
from sortlast_studies.steps import Results
from sortlast_studies.study import Study
from sortlast_studies.table import Kind, Table

_STEADY = 0.05  # relative change that counts as none
_COMMANDS = {  # row of Table 4.5, and the data sent
    "A": ("A. MPI_Alltoall(int)", "count"),
    "B": ("B. MPI_Alltoallv(int)", "keys"),
    "C": ("C. MPI_Alltoallv(double)", "vectors"),
}
_SHIFTS = {"C": "MPI_Alltoallv", "shift": "shift in order", "shuffled": "shift out of order"}


def tabulate(results: Results, quick: bool, ranks: Sequence[int] = ()) -> Table:
    """The table of the quick or of all results, with additional numbers of processes."""
    table = Table(PAPER)
    _constants(table)
    _memory(table)
    _simulated(table, results)
    _on_cores(table, results, quick)
    _on_hosts(table, results, quick)
    for nodes in (36,) if quick else (36, 18):
        _orders(table, results, nodes)
    _trends(table)
    _network(table)
    _beyond(table, results, ranks)
    return table


def _constants(table: Table) -> None:
    """Constants derived from published times."""
    table.add("constants", "copy within a node", "", cluster.copy_rate() / 1e6, "MB/s", "calibrated")
    table.add("constants", "link", "", cluster.link_rate() / 1e9, "GB/s", "calibrated")
    costly = cluster.link(message_cost=True)
    table.add("constants", "link, with a cost of a message", "", costly.rate / 1e9, "GB/s", "calibrated")
    table.add("constants", "message", "", costly.held * 1e6, "us", "calibrated")
    table.add("constants", "connection", "", cluster.connection_seconds() * 1e3, "ms", "calibrated")
    for nodes in NODES:
        table.add("Table 4.5", _COMMANDS["B"][0], at(nodes), cluster.connecting(nodes), "s")


def _memory(table: Table) -> None:
    """Tables 4.1 and 4.3, and the cells of Table 4.4 that do not fit."""
    for nodes in NODES:
        for item, m in (("Table 4.1", GLOBAL_M), ("Table 4.3", GLOBAL_M * nodes)):
            for row, (value, unit) in design.lengths_and_sizes(paper(nodes, m)).items():
                table.add(item, row, at(nodes), value, unit)
    errors = []
    for (m, row), nodes in product(LOCAL.items(), NODES):
        cell = paper(nodes, m * nodes)
        why_not = design.paper_refusal(cell) or ""
        table.add(FORESEEN, row, at(nodes), cell.node_array / design.GIGA, "GB", note=why_not)
        errors.append((cell, table.get("Table 4.4", row, at(nodes), "published") is None))
    for name, bound in zip(("more than", "at most"), design.connections(errors), strict=True):
        table.add("constants", "memory of a connection", name, bound / design.MEGA, "MB", "calibrated")


# --- times --------------------------------------------------------------------------------------------


def _simulated(table: Table, results: Results) -> None:
    """Tables 4.2, 4.4 and 4.5."""

    def add(item: str, row: str, wanted: Simulation) -> None:
        table.add(item, row, at(wanted.nodes), results[wanted.name]["seconds"], "s", "simulated")

    def add_both(item: str, row: str, wanted: Simulation) -> None:
        add(item, row, wanted)
        add(item + AT_A_COST, row, replace(wanted, message_cost=True))
        cell = wanted.design
        if wanted.nodes > 1:
            seconds = cluster.leaving(cell.node_array, cell.nodes) / cluster.link_rate()
            table.add(item + ARITHMETIC, row, at(wanted.nodes), seconds, "s")

    for nodes in NODES:
        for item, row, m in TIMES:
            if not table.note(FORESEEN, row, at(nodes)):
                add_both(item, row, Simulation(nodes, m if row == GLOBAL else m * nodes))
        for row, what in _COMMANDS.values():
            add("Table 4.5", row, Simulation(nodes, GLOBAL_M, what=what))


def _on_cores(table: Table, results: Results, quick: bool) -> None:
    """Measurements with one process for each node."""
    runs = measured.constant_global(quick)
    table.add("on cores", "n", "", runs[0].design.n)
    table.add("on cores", "all vectors at m = 512", "", runs[0].design.global_bytes / design.MEGA, "MB")
    for run in runs:
        _times(table, "Table 4.2", GLOBAL, run, results)
        ranks, column, ways = run.design.p, at(run.design.nodes), results[run.name].get("ways")
        if ways:
            for way, (row, _) in _COMMANDS.items():
                _measured(table, "Table 4.5, on cores, first", row, column, ways[way]["first"], n=1)
                _measured(table, "Table 4.5, on cores", row, column, ways[way]["seconds"])
            for way, name in _SHIFTS.items():
                table.add(WAYS, ranks, name, ways[way]["seconds"] * 1e3, "ms", "measured", n=measured.REPEAT)
            ratio = ways["shift"]["seconds"] / ways["C"]["seconds"]
            table.add(WAYS, ranks, "shift / MPI_Alltoallv", ratio, kind="measured")
    for m, row in LOCAL.items():
        for run in measured.constant_local(quick)[m]:
            _times(table, "Table 4.4", row, run, results)


def _times(table: Table, item: str, row: str, run: measured.Run, results: Results) -> None:
    """The time of MPI_Alltoallv(double), and the time of a rank if it did not share a core."""
    result, column = results[run.name], at(run.design.nodes)
    if "refused" in result:
        table.add(f"{item}, on cores", row, column, kind="measured", note=result["refused"])
        return
    seconds, ranks = result["ways"]["C"]["seconds"], run.design.p
    of_a_core = seconds * min(result["cores"], ranks) / ranks
    _measured(table, f"{item}, on cores", row, column, seconds)
    _measured(table, f"{item}, of a core for each rank", row, column, of_a_core)


def _on_hosts(table: Table, results: Results, quick: bool) -> None:
    """Measurements on hosts in the paper's placement, or the reason why there are none."""
    table.add("on hosts", "n", "", measured.hosts_global(1).n)
    table.add("on hosts", "m, constant global", "", measured.HOSTS_GLOBAL_M)
    table.add("on hosts", "m/N, constant local", "", measured.HOSTS_LOCAL_M)
    for tree in cluster.TREES:
        result = {"refused": "the quick study makes none"} if quick else results[measured.hosts_name(tree)]
        if "refused" in result:
            table.add("on hosts", tree, "refused", kind="measured", note=result["refused"])
    cells = {
        "Table 4.2, m = 512, on hosts": measured.hosts_global,
        "Table 4.4, m = 512 N, on hosts": measured.hosts_local,
    }
    for (item, cell), nodes in product(cells.items(), NODES):
        for name, seconds in _on_hosts_of(results, cell(nodes), "full", "packed").items():
            _measured(table, item, name, at(nodes), seconds, measured.HOSTS_REPEAT)


def _on_hosts_of(results: Results, cell: Design, tree: str, placement: str) -> dict[str, float]:
    """Seconds of both exchanges of a cell; empty if it did not run."""
    runs = results.get(measured.hosts_name(tree), {}).get(placement)
    cells = measured.hosts_cells(tree, placement)
    if runs is None or cell not in cells:
        return {}
    told = runs[cells.index(cell)]
    return {cluster.NAMES[way]: told[name]["seconds"] for way, name in measured.HOSTS_WAYS.items()}


def _measured(
    table: Table, item: str, row: str, column: str, seconds: float, n: int = measured.REPEAT
) -> None:
    table.add(item, row, column, seconds, "s", "measured", n=n)


def _orders(table: Table, results: Results, nodes: int) -> None:
    """Placements and orders on ``nodes`` nodes, with the contention of a shift of the nodes."""
    item = f"{nodes} nodes, by where they are and in which order"
    for tree, placements in simulated.CROWDED.items():
        for placement in placements:
            row = f"{tree}, {cluster.PLACEMENTS[placement]}"
            chosen = cluster.nodes_of(placement, nodes, simulated.SEED)
            told = fabric.contention(cluster.routes(tree), "shift", chosen)
            table.add(item, row, "peak flows on a link", told.max_flows)
            table.add(item, row, "mean share", told.mean_share)
            for name, seconds in _on_hosts_of(results, measured.hosts_local(nodes), tree, placement).items():
                _measured(table, item, row, f"{name}, hosts", seconds, measured.HOSTS_REPEAT)
    for method in simulated.METHODS:
        for each in simulated.orders(nodes, method):
            row = f"{each.tree}, {cluster.PLACEMENTS[each.placement]}"
            column = f"{cluster.NAMES[each.way]}, {method}s"
            table.add(item, row, column, results[each.name]["seconds"], "s", "simulated")


def _beyond(table: Table, results: Results, ranks: Sequence[int]) -> None:
    """Additional numbers of processes, packed on whole leaf modules."""
    for each in simulated.beyond(ranks):
        row = f"{each.design.p} processes, {each.nodes} nodes"
        memory = "global" if each.m == GLOBAL_M else "local"
        column = f"constant {memory} memory{AT_A_COST if each.message_cost else ''}"
        if table.find(BEYOND, row, column) is None:  # on one node both are the same
            table.add(BEYOND, row, column, results[each.name]["seconds"], "s", "simulated")


# --- derived from the times ---------------------------------------------------------------------------


def sign(factor: float) -> str:
    """Whether a time that changes by this factor rises, falls or is steady."""
    if abs(factor - 1) <= _STEADY:
        return "steady"
    return "rises" if factor > 1 else "falls"


def _trends(table: Table) -> None:
    """Ratio of the times on the largest and smallest numbers of nodes with a network and times of both."""
    for item, row, _ in TIMES:
        theirs = by_nodes(table, item, row, "published")
        sources: dict[str, tuple[str, str, Kind]] = {
            "simulated": (item, row, "simulated"),
            "measured on hosts": (f"{item}, {row}, on hosts", "MPI_Alltoallv", "measured"),
            "measured on cores": (f"{item}, of a core for each rank", row, "measured"),
        }
        for whose, (source, name, kind) in sources.items():
            ours = by_nodes(table, source, name, kind)
            both = [nodes for nodes in ours if nodes in theirs and nodes >= FIRST]
            if len(both) < 2:
                continue
            first, last = both[0], both[-1]
            place = f"Trends, {whose}", f"{item}, {row}".removeprefix("Table "), f"{first} to {last}"
            by_kind: dict[Kind, dict[int, float]] = {"published": theirs, kind: ours}
            for of, times in by_kind.items():
                factor = times[last] / times[first]
                table.add(*place, factor, kind=of, note=sign(factor))


def _network(table: Table) -> None:
    """Link rates by the published times, and the part of Table 4.2's times that the simulation lacks."""
    for item, row, m in TIMES:
        for nodes, time in by_nodes(table, item, row, "published").items():
            cell = paper(nodes, m if row == GLOBAL else m * nodes)
            if nodes > 1 and not design.paper_refusal(cell):
                rate = cluster.leaving(cell.node_array, nodes) / time / 1e9
                table.add("What leaves a node, GB/s", f"{item}, {row}", at(nodes), rate, "GB/s")
    theirs, ours = (by_nodes(table, "Table 4.2", GLOBAL, kind) for kind in ("published", "simulated"))
    for nodes in NODES:
        if nodes > FIRST:
            lacking = (theirs[nodes] - ours[nodes]) / (paper(nodes, GLOBAL_M).p - 1) * 1e6
            table.add("What the simulation lacks", "for each message of a process", at(nodes), lacking, "us")


def make(ranks: Sequence[int] | None = None) -> Study:
    """The study, with additional simulated numbers of processes.

    Args:
        ranks: numbers of processes, 8 per node; see :func:`sortlast_studies.all_to_all.design.nodes_of`.

    Raises:
        ArgumentError: the paper's vectors cannot be sorted on one of these numbers.
    """
    wanted = tuple(ranks or ())
    simulated.beyond(wanted)
    return Study(
        package="sortlast_studies.all_to_all",
        steps=partial(steps, ranks=wanted),
        tabulate=partial(tabulate, ranks=wanted),
        settings={"seed": simulated.SEED},
        terms=Terms,
    )


STUDY = make()
