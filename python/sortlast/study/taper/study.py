"""The study as a value, from its cells to its report."""

from __future__ import annotations

from pathlib import Path

from sortlast.study.document import Document
from sortlast.study.steps import Step
from sortlast.study.study import Results, Study
from sortlast.study.taper import failures, leaves, patterns, placement, sweep
from sortlast.study.taper.cell import Cell
from sortlast.study.taper.frames import BLEND, LINK, STAGE
from sortlast.study.taper.report import document
from sortlast.study.taper.sections.conditions import FAILURES
from sortlast.study.taper.sections.taper import PICTURE

SUMMARY = (
    "Frames a second for the money: compositing on trees of every taper, with placement, leaves of GPUs and "
    "missing cables; no paper, but the cost model of Navaridas et al. (2007)."
)


def _steps(quick: bool) -> list[Step]:
    cells: list[Cell] = [
        *sweep.cells(quick),
        *placement.cells(quick),
        *patterns.cells(quick),
        *leaves.cells(quick),
        *failures.cells(quick),
    ]
    return [Step(cell.name, cell.simulate, cell.work) for cell in cells]


def _report(results: Results, quick: bool, folder: Path) -> Document:
    from sortlast.plot import save
    from sortlast.study.taper.figures import against_failures, against_taper

    for picture, draw in ((PICTURE, against_taper), (FAILURES, against_failures)):
        drawn = draw(results, quick)
        for suffix in ("png", "svg"):
            save(drawn, folder / f"{picture.name}.{suffix}")
    return document(results, quick)


STUDY = Study(
    name="taper",
    summary=SUMMARY,
    steps=_steps,
    settings={
        "link_bytes_per_second": LINK,
        "stage_seconds": STAGE,
        "blend_bytes_per_second": BLEND,
    },
    report=_report,
    reproduced=lambda results, quick: [],
)
