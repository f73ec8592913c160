"""The study as a value."""

from __future__ import annotations

from pathlib import Path

from sortlast.study.all_to_all import cluster, hosts, measured, simulated
from sortlast.study.all_to_all.found import Found
from sortlast.study.all_to_all.overview import reproduced
from sortlast.study.all_to_all.report import LEAF_MODULE, PLACEMENTS, SCHEMATICS, TIMES, document
from sortlast.study.document import Document
from sortlast.study.steps import Step
from sortlast.study.study import Results, Study

SUMMARY = (
    'A parallel sort by all-to-all: Mistry et al., "Contention of Communications in Switched Networks with '
    'Applications to Parallel Sorting" (2013).'
)


def steps(quick: bool) -> list[Step]:
    """All simulations, and the measurements, which run alone; the quick study makes no hosts."""
    simulations = [simulated.step(each) for each in simulated.all_of(quick)]
    on_cores = [measured.step(each) for each in dict.fromkeys(measured.all_of(quick))]
    return simulations + on_cores + ([] if quick else [hosts.step(tree) for tree in cluster.TREES])


def report(results: Results, quick: bool, folder: Path) -> Document:
    """The report; its pictures are drawn into the folder."""
    found = Found(results, quick)
    _draw(found, folder)
    return document(found)


def _draw(found: Found, folder: Path) -> None:
    from sortlast.plot import save
    from sortlast.study.all_to_all import diagrams, figures

    drawn = {
        SCHEMATICS: diagrams.schematics(),
        LEAF_MODULE: diagrams.leaf_module(),
        TIMES: figures.times(found),
        PLACEMENTS: figures.placements(found),
    }
    for picture, figure in drawn.items():
        for suffix in ("png", "svg"):
            save(figure, folder / f"{picture.name}.{suffix}")


STUDY = Study(
    name="all-to-all",
    summary=SUMMARY,
    steps=steps,
    settings={"seed": simulated.SEED},
    report=report,
    reproduced=lambda results, quick: reproduced(Found(results, quick)),
)
