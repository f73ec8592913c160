"""The study as a value, from its steps to its report."""

from __future__ import annotations

from pathlib import Path

from sortlast.study.document import Document
from sortlast.study.radix_k import blue_gene, cluster, later, live, profile, scaling, vectors
from sortlast.study.radix_k.overview import reproduced
from sortlast.study.radix_k.report import document
from sortlast.study.steps import Step
from sortlast.study.study import Results, Study


def steps(quick: bool) -> list[Step]:
    """All that is simulated and measured; the quick ones are smaller, and fewer."""
    return [
        *scaling.steps(quick),
        *vectors.steps(),
        *cluster.steps(quick),
        *later.steps(quick),
        *profile.steps(quick),
        *live.steps(quick),
    ]


def report(results: Results, quick: bool, folder: Path) -> Document:
    """The report; draws its pictures into the folder."""
    from sortlast.study.radix_k.figures import draw_all

    draw_all(results, folder)
    return document(results)


STUDY = Study(
    name="radix-k",
    summary=(
        "Radix-k beside binary swap, direct-send and MPI's reductions: Peterka et al., "
        '"A Configurable Algorithm for Parallel Image-Compositing Applications" (2009).'
    ),
    steps=steps,
    settings={
        "torus": [blue_gene.LINK, blue_gene.LATENCY, blue_gene.BLEND],
        "switch": [cluster.LINK, cluster.BLEND],
    },
    report=report,
    reproduced=lambda results, quick: reproduced(results),
)
