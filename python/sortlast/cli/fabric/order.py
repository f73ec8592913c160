"""``sortlast fabric order``: the best order of a job's nodes."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast import Error
from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _choose, _inputs, _options, _order_table, _rails, _show, _verdict
from sortlast.files import write_text

if TYPE_CHECKING:
    from sortlast.fabric import BestOrder, Contention, NodeOrder, Topology


_ROUNDING = 1e-9


class Launcher(str, Enum):
    """Launchers with their own file formats."""

    slurm = "slurm"
    torchrun = "torchrun"
    mpich = "mpich"
    openmpi = "openmpi"
    openmpi_rankfile = "openmpi-rankfile"


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(order)


def order(
    net: _options.Net,
    engine: _options.Engine = _options.ENGINE,
    lft: _options.Lft = None,
    roots: _options.Roots = None,
    compute: _options.Compute = None,
    nodes: _options.Nodes = "all",
    rail: _options.Rail = None,
    ranks_per_node: _options.RanksPerNode = None,
    blocks: _options.Blocks = None,
    node_name_map: _options.NodeNameMap = None,
    without: _options.Without = None,
    schedule: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Communication: shift, a collective such as ring or all-to-all, groups such as"
            " tensor=8,data=4, or an algorithm such as radix-k:12,12.",
        ),
    ] = "shift",
    size: _options.Bytes = None,
    dummies: Annotated[
        bool,
        typer.Option("--dummies", help="Let places of a shift stay empty: more stages, less contention."),
    ] = False,
    steps: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", show_default=False, help="Steps of the search; 0: known orders."),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(min=0, metavar="S", help="Limit of the search in wall time; the best so far remains."),
    ] = 60,
    choose: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            show_default=False,
            help="Choose N of the nodes; or as many as are contention-free together (largest); or judge a"
            " scheduler's choice, whose list is given.",
        ),
    ] = None,
    launcher: Annotated[
        Launcher, typer.Option(metavar="NAME", help=f"Form of the file: {', '.join(Launcher)}.")
    ] = Launcher.mpich,
    hostfile: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the nodes in this order for the launcher.")
    ] = None,
    json: _options.Json = None,
) -> None:
    """Find an order of a job's nodes in which its communication is contention-free, and write it.

    Tries the known orders, and improves the best one by a search of some seconds; Ctrl-C ends it with the
    best order so far. If all pairs exchange the same, as in an all-to-all, no order matters. Exit status as
    in `check`: 0 if the order is contention-free or takes no more time than the bound, 1 if not.

    The table compares it with the listed and the alphabetical order, with 20 random ones, and with the bound,
    in which only the hosts' own links are shared. `lost` is the fraction of the time above that bound.

    Launchers have no empty places: with --dummies, the compositor gets them from the printed algorithm.
    """
    from sortlast import fabric

    _terminal.check_places(hostfile, json)
    asked = _inputs.Communication(schedule, size)
    if dummies and asked.needs_all:
        raise Error(f"--dummies: every rank of {asked.schedule} must be there")
    topology = _inputs.topology(net, node_name_map, without)
    routes = _inputs.routes(topology, engine, lft, roots, compute)
    rails = _inputs.Rails(rail, ranks_per_node, blocks)
    with _inputs.losing(without):
        hosts = _inputs.placement(topology, nodes, compute=compute, rails=rails)
    if -1 in hosts:
        hosts = fabric.Placement(host for host in hosts if host >= 0)
    asked = asked.on(hosts)
    given, chosen = _inputs.order_name(nodes, None), None
    if choose is not None:
        chosen = _choose.choose(routes, hosts, choose, asked, rails, seconds)
        hosts, given = chosen.best.placement, "chosen"
    communication = asked.pattern(len(hosts))
    before = fabric.contention(routes, communication, hosts)
    rate = _inputs.link_rate(topology, None)
    at_bound = fabric.contended_time(before, rate).lost < _ROUNDING
    best: BestOrder | NodeOrder
    with _progress.bar("orders", transient=True) as bar, _progress.stoppable(bar) as progress:
        steps = 0 if at_bound else steps  # no search can find a faster order
        if hosts.shares_nodes:
            best = fabric.best_node_order(
                routes, hosts, asked.pattern, dummies, steps, progress=progress, seconds=seconds
            )
        else:
            what = "shift" if asked.schedule == "shift" and size is None else asked.among(len(hosts))
            best = fabric.best_order(routes, hosts, what, dummies, steps, progress=progress, seconds=seconds)

    ranks = f"{len(hosts)} ranks on {len(hosts.groups())}" if hosts.shares_nodes else len(hosts)
    ranks = f"{ranks} of {chosen.possible}" if chosen else ranks
    title = f"{communication.name} of {ranks} nodes, {_show.routing(routes)} ({_show.source(routes)})"
    how, _, remark = best.how.partition("; ")
    found = None if best.placement == hosts else (how, best.contention)
    rows = _order_table.rows(before, communication, hosts, given, found, rate)
    saved = fabric.contended_time(before, rate).seconds - fabric.contended_time(best.contention, rate).seconds
    kept = found is None or (saved <= 0 and not best.contention.contention_free)
    after = before if kept else best.contention
    placement = hosts if kept else best.placement
    verdict = _verdict.judge(after, rate)
    if hostfile is not None:
        write_text(hostfile, fabric.write_hostfile(topology, placement, launcher.value))
    if json is not None:
        report = _report(topology, before, after, placement, best) | {"orders": _order_table.as_json(rows)}
        if chosen:
            report["choice"] = chosen.as_json(topology)
        _terminal.write_json(report, json)
    console = _terminal.console(hostfile, json)
    console.print(_order_table.table(title, rows, rate if size is not None else None))
    if chosen:
        console.print(chosen.sentence(verdict.seconds), soft_wrap=True)
    alike = fabric.same_in_any_order(communication)
    if alike:
        console.print(
            "No order is faster: all pairs of ranks exchange the same, so every order has these flows."
        )
    elif kept:
        console.print(_kept(before, found is not None, at_bound))
    proof = "" if alike else best.proof
    for line in _remarks(placement, proof, remark if not kept or found is None else ""):
        console.print(line, soft_wrap=True)
    if hostfile is not None:
        console.print(f"order in the host file: {given if kept else how}", soft_wrap=True)
    _terminal.name_written(console, hostfile, json)
    if hosts.shares_nodes and (warning := _rails.warning(after, hosts, verdict.at_bound)):
        console.print(warning, soft_wrap=True)
    raise typer.Exit(0 if verdict.at_bound else 1)


def _remarks(placement: Sequence[int], proof: str, remark: str) -> list[str]:
    """Lines below the table: a remark on the order, the proof that none is free, and the empty places."""
    lines = [remark] if remark else []
    if proof:
        lines.append(f"No order is contention-free: {proof}")
    if empty := sum(host < 0 for host in placement):
        lines.append(
            f"{empty} of the {len(placement)} places stay empty: composite with the algorithm"
            f" {_algorithm(placement)}."
        )
    return lines


def _kept(before: Contention, found: bool, at_bound: bool) -> str:
    """The reason why the given order is kept."""
    if before.contention_free:
        return "It is contention-free as it is."
    if found:
        return "The order that was found takes no less time, so the given one is kept."
    if at_bound:
        return "No order is faster: only the hosts' own links make the flows wait."
    return "No better order was found."


def _algorithm(placement: Sequence[int]) -> str:
    """The shift with the empty places of an order: ``"shift:3,8-11"``."""
    free = [place for place, host in enumerate(placement) if host < 0]
    starts = [place for place in free if place - 1 not in free]
    ends = [place for place in free if place + 1 not in free]
    ranges = (f"{a}-{b}" if b > a else f"{a}" for a, b in zip(starts, ends, strict=True))
    return "shift:" + ",".join(ranges) if free else "shift"


def _report(
    topology: Topology,
    before: Contention,
    after: Contention,
    placement: Sequence[int],
    best: BestOrder | NodeOrder,
) -> dict[str, Any]:
    from sortlast import fabric

    kept = after is before
    return {
        "before": {"max_flows": before.max_flows, "mean_share": before.mean_share},
        "after": {"max_flows": after.max_flows, "mean_share": after.mean_share},
        "contention_free": after.contention_free,
        "how": "as given" if kept and best.placement != placement else best.how,
        "proven_best": best.proven_best,
        "proof": best.proof,
        "nodes": fabric.names(topology, placement),
        "places": [place for place, host in enumerate(placement) if host >= 0],
        "of_places": len(placement),
        "algorithm": _algorithm(placement),
    }
