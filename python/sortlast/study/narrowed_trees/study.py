"""The study as a value, from its cells to its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from sortlast import ArgumentError
from sortlast.study.document import Document
from sortlast.study.narrowed_trees import workloads
from sortlast.study.narrowed_trees.cells import Cell, Result, Settings
from sortlast.study.narrowed_trees.overview import reproduced
from sortlast.study.narrowed_trees.performance import EQUAL, Times, Weights
from sortlast.study.narrowed_trees.report import FIGURES, document
from sortlast.study.steps import Json, PartDone, Step
from sortlast.study.study import Results, Study

SUMMARY = (
    'Thin-trees and slender-trees beside fat-trees: Navaridas et al., "Reducing Complexity in Tree-like '
    'Computer Interconnection Networks" (2007).'
)


def make(
    *, sizes: Sequence[int] | None = None, seed: int = 17, ties: str = "uniform", weights: Weights = EQUAL
) -> Study:
    """The study with other sizes, seed, ties or weights than the paper's.

    Args:
        sizes: some of :data:`workloads.SIZES`, whether quick or not.
        seed: of all that is drawn at random.
        ties: as :func:`sortlast.simulate.packet` takes them.
        weights: of a further table, and those with which the page opens.

    Raises:
        ArgumentError: no sizes, or others.
    """
    if sizes is not None and (not sizes or not set(sizes) <= set(workloads.SIZES)):
        raise ArgumentError(f"sizes are {list(sizes)}; expected some of {list(workloads.SIZES)}")
    shared = Settings(seed, ties, version("sortlast"))

    def steps(quick: bool) -> list[Step]:
        chosen = sizes or (workloads.QUICK_SIZES if quick else workloads.SIZES)
        return [_step(cell, shared) for cell in workloads.cells(tuple(sorted(set(chosen))))]

    def report(results: Results, quick: bool, folder: Path) -> Document:
        found = times(results)
        _draw(found, folder)
        return document(found, shared, weights)

    def page(report: Document, results: Results, pictures: Mapping[str, str]) -> str:
        from sortlast.study.narrowed_trees.page import render

        return render(report, times(results), pictures, weights)

    return Study(
        name="narrowed-trees",
        summary=SUMMARY,
        steps=steps,
        settings={"seed": seed, "ties": ties},
        report=report,
        reproduced=lambda results, quick: reproduced(times(results)),
        page=page,
    )


def times(results: Results) -> Times:
    """The simulated times among the results of the steps."""
    cells = [cell for cell in workloads.cells() if cell.name in results]
    sizes = tuple(size for size in workloads.SIZES if any(cell.size == size for cell in cells))
    return Times({cell: Result(**results[cell.name]) for cell in cells}, sizes)


def _step(cell: Cell, shared: Settings) -> Step:
    def compute(part_done: PartDone) -> Json:
        return asdict(workloads.simulate_cell(cell, shared, part_done))

    return Step(cell.name, compute, work=workloads.packets(cell))


def _draw(found: Times, folder: Path) -> None:
    from sortlast.plot import save
    from sortlast.study.narrowed_trees.figures import figure

    for which, picture in FIGURES.items():
        drawn = figure(found, which)
        for suffix in ("png", "svg"):
            save(drawn, folder / f"{picture.name}.{suffix}")


STUDY = make()
