"""The steps of the study: frames for each number of nodes, pairs of schedules, and measurements."""

from __future__ import annotations

from sortlast_studies.made_routes import measured
from sortlast_studies.made_routes.frames import NODES, QUICK_NODES, SHARED_BY, Cell, Pairs
from sortlast_studies.steps import Json, PartDone, Step

MEASURED = ("binary-swap", "shift")


def nodes(quick: bool) -> tuple[int, ...]:
    """The simulated numbers of nodes."""
    return QUICK_NODES if quick else NODES


def steps(quick: bool) -> list[Step]:
    """All steps, or only the quick ones."""
    found = [Step(cell.name, cell.simulate, cell.work) for cell in (Cell(p) for p in nodes(quick))]
    pairs = Pairs(SHARED_BY)
    found.append(Step(pairs.name, pairs.simulate, pairs.work))
    return [*found, *(_measured(algorithm, quick) for algorithm in MEASURED)]


def _measured(algorithm: str, quick: bool) -> Step:
    frames, turns = (3, 1) if quick else (5, 3)

    def compute(part_done: PartDone) -> Json:
        return measured.on_hosts(algorithm, frames, turns)

    name = f"measured/{algorithm}-{frames}-{turns}"
    return Step(name, compute, work=60, alone=True, option="testbed")
