"""``sortlast bench``: compositing side by side with other ways to the same image, on this machine."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortlast import Error, launch
from sortlast.cli import _bench_run, _bench_table, _parse, _terminal
from sortlast.files import STANDARD_OUTPUT

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sortlast.bench import Report, Row

_FRAMES = 9  # of each peer in a cell of the matrix
_BOUNDS = "-bounds"

_Icet = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        envvar="SORTLAST_ICET",
        help="Installation or build folder of IceT, or its libIceTCore.so, for the peer icet; default: none.",
    ),
]


_Minigraphics = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        file_okay=False,
        help="Build folder of bench/minigraphics, the adapter to the peer minigraphics; default: none.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group of benchmarks."""
    group = typer.Typer(help="Measure this machine.", no_args_is_help=True)
    group.callback()(lambda: None)
    group.command()(composite)
    group.command()(matrix)
    app.add_typer(group, name="bench")


def composite(
    ranks: Annotated[
        str | None, typer.Option(show_default="4", help="Ranks to start, such as 4,8; one run for each.")
    ] = None,
    size: Annotated[
        str, typer.Option(help="Width x height of the images in pixels; several separated by commas.")
    ] = "2048x1024",
    algorithms: Annotated[
        str, typer.Option(help="all, or names of sortlast algorithms, such as shift,radix-k:4,2,auto.")
    ] = "all",
    peers: Annotated[
        str, typer.Option(help="all, or some peers of the table, such as sortlast,mpi-reduce.")
    ] = "all",
    format_: Annotated[
        str, typer.Option("--format", help="RGBA of float32, float16 or uint8; or several.")
    ] = "float32",
    op: Annotated[str, typer.Option(help="over, closest, add, max or min; or several.")] = "over",
    content: Annotated[
        str,
        typer.Option(
            help="Which pixels of p ranks are active: dense (all), block (a box of 1/p of the area) or"
            " random (each with probability 1/p); or several. With block-bounds, and so on, peers also get"
            " the box of each rank's active pixels."
        ),
    ] = "dense",
    gather: Annotated[
        bool | None,
        typer.Option(show_default="both", help="Gather the whole frame at rank 0, or leave it distributed."),
    ] = None,
    frames: Annotated[int, typer.Option(min=1, help="Frames to time for each peer.")] = 10,
    icet: _Icet = None,
    minigraphics: _Minigraphics = None,
    json: Annotated[Path | None, typer.Option(help="Also write all rows to this JSON file.")] = None,
) -> None:
    """Time compositing algorithms together with other ways to the same image, and with floors.

    Every rank holds a random image. Every answer is checked against the serial composite before it is timed
    (exit status 2 if one is wrong). A frame's time is the time of the slowest rank, and the peers take turns,
    so rows of one run can be compared even on a busy machine.

    Floors: `floor-memcpy` copies each rank's image once; `floor-network` exchanges the pixels that must move
    and blends none; `floor-shared-window` blends images that already lie in memory shared by all ranks. The
    ranks are started here, or are the ranks of your own mpiexec.
    """
    from sortlast.bench import CONTENTS, FORMATS, OPS, Settings, Task

    # Reject invalid arguments before any rank starts.
    counts = None if ranks is None else _counts(ranks)
    axes = (
        [_size(text) for text in size.split(",")],
        _among("--format", format_, FORMATS),
        _among("--op", op, OPS),
        _among("--content", content, [*CONTENTS, *(f"{each}{_BOUNDS}" for each in CONTENTS)]),
        [True, False] if gather is None else [gather],
    )
    tasks = [
        Task(*pixels, form, how, where, what.removesuffix(_BOUNDS), what.endswith(_BOUNDS))
        for pixels, form, how, what, where in product(*axes)
    ]
    _terminal.check_places(json)
    named = _algorithms(algorithms)
    if not launch.under_mpiexec():
        _check_algorithms(named, counts or [_bench_run.RANKS])
    settings = Settings(tasks, named, _peers(peers), frames, _installed(icet, minigraphics))

    # Measure and report.
    reports = _bench_run.all_reports(counts, settings)
    if reports is None:
        return
    rows = [row for report in reports for row in report.rows]
    if json is not None:
        _write(rows, json)
    console = _terminal.console(json)
    _print(_bench_table.tables(rows), reports, console)
    _terminal.name_written(console, json)


