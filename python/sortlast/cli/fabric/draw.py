"""``sortlast fabric draw``: a picture of a fabric under a pattern, or a page to explore it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sortlast import Error
from sortlast.cli import _parse, _progress, _terminal
from sortlast.cli.fabric import _inputs, _options, _show
from sortlast.cli.fabric._job import Job
from sortlast.files import write_text


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(draw)


def draw(
    net: _options.Net,
    output: Annotated[
        Path,
        typer.Option(metavar="FILE", help="A picture of one stage (png, svg, pdf), or a page of all (html)."),
    ],
    engine: _options.Engine = _options.ENGINE,
    lft: _options.Lft = None,
    roots: _options.Roots = None,
    compute: _options.Compute = None,
    nodes: _options.Nodes = "all",
    rail: _options.Rail = None,
    ranks_per_node: _options.RanksPerNode = None,
    blocks: _options.Blocks = None,
    node_name_map: _options.NodeNameMap = None,
    order: _options.NodesOrder = None,
    schedule: _options.Schedule = "shift",
    stage: Annotated[
        int | None,
        typer.Option(
            metavar="N", callback=_parse.positive, show_default="the worst", help="Stage to draw, from 1."
        ),
    ] = None,
) -> None:
    """Draw a fabric, with each direction of each link coloured by its number of flows.

    Trees are drawn by levels, meshes and tori as grids; in a large fabric a glyph is a leaf or a pod. A page
    has all stages and the flows of each link, and needs no network.
    """
    from sortlast import page
    from sortlast.fabric.analysis import repeats
    from sortlast.fabric.scene import scene

    is_page = output.suffix.lower() in (".html", ".htm")
    if not is_page:
        from sortlast import plot

        if not plot.draws(output):
            raise Error(f"cannot draw {output}: the suffix must be one of {', '.join(plot.FORMATS)}, html")
    _terminal.check_places(*([output] if is_page else []), pictures=[] if is_page else [output])
    asked = _inputs.Communication(schedule)
    rails = _inputs.Rails(rail, ranks_per_node, blocks)
    job = Job(asked, nodes, order, rails, engine, roots, compute, node_name_map)
    topology = job.topology(net)
    with _progress.waiting("routing"):
        routes = job.routes(topology, lft=lft)
    found, hosts = job.contention(routes)
    if found.stages == 0 and not is_page:
        raise Error(f"{found.pattern.name} of {len(hosts)} has no stage to draw")
    number = found.worst_stage + 1 if stage is None else stage
    if number > max(1, found.stages):
        raise typer.BadParameter(f"there are {found.stages} stages", param_hint="--stage")
    with _progress.waiting("drawing"):
        drawn = scene(found, order=_inputs.order_name(nodes, order), command=_terminal.command())
        if is_page:
            write_text(output, page.render(drawn, number))
        else:
            from sortlast.plot import fabric as picture

            loads, times = found.loads(number - 1), repeats(found)[number - 1]
            often = f", {times:,} times in a row" if times > 1 else ""
            plot.save(picture.draw(drawn, loads, f"Stage {number:,} of {found.stages:,}{often}"), output)
    console = _terminal.console(output)
    console.print(drawn.verdict)
    console.print(_show.tables(routes))
    if drawn.note:
        console.print(f"{drawn.note[0].upper()}{drawn.note[1:]}.")
    _terminal.name_written(console, output)
