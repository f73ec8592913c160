"""Running a study in the terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sortlast.cli import _terminal
from sortlast.files import check_place, make_folder

if TYPE_CHECKING:
    from sortlast.study.study import Results, Study


def prepare(folder: Path, name: str) -> None:
    """Make the folder of a study, and refuse before it runs one in which no file ``name`` can be written."""
    make_folder(folder)
    check_place(folder / name)


def run(
    study: Study,
    folder: Path,
    *,
    quick: bool,
    workers: int | None,
    options: Collection[str] = (),
    printed: bool = True,
) -> Results:
    """Run a study into a folder with a progress bar; print its report if wanted, name what was written."""
    from sortlast.study.document import show
    from sortlast.study.runner import write
    from sortlast.study.steps import is_refused

    results = _computed(study, folder, quick, workers, options)
    document, paths = write(study, results, folder, quick=quick)
    if printed:
        show(document, _terminal.console())
    refused = {step.option for step in study.steps(quick) if is_refused(results[step.name])}
    for option in sorted(refused - {"", *options}):
        typer.echo(f"{study.name}: some steps were not run, as they were not asked for; give --{option}")
    for path in paths if printed else [folder / "report.html"]:
        typer.echo(f"wrote {path}")
    return results


def _computed(
    study: Study, folder: Path, quick: bool, workers: int | None, options: Collection[str]
) -> Results:
    """Compute with a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from sortlast.study.runner import compute

    columns = (
        TextColumn(study.name),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)

        def update(part: float, running: Sequence[str]) -> None:
            bar.update(task, completed=part, description="; ".join(running))

        return compute(study, folder, quick=quick, workers=workers, options=options, progress=update)
