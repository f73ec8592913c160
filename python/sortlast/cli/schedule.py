"""``sortlast schedule NAME``: print, check, draw and save a schedule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortlast.cli import _algorithms, _parse, _progress, _terminal

if TYPE_CHECKING:
    from sortlast.schedule import Schedule

_MOST_TRANSFERS = 4_000_000  # half a minute and 800 MB: a shift of 2000 ranks
_MOST_WRITTEN = 1_000_000  # 200 MB of JSON
_MOST_DRAWN = 50_000  # half a minute
_EVERY = 64  # ranks between two updates of the progress


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(schedule)


def schedule(
    name: Annotated[
        str | None, typer.Argument(help="Algorithm, such as shift or radix-k:4,3.", show_default=False)
    ] = None,
    p: Annotated[int | None, typer.Option("--p", help="Number of ranks.")] = None,
    n: Annotated[int, typer.Option("--n", help="Number of pixels.")] = 1_000_000,
    order: Annotated[
        str | None, typer.Option(help="Ranks from front to back, such as 2,0,1. Default: rank order.")
    ] = None,
    node_size: Annotated[int, typer.Option(min=1, help="Ranks on each node, in rank order.")] = 1,
    rank: Annotated[int | None, typer.Option(help="Print the program of this rank only.")] = None,
    draw: Annotated[Path | None, typer.Option(help="Draw it into this PNG, SVG or PDF file.")] = None,
    json: Annotated[
        Path | None, typer.Option(help="Write it, or the part of --rank, to this JSON file.")
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the algorithms with the terms of their cost instead.")
    ] = False,
) -> None:
    """Print a schedule: who sends which pixels to whom, stage by stage.

    Ranks are columns, stages are rows; "> 3 250:500" sends pixels [250, 500) to rank 3, "< 3" receives from
    rank 3. The whole schedule is executed symbolically, which checks that it composites every pixel of every
    image in the right order. This takes as many steps as there are transfers, which is limited; the steps of
    one rank, with --rank, are cheap for any number of ranks.

    The terms of --list are from Table 1 of Cavin and Demengeon, "Shift-Based Parallel Image Compositing on
    InfiniBand Fat-Trees" (2012): p ranks, n pixels, alpha seconds per message, beta seconds per pixel.
    Overlap says whether blending can overlap transfers. Between nodes of L ranks, two-level costs the same as
    the algorithm NAME; see --node-size.
    """
    if list_:
        _terminal.check_places(json)
        _algorithms.show(json)
        return
    if name is None or p is None:
        raise typer.BadParameter("give an algorithm and --p, or --list", param_hint="NAME")

    from sortlast import schedule as schedules
    from sortlast.cli import _schedule_text
    from sortlast.files import write_text

    if draw is not None:
        from sortlast import plot

        plot.check_format(draw)
    _terminal.check_places(json, pictures=[draw])
    made = schedules.make(
        name,
        p=p,
        n=n,
        order=None if order is None else _parse.integers(order),
        nodes=None if node_size == 1 else [each // node_size for each in range(p)],
    )
    if rank is not None:
        made.piece(rank)  # rejects an invalid rank before any long work begins
    if rank is None or draw is not None:
        _check_size(made, json if rank is None else None, draw)
    if rank is None:
        with _progress.waiting("verifying"):
            made.verify()

    if json is not None:
        write_text(json, made.to_json() if rank is None else _schedule_text.as_json(made, rank))
    if draw is not None:
        from sortlast.plot import schedule as pictures

        plot.save(pictures.draw(made), draw)
    console = _terminal.console(draw, json)
    if rank is None:
        parts = list(_schedule_text.stages(made, console.width))
    else:
        parts = list(_schedule_text.program(made, rank))
    console.print(_heading(made, rank is None), *parts, sep="\n")
    _terminal.name_written(console, json, draw)


def _check_size(made: Schedule, json: Path | None, draw: Path | None) -> None:
    """Raise :class:`sortlast.Error` if there are too many steps to show in reasonable time."""
    from sortlast import Error

    limits = {"--draw": (draw, _MOST_DRAWN), "--json": (json, _MOST_WRITTEN)}
    what, most = next(
        ((option, most) for option, (path, most) in limits.items() if path is not None),
        ("all ranks", _MOST_TRANSFERS),
    )
    count = 0
    with _progress.bar("counting transfers", transient=True) as progress:
        for rank in range(made.p):
            count += len(made.program(rank).sends)
            if count > most:
                raise Error(
                    f"{made.name} of {made.p:,} ranks has more than {most:,} transfers, the most for {what};"
                    " ask for the steps of one rank (--rank 0), for fewer ranks, or for the cost"
                    " (sortlast price)"
                )
            if rank % _EVERY == 0:
                progress(rank / made.p)


def _heading(made: Schedule, verified: bool) -> str:
    checked = "verified" if verified else "not verified"
    where = _count(made.p, "rank")
    if made.nodes:
        runs = made.depth_runs
        where += f" on {_count(len(runs), 'node')} (up to {_count(max(runs), 'fragment')} each)"
    return f"{made.name}: {where}, {made.n:,} pixels, {_count(made.stage_count, 'stage')}, {checked}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
