"""``sortlast view``: data in a browser, rendered by all ranks during interaction; or a film of a turn."""

from __future__ import annotations

import getpass
import ipaddress
import os
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortlast import Error, launch
from sortlast.cli import _parse, _progress, _terminal

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.view import Controls, Served, Settings
    from sortlast.view.film import Film

_RANKS = 4
_HOST = "127.0.0.1"


class Mode(str, Enum):
    """The initial mode; the page can change it."""

    volume = "volume"
    surface = "surface"
    boxes = "boxes"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(view)


def view(
    data: Annotated[str, typer.Argument(metavar="FILE|NAME", help=_parse.DATA)] = "mni152",
    ranks: Annotated[
        int | None, typer.Option(min=1, show_default=str(_RANKS), help="Ranks to start.")
    ] = None,
    mode: Annotated[
        Mode,
        typer.Option(
            help="Ray-cast the volume, draw its isosurface, or ray-cast boxes of several resolutions."
        ),
    ] = Mode.volume,
    port: Annotated[
        int, typer.Option(min=0, max=65535, show_default="any free one", help="Port of the page.")
    ] = 0,
    host: Annotated[
        str, typer.Option(help="Address at which to serve the page; 0.0.0.0: all addresses of this machine.")
    ] = _HOST,
    record: Annotated[
        Path | None,
        typer.Option(help="Serve no page; write one turn to this .mp4 file, or as PNG files to this folder."),
    ] = None,
    size: Annotated[
        str, typer.Option(help="With --record: width x height of the pictures in pixels.")
    ] = "1024x768",
    frames: Annotated[int, typer.Option(min=1, help="With --record: frames of the turn.")] = 120,
    component: Annotated[
        int | None, typer.Option(min=0, show_default="the first", help="Component of the values, from 0.")
    ] = None,
    time: Annotated[
        int | None, typer.Option(min=0, show_default="the first", help="Time of the data, from 0.")
    ] = None,
    memory: _parse.Memory = None,
    timeout: _parse.Timeout = 60.0,
) -> None:
    """Show a volume in a browser, rendered and composited by several ranks during interaction.

    The volume is split as in sortlast demo. Rank 0 serves a page and prints its address, which contains a
    token that is required for access; it is only served to this machine unless --host is given. The page has
    camera, transfer function, isovalue, clip plane, algorithm and the timeline of the last frame. Several
    viewers share a camera, or have their own. Interrupt the command to end it.

    With --record one turn around the volume is written instead.

    The ranks are started here. Under your own mpiexec, all of its ranks take part.
    """
    from sortlast import _extras, render

    film = None
    if record is not None:
        film = _film(record, size, frames)
    else:
        _extras.check("aiohttp", "the page of a viewer")
    from sortlast.view import Controls, Settings

    settings = Settings(data, timeout, component, time, _parse.memory(memory))
    first = Controls(mode=mode.value)
    if not launch.under_mpiexec():
        render.check_offscreen()
        _terminal.hand_on()
        asked = {
            "settings": asdict(settings),
            "first": asdict(first),
            "film": None if film is None else asdict(film),
            "host": host,
            "port": port,
        }
        launch.ranks("sortlast.cli._view_ranks", asked, ranks or _RANKS, outlive=film is None)
        return

    comm = launch.world()
    if ranks is not None and ranks != comm.size:
        raise Error(f"--ranks {ranks}, but mpiexec started {comm.size}; leave --ranks out under mpiexec")
    if film is None:
        serve(comm, settings, first, host, port)
    else:
        write(comm, settings, first, film)


def serve(
    comm: MPI.Intracomm,
    settings: Settings,
    first: Controls,
    host: str,
    port: int,
) -> None:
    """Serve the page on rank 0 until the process ends; see ``sortlast.view.serve``. Communicates."""
    from sortlast import view as program

    def tell(served: Served, remarks: tuple[str, ...]) -> None:
        console = _terminal.console()
        for remark in remarks:
            console.print(f"{settings.data}: {remark}", soft_wrap=True)
        console.print(f"open {served.address}", soft_wrap=True)
        if _is_loopback(served.host):
            there = f"{getpass.getuser()}@{os.uname().nodename}"
            tunnel = f"{served.port}:{served.place}"
            console.print(
                f"from another machine, first: ssh -L {tunnel} {there}",
                soft_wrap=True,
            )

    program.serve(comm, settings, first, host, port, tell)


def write(comm: MPI.Intracomm, settings: Settings, first: Controls, film: Film) -> None:
    """Write the film on rank 0. Communicates."""
    from sortlast.view import film as program

    with _progress.bar(f"view on {comm.size} ranks", enabled=comm.rank == 0) as bar:
        program.write(comm, settings, first, film, bar.tell)
    if comm.rank == 0:
        _terminal.name_written(_terminal.console(), film.path)


def _film(path: Path, size: str, frames: int) -> Film:
    from sortlast.view.film import Film

    width, height = _parse.size(size)
    if width < 1 or height < 1:
        raise typer.BadParameter(f"{size} has no pixels", param_hint="--size")
    film = Film(path, (width, height), frames)
    film.check()
    return film


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
