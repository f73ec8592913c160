"""The study from its cells to its report."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from sortlast import ArgumentError
from sortlast.files import replacing
from sortlast.study.cells import Kept, Settings, run
from sortlast.study.document import markdown
from sortlast.study.narrowed_trees import workloads
from sortlast.study.narrowed_trees.performance import EQUAL, Times, Weights
from sortlast.study.narrowed_trees.report import FIGURES, document


def settings(seed: int = 17, ties: str = "uniform") -> Settings:
    """What all cells share; ``ties`` as :func:`sortlast.simulate.packet` takes them."""
    return Settings(seed, ties, version("sortlast"))


def compute(
    folder: Path,
    *,
    sizes: Sequence[int] = workloads.SIZES,
    shared: Settings | None = None,
    workers: int | None = None,
    progress: Callable[[float, Sequence[str]], object] = lambda part, running: None,
) -> Times:
    """Simulate all cells of these sizes that ``folder`` does not hold, and keep them there.

    Args:
        folder: cells are kept in its folder ``cells``.
        sizes: some of :data:`workloads.SIZES`.
        shared: settings of all cells; by default those of :func:`settings`.
        workers: cells at a time; by default one a core.
        progress: see :func:`sortlast.study.cells.run`.

    Raises:
        ArgumentError: no sizes, or others.
        Error: as :func:`sortlast.study.cells.run` does.
    """
    chosen = tuple(size for size in workloads.SIZES if size in sizes)
    if not chosen or len(chosen) < len(set(sizes)):
        raise ArgumentError(f"sizes are {list(sizes)}; expected some of {list(workloads.SIZES)}")
    results = run(
        workloads.cells(chosen),
        workloads.simulate_cell,
        Kept(folder / "cells", shared or settings()),
        work=workloads.packets,
        workers=workers or len(os.sched_getaffinity(0)),
        progress=progress,
    )
    return Times(results, chosen)


def write(
    times: Times, folder: Path, *, shared: Settings | None = None, weights: Weights = EQUAL
) -> list[Path]:
    """Write the report into ``folder``, as Markdown and HTML, and its figures as PNG and SVG.

    Returns the paths written. Raises :class:`sortlast.Error` if the place cannot be written.
    """
    from sortlast.plot import save
    from sortlast.study.narrowed_trees.figures import figure
    from sortlast.study.narrowed_trees.page import render

    written = []
    pictures = {}
    for which, picture in FIGURES.items():
        drawn = figure(times, which)
        for suffix in ("png", "svg"):
            path = folder / f"{picture.name}.{suffix}"
            save(drawn, path)
            written.append(path)
        text = io.StringIO()
        drawn.savefig(text, format="svg", metadata={"Date": None})
        pictures[picture.name] = text.getvalue()
    report = document(times, shared or settings(), weights)
    for name, content in (
        ("report.md", markdown(report)),
        ("report.html", render(report, times, pictures, weights)),
    ):
        with replacing(folder / name) as temporary:
            temporary.write_text(content, encoding="utf-8")
        written.append(folder / name)
    return written
