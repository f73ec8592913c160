"""The study as a value: converts its frames to rows."""

from __future__ import annotations

from collections.abc import Mapping

from sortlast_studies.scale import fat_tree, k_computer, kendall, machine, terms
from sortlast_studies.scale.fat_tree import Cell
from sortlast_studies.scale.steps import steps
from sortlast_studies.scale.terms import Terms
from sortlast_studies.steps import Json, Results
from sortlast_studies.study import Study
from sortlast_studies.table import Table, published


def tabulate(results: Results, quick: bool) -> Table:
    """The table of the frames that ran, with all published values."""
    table = Table(published("sortlast_studies.scale"))
    for content in (fat_tree.BLOCKS, fat_tree.DENSE):
        _times(table, results, content, fat_tree.ranks(content, quick))
    _kendall(table, results, kendall.processes(quick))
    _k_computer(table, results, k_computer.nodes(quick))
    _machine(table, results["machine"])
    return table


def _times(table: Table, results: Results, content: str, ranks: list[int]) -> None:
    """Milliseconds of every algorithm, simulated and by the formula, and messages per frame."""
    item = terms.times(content)
    for algorithm in fat_tree.SIMULATED:
        for p in ranks:
            found = results[Cell(content, p, algorithm).name]
            table.add(item, algorithm, p, 1e3 * found["seconds"], "ms", "simulated", note=found["name"])
            if content == fat_tree.BLOCKS:
                table.add(terms.MESSAGES, algorithm, p, found["messages"])
    for algorithm in (*fat_tree.SIMULATED, *fat_tree.COMPUTED):
        for p in ranks:
            table.add(item, algorithm, p, 1e3 * fat_tree.formula(algorithm, content, p), "ms", "computed")


def _kendall(table: Table, results: Results, p: int) -> None:
    for times in kendall.TIMES:
        row = f"{times} x blocks"
        table.add(terms.KENDALL, row, "active", kendall.share(times, p))
        found = results[kendall.name("radix-k", times, p)]["seconds"]
        table.add(terms.KENDALL, row, "radix-k", found, "s", "simulated")
    swap = results[kendall.name("binary-swap", kendall.TIMES[0], p)]["seconds"]
    table.add(terms.KENDALL, f"{kendall.TIMES[0]} x blocks", "binary swap", swap, "s", "simulated")
    table.add(terms.KENDALL, "dense", "active", 1)
    table.add(terms.KENDALL, "dense", "radix-k", kendall.bound(p), "s", note="the bound of a node's links")
    table.add(terms.KENDALL, "frame", "processes", p)


def _k_computer(table: Table, results: Results, p: int) -> None:
    stages: Mapping[str, Json] = {each: results[k_computer.name(each, p)] for each in k_computer.ALGORITHMS}
    swap, steps_ = (stages[each] for each in k_computer.ALGORITHMS)
    table.add(terms.K_COMPUTER, "frame", "nodes", p, note=steps_["name"])
    for gather in k_computer.GATHERS:
        for edge in k_computer.EDGES:
            row = f"{edge}x{edge}"
            of_swap, of_steps = (k_computer.seconds(each, edge, gather) for each in (swap, steps_))
            table.add(terms.K_COMPUTER, row, f"binary swap, {gather}", 1e3 * of_swap, "ms")
            table.add(terms.K_COMPUTER, row, f"multi-step, {gather}", 1e3 * of_steps, "ms")
            table.add(terms.SPEED_UP, row, gather, of_swap / of_steps)


def _machine(table: Table, found: Mapping[str, list[float]]) -> None:
    """The figures used by the simulations, and the figures measured during the study."""
    for figure in machine.FIGURES:
        low, middle, high = (1e9 * each for each in found[figure])
        table.add(terms.MACHINE, figure, "kept", 1e9 * getattr(machine.kept(), figure), "ns", "calibrated")
        table.add(terms.MACHINE, figure, "here", middle, "ns", "measured", spread=(low, high))


STUDY = Study(
    package="sortlast_studies.scale",
    steps=steps,
    tabulate=tabulate,
    settings={"pixels": fat_tree.PIXELS, "pixel_bytes": fat_tree.PIXEL_BYTES},
    terms=Terms,
)
