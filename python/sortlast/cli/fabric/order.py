"""``sortlast fabric order``: in which order should I list the nodes?"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _inputs, _options, _show
from sortlast.files import replacing

if TYPE_CHECKING:
    from rich.console import Group

    from sortlast.fabric import BestOrder, Contention, NodeOrder, Topology


class Launcher(str, Enum):
    """Who starts the ranks."""

    mpich = "mpich"
    openmpi = "openmpi"
    slurm = "slurm"


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(order)


def order(
    net: _options.Net,
    engine: _options.Engine = _options.ENGINE,
    lft: _options.Lft = None,
    roots: _options.Roots = None,
    compute: _options.Compute = None,
    lmc: _options.Lmc = 0,
    nodes: _options.Nodes = "all",
    rail: _options.Rail = None,
    ranks_per_node: _options.RanksPerNode = None,
    adapters: _options.Adapters = None,
    node_name_map: _options.NodeNameMap = None,
    schedule: Annotated[
        str, typer.Option(help="What communicates: shift, all-to-all, or an algorithm such as radix-k:12,12.")
    ] = "shift",
    dummies: Annotated[
        bool,
        typer.Option(
            "--dummies",
            help="Allow places that stay empty: a shift has more stages then, and less contention.",
        ),
    ] = False,
    steps: Annotated[
        int | None,
        typer.Option(min=0, show_default="some seconds", help="Steps of the search after the known orders."),
    ] = None,
    seed: _options.Seed = 1,
    launcher: Annotated[Launcher, typer.Option(help="Who reads the files.")] = Launcher.mpich,
    hostfile: Annotated[
        Path | None, typer.Option(help="Write a hostfile: rank i runs on its line i.")
    ] = None,
    rankfile: Annotated[Path | None, typer.Option(help="Write a rankfile.")] = None,
    nodelist: Annotated[
        Path | None, typer.Option(help="Write the nodes as a list in Slurm's bracket form, in order.")
    ] = None,
    json: _options.Json = None,
) -> None:
    """Find an order of a job's nodes in which its communication does not contend, and write it.

    Slurm lists nodes alphabetically; a shift is free of contention in the order for which the routing was
    balanced. Tries the known orders, then improves the best one step by step. Says when no order can be
    free under this routing, and why. Exit status as of `check`: 0 if the order is contention-free, 1 if not.

    With --dummies some places of the shift may stay empty. Launchers know none: their files list the nodes
    that are there, and the compositor learns of the places from the algorithm that is printed, such as
    `shift:3,8-11`.
    """
    from sortlast import fabric

    _terminal.check_places(hostfile, rankfile, nodelist, json)
    topology = _inputs.topology(net, node_name_map, adapters)
    routes = _inputs.routes(topology, engine, lft, roots, compute, seed, lmc)
    rails = _inputs.Rails(rail, ranks_per_node)
    hosts = _inputs.placement(topology, nodes, compute=compute, rails=rails)
    if -1 in hosts:
        hosts = fabric.Placement(host for host in hosts if host >= 0)
    before = fabric.contention(routes, schedule, hosts)
    with _progress.bar("orders", transient=True) as progress:
        search = fabric.best_node_order if hosts.shares_nodes else fabric.best_order
        best = search(routes, hosts, schedule, dummies, steps, seed, progress=progress)

    ranks = f"{len(hosts)} ranks on {len(hosts.groups())}" if hosts.shares_nodes else len(hosts)
    title = f"{schedule} of {ranks} nodes, {_show.routing(routes)}"
    how, _, remark = best.how.partition("; ")
    given = _inputs.order_name(nodes, None)
    kept = best.placement == hosts
    console = _terminal.console(hostfile, rankfile, nodelist, json)
    console.print(_orders(title, {given: before} if kept else {given: before, how: best.contention}))
    if kept:
        free = best.contention.contention_free
        console.print("It is contention-free as it is." if free else "No better order was found.")
    if remark:
        console.print(remark)
    if best.proof:
        console.print(f"No order is contention-free: {best.proof}")
    if len(best.placement) > len(hosts):
        places, empty = len(best.placement), len(best.placement) - len(hosts)
        console.print(
            f"{empty} of the {places} places stay empty: composite with the algorithm {_algorithm(best)}.",
            soft_wrap=True,
        )
    written = _write(topology, best.placement, launcher, hostfile, rankfile, nodelist)
    if json is not None:
        _terminal.write_json(_report(topology, before, best), json)
        written.append(json)
    for path in written:
        console.print(f"wrote {path}", soft_wrap=True)
    raise typer.Exit(0 if best.contention.contention_free else 1)


def _algorithm(best: BestOrder | NodeOrder) -> str:
    """The shift that leaves the empty places of an order free: ``"shift:3,8-11"``."""
    free = [place for place, host in enumerate(best.placement) if host < 0]
    starts = [place for place in free if place - 1 not in free]
    ends = [place for place in free if place + 1 not in free]
    ranges = (f"{a}-{b}" if b > a else f"{a}" for a, b in zip(starts, ends, strict=True))
    return "shift:" + ",".join(ranges) if free else "shift"


def _orders(title: str, rows: dict[str, Contention]) -> Group:
    columns = (
        ("order", "left"),
        ("places", "right"),
        ("most flows on a link", "right"),
        ("mean share", "right"),
    )
    lines = [
        (name, str(len(found.placement)), str(found.max_flows), f"{found.mean_share:.3f}")
        for name, found in rows.items()
    ]
    return _show.table(title, columns, lines)


def _write(
    topology: Topology,
    placement: list[int],
    launcher: Launcher,
    hostfile: Path | None,
    rankfile: Path | None,
    nodelist: Path | None,
) -> list[Path]:
    """Write what was asked for; returns the paths."""
    from sortlast import fabric

    texts = []
    if hostfile is not None:
        texts.append((hostfile, fabric.write_hostfile(topology, placement, launcher.value)))
    if rankfile is not None:
        texts.append((rankfile, fabric.write_rankfile(topology, placement, launcher.value)))
    if nodelist is not None:
        names = dict.fromkeys(name.partition(" ")[0] for name in fabric.names(topology, placement))
        texts.append((nodelist, fabric.fold_node_list([*names]) + "\n"))
    for path, text in texts:
        with replacing(path) as temporary:
            temporary.write_text(text)
    return [path for path, _ in texts]


def _report(topology: Topology, before: Contention, best: BestOrder | NodeOrder) -> dict[str, Any]:
    from sortlast import fabric

    after = best.contention
    return {
        "before": {"max_flows": before.max_flows, "mean_share": before.mean_share},
        "after": {"max_flows": after.max_flows, "mean_share": after.mean_share},
        "contention_free": after.contention_free,
        "how": best.how,
        "proven_best": best.proven_best,
        "proof": best.proof,
        "nodes": fabric.names(topology, best.placement),
        "places": [place for place, host in enumerate(best.placement) if host >= 0],
        "of_places": len(best.placement),
        "algorithm": _algorithm(best),
    }
