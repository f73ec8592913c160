"""``sortlast study``: compares tables and figures of papers with ours, and runs studies without a paper.

One command per study, all with the same options except narrowed-trees, which adds some. ``sortlast`` finds
the group through the entry point of this distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, Signature, cleandoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortlast.files import check_place, make_folder, write_text
from sortlast_studies import NAMES, package

if TYPE_CHECKING:
    from sortlast_studies.study import Reading, Study
    from sortlast_studies.table import Table

Output = Annotated[Path, typer.Option(help="Folder for finished steps, the report and its pictures.")]
Quick = Annotated[bool, typer.Option("--quick", help="Only the smaller cases, in less than two minutes.")]
Testbed = Annotated[
    bool,
    typer.Option("--testbed", help="Also measure on hosts: network namespaces of this machine. Needs root."),
]
Port = Annotated[
    bool,
    typer.Option(
        "--port", help="Also measure this machine's parallel port, /dev/parport0, by toggling its lines."
    ),
]
Workers = Annotated[int | None, typer.Option(min=1, help="Concurrent simulations; default: one per core.")]
Again = Annotated[
    Path | None,
    typer.Option("--from", help="Only draw the report, from this table, a CSV file of an earlier run."),
]
Ranks = Annotated[
    str | None,
    typer.Option(help="Add these numbers of ranks, separated by commas, to the paper's."),
]
Sizes = Annotated[
    str | None,
    typer.Option(help="Add images of these sizes, such as 1024x1024,2048x2048, to the paper's."),
]
Full = Annotated[
    bool, typer.Option("--full", help="Print the whole report or overview instead of the summary.")
]

_BESIDE_A_PAPER = """\
Compares its tables and figures with the published values. Computed and simulated values have columns
separate from values measured on this machine.
"""
_KEPT = """\
Finished steps are kept in the output folder: an interrupted study resumes where it stopped. The folder
then holds `report.html`, `report.md` and the pictures, and all values in one table, as CSV and JSON. The
command prints a summary: the question, the result, and what did not agree.
"""


def register(app: typer.Typer) -> None:
    """Add the command, a group with one member per study, and one for all."""
    group = typer.Typer(
        no_args_is_help=True, help="Compare the tables and figures of a paper with the published ones."
    )
    for name in NAMES:
        about = package(name)
        command = _command(name, {*getattr(about, "OPTIONS", ()), *getattr(about, "PARAMETERS", ())})
        more = getattr(about, "KIND", _BESIDE_A_PAPER) + _KEPT
        if name == "narrowed-trees":
            command = import_module(f"{about.__name__}.command").narrowed_trees
            more = cleandoc(command.__doc__ or "")
        group.command(name, help=f"{about.SUMMARY}\n\n{more}")(command)
    group.command("all")(every)
    app.add_typer(group, name="study")


def _command(name: str, options: Collection[str]) -> Callable[..., None]:
    """Make the command of a study; its help lists only those optional options that the study has."""

    def command(
        output: Output = Path(name),
        quick: Quick = False,
        workers: Workers = None,
        again: Again = None,
        full: Full = False,
        ranks: Ranks = None,
        sizes: Sizes = None,
        testbed: Testbed = False,
        port: Port = False,
    ) -> None:
        from sortlast_studies import study as studies

        asked = _asked(testbed=testbed, port=port)
        unit = getattr(package(name), "SIZE_UNIT", "pixel")
        study = studies.load(name, **_parameters(ranks, sizes, unit, again))
        run(study, output, quick=quick, workers=workers, options=asked, again=again, full=full)

    every = signature(command, eval_str=True).parameters
    left_out = {"testbed", "port"}.difference(options)
    # Passing ranks or sizes to a study without them is an error that names the studies that take them.
    hidden = {"ranks", "sizes"}.difference(options)
    taken = [
        _hidden(every[each]) if each in hidden else every[each] for each in every if each not in left_out
    ]
    command.__signature__ = Signature(taken)  # type: ignore[attr-defined]
    return command


def _hidden(option: Parameter) -> Parameter:
    """The same option, but not in the help."""
    return option.replace(annotation=Annotated[str | None, typer.Option(hidden=True)])


def _parameters(ranks: str | None, sizes: str | None, unit: str, again: Path | None) -> dict[str, list[int]]:
    """Parse the values given in addition to the paper's; sizes of images in the study's unit."""
    from sortlast import ArgumentError
    from sortlast.cli import _parse

    given: dict[str, list[int]] = {}
    if ranks is not None:
        given["ranks"] = _parse.integers(ranks)
    if sizes is not None:
        given["sizes"] = [_in_unit(*_parse.size(each), unit) for each in sizes.split(",")]
    for name, values in given.items():
        if again is not None:
            raise ArgumentError(f"--from draws what its table holds; leave --{name} out")
        if min(values) < 1:
            raise ArgumentError(f"--{name}: {min(values)} is too few; each must be at least 1")
        if len(set(values)) < len(values):
            raise ArgumentError(f"--{name}: a value stands there twice")
    return given


def _in_unit(width: int, height: int, unit: str) -> int:
    """Convert the size of an image to its edge, to megapixels (1024x1024), or to pixels."""
    from sortlast import ArgumentError

    if unit == "edge":
        if width != height:
            raise ArgumentError(
                f"--sizes {width}x{height}: this study takes square images, such as 1024x1024"
            )
        return width
    if unit == "megapixel":
        megapixels, rest = divmod(width * height, 1 << 20)
        if rest:
            raise ArgumentError(
                f"--sizes {width}x{height}: this study takes whole megapixels, such as 2048x1024"
            )
        return megapixels
    return width * height


def _asked(**given: bool) -> list[str]:
    """The names of the options that were given. Raises MissingExtraError if one needs a missing package."""
    from sortlast import MissingExtraError

    if given["testbed"] and find_spec("sortlast_testbed") is None:
        raise MissingExtraError(
            "--testbed needs the package sortlast-testbed: pip install ./testbed in a checkout of sortlast"
        )
    return [name for name, wanted in given.items() if wanted]


def every(
    output: Output = Path("studies"),
    quick: Quick = False,
    workers: Workers = None,
    full: Full = False,
    testbed: Testbed = False,
    port: Port = False,
) -> None:
    """Run all studies, each in its own folder, and write an overview.

    The overview has the summary and a picture of each study, the disagreements with the papers, largest
    first, and how every table and figure was reproduced. It is written as `overview.html` and `overview.md`.
    The disagreements are printed below the summaries.
    """
    from sortlast.cli import _terminal
    from sortlast_studies import report
    from sortlast_studies import study as studies
    from sortlast_studies.overview import Overview

    make_folder(output)
    check_place(output / "overview.md")
    options = _asked(testbed=testbed, port=port)
    readings = []
    for name in NAMES:
        study, folder = studies.load(name), output / name
        readings.append(run(study, folder, quick=quick, workers=workers, options=options))
        typer.echo()
    overview = Overview(readings, output)
    texts = {output / "overview.md": overview.text, output / "overview.html": overview.page}
    for path, text in texts.items():
        write_text(path, text)
    report.show(overview.text if full else overview.disagreements, _terminal.console())
    for path in texts:
        typer.echo(f"wrote {path}")


def run(
    study: Study,
    folder: Path,
    *,
    quick: bool,
    workers: int | None,
    options: Collection[str] = (),
    again: Path | None = None,
    full: bool = False,
) -> Reading:
    """Run a study in a folder with a progress bar, print its summary, and name the files written.

    ``again`` is a table from an earlier run: then nothing is run. With ``full`` the whole report is printed.
    """
    from sortlast_studies.study import Reading, not_asked

    make_folder(folder)
    check_place(folder / "report.md")
    if again is not None:
        reading = Reading.of_file(study, again)
    else:
        reading = Reading(study, _computed(study, folder, quick, workers, options))
    paths = reading.write(folder)
    _tell(reading, full)
    for option in sorted({"testbed", "port"} - set(options)):
        if not_asked(option) in {row.note for row in reading.table}:
            typer.echo(f"{study.name}: some steps were not run, as they were not asked for; give --{option}")
    typer.echo(f"wrote {_written(paths)}")
    return reading


def _tell(reading: Reading, full: bool) -> None:
    """Print title, summary and the counts of verdicts, or the whole report."""
    from rich.text import Text

    from sortlast.cli import _terminal
    from sortlast_studies import report

    console = _terminal.console()
    if full:
        report.show(reading.markdown, console)
        return
    console.print(Text(reading.title, style="bold"))
    report.show(reading.summary, console)
    if reading.verdicts:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in reading.verdicts.items())
        typer.echo(f"\nclaims: {counts}")


def _written(paths: Sequence[Path]) -> str:
    """List the files written into one folder: texts and tables, then the pictures with their formats."""
    from sortlast.plot import FORMATS

    pictures = [path for path in paths if path.suffix.lstrip(".") in FORMATS]
    names = ", ".join(path.name for path in paths if path not in pictures)
    formats = ", ".join(dict.fromkeys(path.suffix.lstrip(".") for path in pictures))
    drawn = ", ".join(dict.fromkeys(path.stem for path in pictures))
    return f"{paths[0].parent}: {names}; pictures ({formats}): {drawn}"


def _computed(
    study: Study, folder: Path, quick: bool, workers: int | None, options: Collection[str]
) -> Table:
    """Compute, with a progress bar on standard error."""
    from sortlast.cli import _progress
    from sortlast_studies.study import compute

    with _progress.bar(study.name, transient=True) as bar:

        def update(part: float, running: Sequence[str]) -> None:
            bar.tell("; ".join(running), part)

        return compute(study, folder, quick=quick, workers=workers, options=options, progress=update)
