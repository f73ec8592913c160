"""``sortlast fabric compare``: engines and orders side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _inputs, _options, _show

if TYPE_CHECKING:
    from sortlast.fabric import Placement, Routes


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(compare)


def compare(
    net: Annotated[
        list[str], typer.Option("--net", help="A fabric, as for the other commands. May be repeated.")
    ],
    engines: Annotated[
        str, typer.Option(help="Engines separated by commas, or all.")
    ] = "ftree,minhop,updn,dor",
    orders: Annotated[
        str, typer.Option(help="Orders of the nodes separated by commas; see --order of check.")
    ] = "routing",
    roots: _options.Roots = None,
    compute: _options.Compute = None,
    lmc: _options.Lmc = 0,
    nodes: _options.Nodes = "all",
    rail: _options.Rail = None,
    ranks_per_node: _options.RanksPerNode = None,
    adapters: _options.Adapters = None,
    node_name_map: _options.NodeNameMap = None,
    schedule: _options.Schedule = "shift",
    seed: _options.Seed = 1,
    json: _options.Json = None,
) -> None:
    """Compare engines, orders and fabrics: maximum flows on a link / mean share of a flow.

    Numbers with a star are from minhop, which replaces an engine that refuses the fabric; the reasons are
    printed below the table.
    """
    from sortlast import fabric

    _terminal.check_places(json)
    names = [each.name for each in fabric.engines()] if engines == "all" else engines.split(",")
    wanted = _orders(orders)
    rails = _inputs.Rails(rail, ranks_per_node)
    rows = []
    with _progress.bar("engines", transient=True) as progress:
        fabrics = [_inputs.topology(each, node_name_map, adapters) for each in net]
        for k, topology in enumerate(fabrics):
            for n, engine in enumerate(names):
                progress((k * len(names) + n) / (len(fabrics) * len(names)))
                routes = _inputs.routes(topology, engine, None, roots, compute, seed, lmc)
                for order in wanted:
                    hosts = _inputs.placement(topology, nodes, order, seed, compute, rails)
                    rows.append(_row(routes, hosts, order, schedule))

    if json is not None:
        _terminal.write_json(rows, json)
    console = _terminal.console(json)
    columns = [("fabric", "left"), ("order", "left"), *((name, "right") for name in names)]
    console.print(
        _show.table(f"{schedule}: peak flows on a link / mean share of a flow", columns, _cells(rows, names))
    )
    for reason in dict.fromkeys(f"* {row['fabric']}: {row['fallback']}" for row in rows if row["fallback"]):
        console.print(reason, soft_wrap=True)
    _terminal.name_written(console, json)


def _orders(text: str) -> list[str]:
    """Names of orders, all of them known."""
    from sortlast import fabric

    names = text.split(",")
    for name in names:
        if name not in fabric.host_orders():
            known = ", ".join(fabric.host_orders())
            raise typer.BadParameter(f"there is no order {name!r}; expected {known}", param_hint="--orders")
    return names


def _row(routes: Routes, nodes: Placement, order: str, schedule: str) -> dict[str, Any]:
    """One cell of the table."""
    from sortlast import fabric

    communication, hosts = _inputs.job(_inputs.Communication(schedule), nodes)
    found = fabric.contention(routes, communication, hosts)
    return {
        "fabric": routes.topology.name,
        "order": order,
        "asked": routes.asked,
        "engine": routes.engine,
        "fallback": routes.fallback,
        "participants": len(hosts),
        "max_flows": found.max_flows,
        "mean_share": found.mean_share,
    }


def _cells(rows: list[dict[str, Any]], engines: list[str]) -> list[list[str]]:
    """Lines of the table: a fabric and an order each, with one column per engine."""
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        star = "*" if row["fallback"] else ""
        cell = f"{row['max_flows']} / {row['mean_share']:.3f}{star}"
        lines.setdefault((row["fabric"], row["order"]), {})[row["asked"]] = cell
    return [[*key, *(cells[engine] for engine in engines)] for key, cells in lines.items()]
