"""``sortlast demo``: a complete run on real data, from a volume to a picture."""

from __future__ import annotations

import statistics
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast import Error, launch
from sortlast.cli import _parse, _progress, _terminal
from sortlast.files import STANDARD_OUTPUT, replacing
from sortlast.launch.failure import together

if TYPE_CHECKING:
    from mpi4py import MPI
    from rich.table import Table

    from sortlast.demo import Result, Settings
    from sortlast.render.window import Image

_RANKS = 8

# Rows of the table: the name of a measurement and its description.
_PHASES = {
    "render": "render",
    "align": "waiting for the slowest to have rendered",
    "order": "visibility order",
    "composite": "composite",
    "late": "  of which waiting for ranks that come late",
    "agree": "  of which agreeing on arguments",
    "search": "  of which looking for active pixels",
    "wait": "  of which waiting for messages",
    "blend": "  of which blending",
    "rest": "  of which anything else",
    "gather": "gather",
    "frame": "frame",
}


class Mode(str, Enum):
    """What is rendered, and how it is composited; see sortlast.demo.MODES."""

    volume = "volume"
    surface = "surface"
    boxes = "boxes"
    unstructured = "unstructured"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo(
    ranks: Annotated[
        int | None, typer.Option(min=1, show_default=str(_RANKS), help="Ranks to start.")
    ] = None,
    algorithm: Annotated[
        str, typer.Option(help="Compositing algorithm; see sortlast schedule --list.")
    ] = "auto",
    size: Annotated[str, typer.Option(help="Width x height of the picture in pixels.")] = "1024x1024",
    frames: Annotated[
        int, typer.Option(min=1, help="Frames of one turn around the volume, each with its picture.")
    ] = 1,
    mode: Annotated[
        Mode,
        typer.Option(
            help="Ray-cast the volume, draw its isosurface, or ray-cast boxes of several resolutions or an"
            " unstructured mesh made from it."
        ),
    ] = Mode.volume,
    data: Annotated[str, typer.Option(help=_parse.DATA)] = "mni152",
    memory: _parse.Memory = None,
    output: Annotated[
        Path, typer.Option(help="PNG file of the first frame; further ones are demo-2.png, and so on.")
    ] = Path("demo.png"),
    json: Annotated[Path | None, typer.Option(help="Also write all numbers to this JSON file.")] = None,
    trace: Annotated[
        Path | None,
        typer.Option(help="Write a Chrome trace of the last frame to this JSON file, and a PNG next to it."),
    ] = None,
    timeout: _parse.Timeout = 60.0,
) -> None:
    """Render a volume on several ranks, composite their images, and write the picture.

    The volume is split into one block per rank. Each rank renders its own block off screen with VTK; the
    images are composited in parallel and gathered. With --mode boxes a rank has many boxes from anywhere in
    the volume, and an image of each; with --mode unstructured it has a region of a mesh that interlocks with
    the others, and a list of fragments in each pixel. The first frame is made twice, and timed the second
    time. It is compared with the serial composite of the same images (exit status 1 if they differ) and with
    one process that renders everything.

    The ranks are started here. Under your own mpiexec, all of its ranks take part.
    """
    from sortlast import _extras, render, schedule
    from sortlast.demo import Settings

    width, height = _parse.size(size)
    if width < 1 or height < 1:
        raise typer.BadParameter(f"{size} has no pixels", param_hint="--size")
    if output != STANDARD_OUTPUT and output.suffix.lower() != ".png":
        raise typer.BadParameter(f"{output} does not end in .png", param_hint="--output")
    if trace is not None and trace.suffix.lower() != ".json":
        raise typer.BadParameter(f"{trace} does not end in .json", param_hint="--trace")
    if trace is not None:
        _extras.check("matplotlib", "--trace")
    if mode is Mode.unstructured:
        _extras.check("pymetis", "--mode unstructured")
    most = _parse.memory(memory)
    settings = Settings(data, mode.value, (width, height), frames, algorithm, timeout, trace, most)

    if not launch.under_mpiexec():
        schedule.make(algorithm, p=ranks or _RANKS, n=0)
        _terminal.check_places(json, trace, pictures=_pictures(output, frames))
        render.check_offscreen()
        _terminal.hand_on()
        asked = {"settings": asdict(settings), "output": output, "json": json}
        raise typer.Exit(launch.ranks("sortlast.cli._demo_ranks", asked, ranks or _RANKS))

    comm = launch.world()
    if ranks is not None and ranks != comm.size:
        raise Error(f"--ranks {ranks}, but mpiexec started {comm.size}; leave --ranks out under mpiexec")
    raise typer.Exit(run(comm, settings, output, json))


