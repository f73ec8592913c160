"""A study from its steps to its report."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from sortlast.files import check_place, make_folder, replacing
from sortlast.study.document import Document, Picture, markdown
from sortlast.study.steps import Kept, Progress, Step, run
from sortlast.study.study import Results, Study


def compute(
    study: Study,
    folder: Path,
    *,
    quick: bool = False,
    workers: int | None = None,
    options: Collection[str] = (),
    progress: Progress = lambda part, running: None,
) -> Results:
    """Run the steps that ``folder`` does not hold, keep them there, and return the results of all by name.

    Args:
        study: whose steps.
        folder: steps are kept in its folder ``steps``.
        quick: only the quick ones.
        workers: steps at a time; by default one a core.
        options: steps that need one of these run too; others of the kind are refused, and say so.
        progress: see :func:`sortlast.study.steps.run`.

    Raises:
        Error: as :func:`sortlast.study.steps.run` does.
    """
    return run(
        [step if step.option in ("", *options) else _not_asked(step) for step in study.steps(quick)],
        Kept(folder / "steps", {**study.settings, "version": version("sortlast")}),
        workers=workers or len(os.sched_getaffinity(0)),
        progress=progress,
    )


def _not_asked(step: Step) -> Step:
    """In the place of a step that has to be asked for, and was not; a result that is kept counts as ever."""
    reason = f"not run, as it was not asked for; give --{step.option}"
    return replace(step, compute=lambda part_done: {"refused": reason})


def write(
    study: Study, results: Results, folder: Path, *, quick: bool = False
) -> tuple[Document, list[Path]]:
    """Write the report into ``folder``, as ``report.md`` and ``report.html``, and its pictures.

    Returns the report and the paths written. Raises :class:`sortlast.Error` if the place cannot be written.
    """
    make_folder(folder)
    check_place(folder / "report.md")
    report = study.report(results, quick, folder)
    names = [block.name for block in report.blocks if isinstance(block, Picture)]
    written = [folder / f"{name}.{suffix}" for name in names for suffix in ("png", "svg")]
    pictures = {name: (folder / f"{name}.svg").read_text(encoding="utf-8") for name in names}
    for name, content in (
        ("report.md", markdown(report)),
        ("report.html", study.page(report, results, pictures)),
    ):
        with replacing(folder / name) as temporary:
            temporary.write_text(content, encoding="utf-8")
        written.append(folder / name)
    return report, written
