"""``sortlast fabric route``: the forwarding tables of an engine, and the engine that OpenSM would use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast import Error
from sortlast.cli import _terminal
from sortlast.cli.fabric import _inputs, _options, _route_for, _show
from sortlast.files import write_text

if TYPE_CHECKING:
    from sortlast.fabric import Routes


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(route)


def route(
    net: _options.Net,
    engine: _options.Engine = _options.ENGINE,
    lft: _options.Lft = None,
    roots: _options.Roots = None,
    compute: _options.Compute = None,
    lmc: _options.Lmc = 0,
    node_name_map: _options.NodeNameMap = None,
    without: _options.Without = None,
    schedules: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="NAMES",
            show_default=False,
            help="Make tables in which flows of these schedules share few links, such as binary-swap,shift.",
        ),
    ] = None,
    nodes: _options.Nodes = "all",
    walk: Annotated[
        str | None,
        typer.Option(metavar="HOST,HOST", help="Print the path between two hosts, link by link."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the tables, for opensm -R file -U FILE.")
    ] = None,
    json: _options.Json = None,
) -> None:
    """Route a fabric like OpenSM, and report whether the engine accepts it.

    OpenSM replaces an engine that refuses a fabric by minhop, and reports this only in its log: here the
    reason is printed. The tables are checked for credit loops, with which a fabric may deadlock.

    With --for, tables of a tree are made for the schedules of a job on --nodes, in their order. They use
    shortest paths up and down; entries that the schedules do not need are taken from the engine.
    """
    from sortlast import fabric

    _terminal.check_places(output, json)
    topology = _inputs.topology(net, node_name_map, without)
    if output is not None and any(host.lid == 0 for host in topology.hosts):
        topology = fabric.assign_lids(topology)
    made = None
    if schedules is not None:
        _check_alone(lft, compute, lmc)
        made = _route_for.make(topology, schedules, nodes, engine, roots)
    routes = made.routes if made else _inputs.routes(topology, engine, lft, roots, compute, lmc=lmc)
    hops = None if walk is None else _walk(routes, walk)
    described = _described(routes, _inputs.assumed_roots(topology, engine, lft, roots, compute))
    if made is not None:
        del described["asked for"], described["planes"], described["roots"]
        described |= _route_for.described(made, str(schedules))
    facts = [(name, str(value)) for name, value in described.items() if value != ""]
    if hops is not None:
        described["walk"] = hops
    if output is not None:
        write_text(output, fabric.write_lfts(routes))
    if json is not None:
        _terminal.write_json(described, json)
    console = _terminal.console(output, json)
    console.print(_show.facts(facts))
    if hops is not None:
        columns = (("from", "left"), ("port", "right"), ("to", "left"), ("port", "right"))
        console.print(_show.table("", columns, [tuple(map(str, hop.values())) for hop in hops]))
    _terminal.name_written(console, output, json)


def _check_alone(lft: Path | None, compute: str | None, lmc: int) -> None:
    """Reject options that cannot be combined with --for."""
    for option, given in (("--lft", lft is not None), ("--compute", compute is not None), ("--lmc", lmc > 0)):
        if given:
            raise Error(f"{option} and --for: tables made for schedules do not take it; leave one out")


def _described(routes: Routes, assumed: str) -> dict[str, Any]:
    loop = _show.credit_loop(routes)
    return {
        "fabric": f"{routes.topology.name}: {_show.size(routes.topology)}",
        "asked for": routes.asked,
        "used": routes.engine,
        "fallback": routes.fallback,
        "roots": assumed,
        "planes": routes.planes,
        "credit loop": " -> ".join(loop) if loop else "none",
    }


def _walk(routes: Routes, walk: str) -> list[dict[str, Any]]:
    from sortlast import fabric

    ends = fabric.placement(routes.topology, walk)
    if len(ends) != 2:
        raise Error(f"--walk {walk}: {len(ends)} hosts; expected two, with a comma between")
    return [_show.ends(routes.topology, channel) for channel in routes.walk(*ends)]
