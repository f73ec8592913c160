"""The study as a value: converts the frame rates to rows."""

from __future__ import annotations

from sortlast_studies.made_routes import terms
from sortlast_studies.made_routes.frames import SEED, SHARED_BY, Cell, Pairs
from sortlast_studies.made_routes.measured import MADE, USUAL
from sortlast_studies.made_routes.steps import MEASURED, nodes, steps
from sortlast_studies.steps import Json, Results
from sortlast_studies.study import Study
from sortlast_studies.table import Table

_FPS = "frames/s"


def tabulate(results: Results, quick: bool) -> Table:
    """The table of all runs."""
    table = Table()
    for p in nodes(quick):
        for name, found in results[Cell(p).name].items():
            _frames(table, terms.of_nodes(p), name, found)
    for name, found in results[Pairs(SHARED_BY).name].items():
        table.add(terms.PAIRS, name, _FPS, found["frames/s"], _FPS, "simulated")
        table.add(terms.PAIRS, name, terms.LOST, 0 if found["nothing lost"] else 1)
    for algorithm in MEASURED:
        step = next(step.name for step in steps(quick) if step.name.startswith(f"measured/{algorithm}-"))
        _measured(table, algorithm, results[step])
    return table


def _frames(table: Table, item: str, name: str, found: Json) -> None:
    rates = {terms.USUAL_RATE: found["usual"], terms.MADE_RATE: found["made"]}
    table.add_line(item, name, rates, _FPS, "simulated")
    table.add(item, name, terms.GAIN, found["made"] / found["usual"], kind="simulated")
    flows = {terms.USUAL_FLOWS: found["usual flows"], terms.MADE_FLOWS: found["made flows"]}
    table.add_line(
        item, name, flows | {terms.LOST: 0 if found["nothing lost"] else 1, terms.GAP: found["gap"]}
    )


def _measured(table: Table, algorithm: str, found: Json) -> None:
    if "refused" in found:
        table.add(terms.MEASURED, algorithm, USUAL, kind="measured", note=found["refused"])
        return
    for tables in (USUAL, MADE):
        table.add_sample(terms.MEASURED, algorithm, tables, found[tables], _FPS, "measured")


STUDY = Study(
    package="sortlast_studies.made_routes",
    steps=steps,
    tabulate=tabulate,
    settings={"seed": SEED},
    terms=terms.Terms,
)
