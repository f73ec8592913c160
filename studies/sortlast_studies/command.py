"""``sortlast study``: compares tables and figures of papers with ours, and runs studies without a paper.

``sortlast`` finds the command through the entry point of this distribution.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortlast.files import check_place, make_folder, write_text
from sortlast_studies import NAMES, package

if TYPE_CHECKING:
    from sortlast_studies.study import Reading, Study
    from sortlast_studies.table import Table

_ALL = "all"
_HELP = """\
Compare the tables and figures of a paper with the published ones, or run a study without a paper.

{studies}

Computed and simulated values have columns separate from values measured on this machine. Finished steps are
kept in the output folder: an interrupted study resumes where it stopped. The folder then holds `report.html`,
`report.md` and the pictures, and all values in one table, as CSV and JSON. The command prints a summary: the
question, the result, and what did not agree.

`all` runs every study in its own folder and writes an overview: summaries, pictures, and the disagreements
with the papers, largest first.
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    studies = "\n".join(f"- `{name}`: {package(name).SUMMARY}" for name in NAMES)
    app.command(help=_HELP.format(studies=studies))(study)


def study(
    name: Annotated[str, typer.Argument(help="A study, or all.")],
    output: Annotated[
        Path | None,
        typer.Option(show_default="NAME", help="Folder for finished steps, the report and its pictures."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only the smaller cases, in minutes.")] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, show_default="one per core", help="Concurrent simulations.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Print the whole report or overview instead of the summary.")
    ] = False,
    again: Annotated[
        Path | None,
        typer.Option("--from", help="Only draw the report, from this table, a CSV file of an earlier run."),
    ] = None,
    ranks: Annotated[
        str | None, typer.Option(help="Add these numbers of ranks, such as 48,96, to the paper's.")
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(help="Add images of these sizes, such as 1024x1024,2048x2048, to the paper's."),
    ] = None,
    testbed: Annotated[
        bool,
        typer.Option(
            "--testbed", help="Also measure on hosts: network namespaces of this machine. Needs root."
        ),
    ] = False,
    port: Annotated[
        bool,
        typer.Option(
            "--port", help="Also measure this machine's parallel port, /dev/parport0, by toggling its lines."
        ),
    ] = False,
) -> None:
    """Run a study, or all."""
    from sortlast import ArgumentError
    from sortlast_studies import study as studies

    if name not in (*NAMES, _ALL):
        raise ArgumentError(f"study is {name!r}; expected {', '.join(NAMES)} or {_ALL}")
    options = _asked(name, testbed=testbed, port=port)
    if name == _ALL:
        for option, value in {"--from": again, "--ranks": ranks, "--sizes": sizes}.items():
            if value is not None:
                raise ArgumentError(f"{option} is for one study; name it instead of {_ALL}")
        _every(output or Path("studies"), quick=quick, workers=workers, options=options, full=full)
        return
    unit = getattr(package(name), "SIZE_UNIT", "pixel")
    found = studies.load(name, **_parameters(ranks, sizes, unit, again))
    run(found, output or Path(name), quick=quick, workers=workers, options=options, again=again, full=full)


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


def _asked(name: str, **given: bool) -> list[str]:
    """The names of the options that were given.

    Raises ArgumentError for an option that the study does not have, and MissingExtraError for one that needs
    a missing package.
    """
    from sortlast import ArgumentError, MissingExtraError

    asked = [option for option, wanted in given.items() if wanted]
    for option in asked:
        able = [other for other in NAMES if option in getattr(package(other), "OPTIONS", ())]
        if name not in (*able, _ALL):
            raise ArgumentError(
                f"the study {name} has no --{option}; studies that take it: {', '.join(able)}"
            )
    if "testbed" in asked and find_spec("sortlast_testbed") is None:
        raise MissingExtraError(
            "--testbed needs the package sortlast-testbed: pip install ./testbed in a checkout of sortlast"
        )
    return asked


def _every(output: Path, *, quick: bool, workers: int | None, options: Collection[str], full: bool) -> None:
    """Run all studies, write ``overview.html`` and ``overview.md``, and print the disagreements."""
    from sortlast.cli import _terminal
    from sortlast_studies import report
    from sortlast_studies import study as studies
    from sortlast_studies.overview import Overview

    make_folder(output)
    check_place(output / "overview.md")
    readings = []
    for name in NAMES:
        readings.append(run(studies.load(name), output / name, quick=quick, workers=workers, options=options))
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