def matrix(
    json: Annotated[
        Path, typer.Option(help="File for the rows of all cells. Cells already in it are not measured again.")
    ],
    ranks: Annotated[
        str | None,
        typer.Option(show_default="all", help="Only cells with these numbers of ranks, such as 4,8."),
    ] = None,
    icet: _Icet = None,
    minigraphics: _Minigraphics = None,
    plot: Annotated[Path | None, typer.Option(help="Also draw them: png, svg or pdf.")] = None,
) -> None:
    """Measure all cells that the project monitors, and print our speedups over other libraries.

    Dense images on 2 to 16 ranks in two sizes; frames without gather; sparse images with and without bounds;
    images with depth. It takes hours on a few cores: the file is written after every cell, and the same
    command continues an interrupted run. Under mpiexec, only cells with its number of ranks are measured.
    """
    from sortlast.bench import Settings, cells

    # Choose the cells.
    if json == STANDARD_OUTPUT:
        raise Error("--json -: the rows are read again when the command goes on; name a file")
    _terminal.check_places(json, pictures=[plot])
    if plot is not None:
        from sortlast import plot as plots

        plots.check_format(plot)
    counts = None if ranks is None else _counts(ranks)
    rows = _bench_run.read_rows(json)
    known = {(cell.ranks, cell.task) for cell in cells.cells_of(rows)}
    comm = _bench_run.world(counts) if launch.under_mpiexec() else None
    if comm is not None:
        counts = [comm.size]
    asked = [(count, task) for count, task in cells.matrix() if counts is None or count in counts]
    missing = [cell for cell in asked if cell not in known]
    unknown = _bench_run.check_machine(rows, json, comm) if rows and missing else ""

    # Measure one cell after the other.
    named, chosen, installed = _algorithms("all"), _peers("all"), _installed(icet, minigraphics)
    reports = []
    _terminal.hand_on()
    for k, (count, task) in enumerate(missing):
        settings = Settings([task], named, chosen, _FRAMES, installed)
        if comm is None:
            typer.echo(f"cell {k + 1} of {len(missing)}: {task.title(count)}", err=True)
            report = _bench_run.started(count, settings)
        else:
            report = _bench_run.measure(comm, settings)
        reports.append(report)
        rows += report.rows
        if comm is None or comm.rank == 0:
            _write(rows, json)
    if comm is not None and comm.rank != 0:
        return

    # Report.
    found = {(cell.ranks, cell.task): cell for cell in cells.cells_of(rows)}
    measured = [found[key] for key in asked]
    if plot is not None:
        from sortlast.plot import bench as drawing

        plots.save(drawing.bars(measured), plot)
    console = _terminal.console(plot)
    _print(_bench_table.summaries(measured), reports, console)
    console.print(f"{len(missing)} cells measured, {len(asked) - len(missing)} from {json}")
    if unknown:
        console.print(unknown)
    _terminal.name_written(console, plot)


def _print(tables: Iterable[Table], reports: list[Report], console: Console) -> None:
    """Print tables and, below them, the notes of the reports."""
    for table in tables:
        console.print(table)
    for line in dict.fromkeys(line for report in reports for line in report.notes):
        console.print(line)


def _write(rows: list[Row], path: Path) -> None:
    _terminal.write_json([asdict(row) for row in rows], path)


def _counts(text: str) -> list[int]:
    counts = _parse.integers(text)
    if min(counts) < 1:
        raise typer.BadParameter(f"{text}: at least 1 rank", param_hint="--ranks")
    return counts


def _algorithms(text: str) -> list[str]:
    """Names separated by commas; a number belongs to the name before it, as in radix-k:4,2,shift."""
    from sortlast import schedule

    if text == "all":
        return [*(entry.name for entry in schedule.algorithms()), "auto"]
    names: list[str] = []
    for part in text.split(","):
        if part.isdigit() and names:
            names[-1] += f",{part}"
        else:
            names.append(part)
    return names


def _check_algorithms(names: list[str], counts: list[int]) -> None:
    """Raise Error if an algorithm cannot be made for one of these numbers of ranks."""
    from sortlast import schedule

    for name, count in product(names, counts):
        schedule.make(name, p=count, n=0)


def _peers(text: str) -> list[str]:
    from sortlast.bench.peers import PEERS

    return list(PEERS) if text == "all" else _among("--peers", text, PEERS)


def _installed(icet: Path | None, minigraphics: Path | None) -> dict[str, str]:
    folders = {"icet": icet, "minigraphics": minigraphics}
    return {name: str(folder.resolve()) for name, folder in folders.items() if folder is not None}


def _size(text: str) -> tuple[int, int]:
    width, height = _parse.size(text)
    if width < 1 or height < 1:
        raise typer.BadParameter(f"{text} has no pixels", param_hint="--size")
    return width, height


def _among(option: str, text: str, known: Collection[str]) -> list[str]:
    values = text.split(",")
    for value in values:
        if value not in known:
            raise typer.BadParameter(f"{value!r} is none of {', '.join(known)}", param_hint=option)
    return values
