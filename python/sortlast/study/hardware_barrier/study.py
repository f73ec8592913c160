"""The study as a value."""

from __future__ import annotations

from pathlib import Path

from sortlast.study.document import Document
from sortlast.study.hardware_barrier import measurements, overview, report
from sortlast.study.hardware_barrier.measurements import Measured
from sortlast.study.study import Reproduced, Results, Study

SUMMARY = (
    "Synchronised frames of a compositing device, with barriers in software and hardware: Nonaka et al., "
    '"Performance Evaluation of a Low-Cost Parallel-port-based Hardware Barrier on VG Cluster" (2004).'
)


def _report(results: Results, quick: bool, folder: Path) -> Document:
    from sortlast.plot import save
    from sortlast.study.hardware_barrier import figures

    measured = Measured(results, measurements.plan(quick))
    for name, figure in figures.draw(measured).items():
        for suffix in ("png", "svg"):
            save(figure, folder / f"{name}.{suffix}")
    return report.document(measured)


def _reproduced(results: Results, quick: bool) -> list[Reproduced]:
    return overview.reproduced(Measured(results, measurements.plan(quick)))


STUDY = Study(
    name="hardware-barrier",
    summary=SUMMARY,
    steps=measurements.steps,
    settings={},
    report=_report,
    reproduced=_reproduced,
)
