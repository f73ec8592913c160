"""``sortlast study``: the tables and figures of a paper, computed, beside the published ones."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortlast.cli import _parse, _terminal

if TYPE_CHECKING:
    from sortlast.study.cells import Settings
    from sortlast.study.narrowed_trees import Times


class Ties(str, Enum):
    """How a port is drawn among those with equally many credits."""

    uniform = "uniform"
    fsin = "fsin"


def register(app: typer.Typer) -> None:
    """Add the command, a group with one member a paper."""
    group = typer.Typer(
        no_args_is_help=True, help="The tables and figures of a paper, beside the published ones."
    )
    group.command("narrowed-trees")(narrowed_trees)
    app.add_typer(group, name="study")


def narrowed_trees(
    output: Annotated[
        Path, typer.Option(help="Folder for finished cells, the report and its figures.")
    ] = Path("narrowed-trees"),
    quick: Annotated[bool, typer.Option("--quick", help="Messages of up to 1 KB alone: seconds.")] = False,
    sizes: Annotated[
        str | None, typer.Option(help="Sizes of messages in bytes, with commas between, of the paper's five.")
    ] = None,
    weights: Annotated[
        str, typer.Option(help="How much patterns and sizes count, such as BU=2,WF=0,10=0; others 1.")
    ] = "",
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn at random.")] = 17,
    ties: Annotated[
        Ties, typer.Option(help="Draw among equally good ports uniformly, or as the simulator FSIN does.")
    ] = Ties.uniform,
    workers: Annotated[int | None, typer.Option(min=1, help="Cells at a time; default: one a core.")] = None,
) -> None:
    """Thin-trees and slender-trees beside fat-trees: performance, cost, and performance per cost.

    The study of Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection Networks"
    (2007): 5 sizes of messages, 7 patterns of 4096 tasks, 8 networks. Prints its Tables 1 to 5 with the
    published values and the ratio, and says of every claim of its text whether it holds.

    The whole takes minutes, of which nearly all is 100 KB. Finished cells are kept in the output folder:
    a study that was ended goes on where it stopped. The folder then holds `report.html`, in which
    weights can be changed, `report.md`, and Figures 6 and 7.
    """
    from sortlast import ArgumentError
    from sortlast.files import check_place
    from sortlast.study import narrowed_trees as study
    from sortlast.study.document import show
    from sortlast.study.narrowed_trees.report import document

    # Refuse before anything runs what cannot be.
    if quick and sizes is not None:
        raise ArgumentError("--quick names the sizes, and --sizes does too; leave one out")
    chosen: Sequence[int] = study.QUICK_SIZES if quick else study.SIZES
    if sizes is not None:
        chosen = _parse.integers(sizes)
    wanted = study.parse_weights(weights)
    check_place(output / "report.md")

    # Simulate and report.
    shared = study.settings(seed, ties.value)
    times = _computed(output, chosen, shared, workers)
    show(document(times, shared, wanted), _terminal.console())
    for path in study.write(times, output, shared=shared, weights=wanted):
        typer.echo(f"wrote {path}")


def _computed(output: Path, sizes: Sequence[int], shared: Settings, workers: int | None) -> Times:
    """Compute with a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from sortlast.study import narrowed_trees as study

    columns = (
        TextColumn("simulating"),
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

        return study.compute(output, sizes=sizes, shared=shared, workers=workers, progress=update)