def run(comm: MPI.Intracomm, settings: Settings, output: Path, json: Path | None) -> int:
    """Run the demo on all ranks and report on rank 0. Returns the exit status, the same on every rank."""
    from sortlast import demo as program

    pictures = _pictures(output, settings.frames)

    def keep(k: int, frame: Image) -> None:
        if k < len(pictures):
            _write_picture(frame, pictures[k])

    with _progress.bar(f"demo on {comm.size} ranks", enabled=comm.rank == 0) as bar:
        result = program.run(comm, settings, bar.tell, keep)

    def report() -> bool:
        if result is None:
            return True
        if json is not None:
            _terminal.write_json(_document(result, settings, comm.size), json)
        console = _terminal.console(output, json)
        console.print(_table(result, settings, comm.size))
        for remark in result.remarks:
            console.print(f"{settings.data}: {remark}", soft_wrap=True)
        trace = settings.trace
        first, *others = pictures
        named = [str(first)]
        if others:
            last = f" to {others[-1]}" if len(others) > 1 else ""
            named.append(f"{others[0]}{last}")
        _terminal.name_written(console, *named, json, trace, trace and trace.with_suffix(".png"))
        return result.error <= result.bound

    passed: bool = comm.bcast(together(comm, report), root=0)
    if not passed and result is not None:
        _terminal.console(output, json).print(
            f"FAILED: the composited frame differs from the serial composite by {result.error:g},"
            f" more than {result.bound:g}"
        )
    return 0 if passed else 1


def _pictures(output: Path, frames: int) -> list[Path]:
    """The files of the frames: demo.png, demo-2.png, ...; standard output gets only the first frame."""
    if output == STANDARD_OUTPUT:
        return [output]
    return [output, *(output.with_stem(f"{output.stem}-{k + 1}") for k in range(1, frames))]


def _write_picture(frame: Image, path: Path) -> None:
    from PIL import Image as Pillow

    from sortlast.render.background import on_background

    with replacing(path) as temporary:
        Pillow.fromarray(on_background(frame)).save(temporary, format="png")


def _medians(result: Result) -> dict[str, float]:
    """Medians over the frames; "composite" and its parts come from one frame, so that they add up."""
    from sortlast.demo import COUNTS, TIMES

    rows = result.rows
    kinds = {name: statistics.median_low if name in COUNTS else statistics.median for name in rows[0]}
    median = {name: kind([row[name] for row in rows]) for name, kind in kinds.items()}
    middle = statistics.median_low(row["composite"] for row in result.rows)
    frame = next(row for row in result.rows if row["composite"] == middle)
    return median | {name: frame[name] for name in ("composite", *TIMES, "rest")}


def _table(result: Result, settings: Settings, ranks: int) -> Table:
    from rich.table import Table

    median = _medians(result)
    width, height = settings.size
    frames = f"median of {settings.frames} frames" if settings.frames > 1 else "1 frame"
    table = Table(title=f"{settings.data}, {settings.mode}, {ranks} ranks, {width}x{height}, {frames}")
    table.add_column("phase, slowest rank, after an untimed frame")
    table.add_column("", justify="right")
    for name, about in _PHASES.items():
        table.add_row(about, f"{1e3 * median[name]:.2f} ms")
    table.add_section()
    table.add_row("frames per second", f"{1 / median['frame']:.2f}")
    compositing = median["order"] + median["composite"] + median["gather"]
    table.add_row("frames per second without rendering", f"{1 / compositing:.2f}")
    table.add_row("sent by all ranks, gathering included", f"{median['bytes_sent'] / 1e6:.2f} MB")
    table.add_row("messages of all ranks, gathering included", f"{median['messages_sent']:.0f}")
    table.add_row(f"stages of {result.algorithm}", f"{median['stages']:.0f}")
    table.add_section()
    whole = result.whole
    table.add_row("difference to the serial composite", f"{result.error:.2g} (at most {result.bound:.2g})")
    table.add_row("difference to one process, maximum", f"{255 * whole['max']:.3f} of 255")
    table.add_row("difference to one process, mean", f"{255 * whole['mean']:.4f} of 255")
    table.add_row("pixels that differ by more than 2 of 255", f"{100 * whole['share_visible']:.4f} %")
    table.add_row("rendering in one process", f"{1e3 * whole['render']:.2f} ms")
    return table


def _document(result: Result, settings: Settings, ranks: int) -> dict[str, Any]:
    """All numbers: seconds, bytes, and differences of channels in [0, 1]."""
    width, height = settings.size
    return {
        "settings": {
            "data": settings.data,
            "mode": settings.mode,
            "ranks": ranks,
            "algorithm": result.algorithm,
            "width": width,
            "height": height,
            "frames": settings.frames,
        },
        "frames": result.rows,
        "median": _medians(result),
        "serial": {"max_abs_error": result.error, "bound": result.bound},
        "one_process": result.whole,
    }
