"""``sortlast bench composite``: algorithms side by side on this machine."""

from __future__ import annotations

import json as json_
import tempfile
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortlast import Error, launch
from sortlast.cli import _bench_table, _parse, _terminal

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.bench import Report, Settings


def register(app: typer.Typer) -> None:
    """Add the group of benchmarks."""
    group = typer.Typer(help="Measure this machine.", no_args_is_help=True)
    group.callback()(lambda: None)
    group.command()(composite)
    app.add_typer(group, name="bench")


def composite(
    ranks: Annotated[
        str | None, typer.Option(show_default="4", help="Ranks to start, such as 4,8; one run for each.")
    ] = None,
    size: Annotated[
        str, typer.Option(help="Width x height of the images in pixels; several with commas between.")
    ] = "2048x1024",
    algorithms: Annotated[
        str, typer.Option(help="all, or names of sortlast algorithms, such as shift,radix-k:4,2,auto.")
    ] = "all",
    peers: Annotated[
        str, typer.Option(help="all, or some of those of the table, such as sortlast,mpi-reduce.")
    ] = "all",
    format_: Annotated[str, typer.Option("--format", help="RGBA of float32, float16 or uint8.")] = "float32",
    op: Annotated[str, typer.Option(help="over, closest, add, max or min.")] = "over",
    gather: Annotated[
        bool | None,
        typer.Option(
            show_default="both",
            help="The whole frame at rank 0, or pixels where they are finished.",
        ),
    ] = None,
    frames: Annotated[int, typer.Option(min=1, help="Frames to time of each peer.")] = 10,
    json: Annotated[Path | None, typer.Option(help="Also write all rows to this JSON file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Also draw them: png, svg or pdf.")] = None,
) -> None:
    """Time compositing algorithms beside MPI's own reductions and two floors.

    Every rank holds a random image, all pixels active. Every answer is checked against the serial composite
    before it is timed (exit status 2 if one is wrong). A frame's time is that of the slowest rank, and the
    peers take turns, so rows of one run can be compared even where the machine is busy.

    Floors: `floor-memcpy` copies each rank's image once; `floor-shared-window` blends images that already
    lie in memory shared by all ranks. The ranks are started here, or are those of your own mpiexec.
    """
    from sortlast import plot as plots
    from sortlast import schedule
    from sortlast.bench import FORMATS, OPS, Settings
    from sortlast.bench.peers import PEERS

    # Refuse before any rank starts what can be refused from the arguments alone.
    counts = [4] if ranks is None else _parse.integers(ranks)
    if min(counts) < 1:
        raise typer.BadParameter(f"{ranks}: at least 1 rank", param_hint="--ranks")
    _among("--format", [format_], FORMATS)
    _among("--op", [op], OPS)
    if plot is not None:
        plots.check_format(plot)
    chosen = list(PEERS) if peers == "all" else peers.split(",")
    _among("--peers", chosen, PEERS)
    named = _algorithms(algorithms)
    if not launch.under_mpiexec():
        for name in named:
            for count in counts:
                schedule.make(name, p=count, n=0)
    settings = Settings(
        [_size(text) for text in size.split(",")],
        named,
        chosen,
        format_,
        op,
        [True, False] if gather is None else [gather],
        frames,
    )

    # Measure.
    if launch.under_mpiexec():
        comm = launch.world()
        if ranks is not None and counts != [comm.size]:
            raise Error(f"--ranks {ranks}, but mpiexec started {comm.size}; leave --ranks out under mpiexec")
        reports = [measure(comm, settings)]
        if comm.rank != 0:
            return
    else:
        _terminal.hand_on()
        reports = [_launch(count, settings) for count in counts]

    # Report.
    rows = [row for report in reports for row in report.rows]
    console = _terminal.console()
    for table in _bench_table.tables(rows):
        console.print(table)
    for line in dict.fromkeys(line for report in reports for line in report.notes):
        console.print(line)
    if json is not None:
        _terminal.write_json([asdict(row) for row in rows], json)
        console.print(f"wrote {json}")
    if plot is not None:
        from sortlast.plot import bench as drawing

        plots.save(drawing.medians(rows), plot)
        console.print(f"wrote {plot}")


def measure(comm: MPI.Intracomm, settings: Settings) -> Report:
    """Measure on the ranks of ``comm`` with a progress bar on rank 0's standard error. Communicates."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from sortlast import bench

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, refresh_per_second=4, disable=comm.rank != 0) as bar:
        task = bar.add_task("", total=None)

        def progress(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        return bench.run(comm, settings, progress)


def _launch(ranks: int, settings: Settings) -> Report:
    """Measure on ranks that are started for it. Ends the command, with their status, if they fail."""
    from sortlast.bench import Report, Row

    with tempfile.TemporaryDirectory(prefix="sortlast-bench-") as folder:
        asked, told = Path(folder, "settings.json"), Path(folder, "report.json")
        asked.write_text(json_.dumps(asdict(settings)))
        status = launch.run("sortlast.bench", [str(asked), str(told)], ranks)
        if status != 0:
            raise typer.Exit(status)
        report = json_.loads(told.read_text())
    return Report([Row(**row) for row in report["rows"]], report["notes"])


def _algorithms(text: str) -> list[str]:
    """Names with commas between them; a number belongs to the name before it, as in radix-k:4,2,shift."""
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


def _size(text: str) -> tuple[int, int]:
    width, height = _parse.size(text)
    if width < 1 or height < 1:
        raise typer.BadParameter(f"{text} has no pixels", param_hint="--size")
    return width, height


def _among(option: str, values: list[str], known: Collection[str]) -> None:
    for value in values:
        if value not in known:
            raise typer.BadParameter(f"{value!r} is none of {', '.join(known)}", param_hint=option)
