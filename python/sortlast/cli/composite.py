"""``sortlast composite A.png B.exr ...``: composite image files, one per rank."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sortlast.cli import _parse, _terminal


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(composite)


def composite(
    files: Annotated[list[Path], typer.Argument(help="Images of one size: png, npy, exr, tif.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: png, npy, exr, tif.")],
    order: Annotated[
        str | None,
        typer.Option(help="Files from front to back, counted from 0, such as 2,0,1. Default: as listed."),
    ] = None,
    op: Annotated[str, typer.Option(help="over, closest, add, max or min.")] = "over",
    depth: Annotated[
        str | None,
        typer.Option(help="Depth planes (npy, or exr with Z), one per file, separated by commas."),
    ] = None,
    background: Annotated[
        str | None, typer.Option(help="Colour behind all images, such as 1,1,1 or 0.2,0.2,0.3,0.5.")
    ] = None,
    algorithm: Annotated[str, typer.Option(help="See sortlast schedule --list.")] = "auto",
    deep: Annotated[
        bool,
        typer.Option(
            "--deep", help="Write the merged lists of deep images, not their picture: exr; or cdb, as layers."
        ),
    ] = False,
    layer: Annotated[
        str | None,
        typer.Option(help="Part or layer to read from flat exr files with several."),
    ] = None,
    memory: _parse.Memory = None,
) -> None:
    """Composite image files into one, each on its own rank.

    Starts as many ranks as there are files, or runs on the ranks of your own mpiexec. Colours of png and the
    background have straight alpha; npy and exr are premultiplied, and tif is as its tags say. All are
    composited as float32. An exr file gives the image of its display window, which all files must share;
    pixels outside its data window are empty. Deep images (exr with deep scan lines) are merged by the depths
    of their fragments and flattened; --deep writes the merged lists instead, as exr or as the layers of a
    Cinema database (a folder NAME.cdb).
    """
    from sortlast import cinema_files, image_files, launch, schedule
    from sortlast.cli._composite_ranks import Job

    # Reject invalid arguments before any rank starts.
    ranking = None if order is None else _parse.integers(order)
    colour = None if background is None else _background(background)
    planes = None if depth is None else [Path(part) for part in depth.split(",")]
    if planes is not None and len(planes) != len(files):
        raise typer.BadParameter(f"--depth names {len(planes)} files for {len(files)} images; give one each")
    if layer is not None and not any(each.suffix.lower() == ".exr" for each in [*files, *(planes or [])]):
        raise typer.BadParameter(f"--layer {layer} names a layer of exr files, and none of the files is one")
    most = _parse.memory(memory)
    layers = output.suffix.lower() == ".cdb"
    if deep and output.suffix.lower() not in (".exr", ".cdb"):
        raise typer.BadParameter(f"--deep writes exr or cdb, and {output} does not end so")
    if layers and not deep:
        raise typer.BadParameter(f"{output} would hold the layers of deep images; give --deep with it")
    if layers:
        cinema_files.check_place(output)
    else:
        image_files.check_writable(output)
    schedule.make(algorithm, p=len(files), n=0, order=ranking)

    job = Job(files, planes, output, op, ranking, colour, algorithm, most, deep, layer)
    if not launch.under_mpiexec():
        _terminal.check_places(pictures=[] if layers else [output])
        launch.ranks("sortlast.cli._composite_ranks", asdict(job), len(files))
    else:
        job.run(launch.world())


def _background(text: str) -> list[float]:
    """Premultiplied RGBA from three or four numbers with straight alpha."""
    numbers = _parse.numbers(text)
    if len(numbers) not in (3, 4):
        raise typer.BadParameter(f"{text!r} has {len(numbers)} numbers; a background is R,G,B or R,G,B,A")
    *colour, alpha = numbers if len(numbers) == 4 else [*numbers, 1.0]
    return [*(value * alpha for value in colour), alpha]
