"""``sortlast fabric check``: is this job contention-free, and if not, what would make it so?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _counters, _inputs, _options, _show

if TYPE_CHECKING:
    from sortlast.fabric import Contention, Placement

_MOST_FLOWS = 12  # that are named
_MOST_STAGES = 16  # that are listed one by one


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(check)


def check(
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
    order: _options.NodesOrder = None,
    schedule: _options.Schedule = "shift",
    seed: _options.Seed = 1,
    advise: Annotated[
        bool, typer.Option(help="For a contended job, look for an order of the nodes that is free.")
    ] = True,
    counters: Annotated[
        list[Path] | None,
        typer.Option(
            help="Counters of ports, as perfquery -x or ibqueryerrors --counters print them, to be shown"
            " beside the predicted loads. Given twice, before the job and after it: what it moved.",
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(help="Also write counters and loads of all links to this CSV file."),
    ] = None,
    json: _options.Json = None,
) -> None:
    """Check whether a job's communication is contention-free: no link carries two flows at any stage.

    Exit status 0: contention-free; 1: contended; 2: wrong input. Where it is contended, the worst link is
    named with the flows that cross it, and what would make the job free: the order of the nodes that
    `sortlast fabric order` writes, or the reason why there is none.
    """
    from sortlast import fabric

    if csv is not None and not counters:
        raise typer.BadParameter("it holds counters; give --counters too", param_hint="--csv")
    _terminal.check_places(csv, json)
    topology = _inputs.topology(net, node_name_map, adapters)
    routes = _inputs.routes(topology, engine, lft, roots, compute, seed, lmc)
    rails = _inputs.Rails(rail, ranks_per_node)
    placed = _inputs.placement(topology, nodes, order, seed, compute, rails)
    communication, hosts = _inputs.job(schedule, placed)
    with _progress.bar("stages", transient=True) as progress:
        found = fabric.contention(routes, communication, hosts, progress=progress)

    report = _report(found, hosts, _inputs.order_name(nodes, order))
    if counters:
        report["counters"] = _counters.report(found, _counters.read(found, counters))
    console = _terminal.console(csv, json)
    console.print(_show.facts(_facts(found, report)))
    if not found.contention_free:
        console.print(_crossing(report["worst"]))
        if advise:
            report["advice"] = _advice(found, hosts, schedule)
            console.print(f"What would make it free: {report['advice']}")
    if counters:
        console.print(_counters.table(report["counters"]))
    console.print(f"{'CONTENTION-FREE' if found.contention_free else 'CONTENDED'}: {report['sentence']}")
    if csv is not None:
        _counters.write_csv(report["counters"], csv)
        console.print(f"wrote {csv}", soft_wrap=True)
    if json is not None:
        _terminal.write_json(report, json)
        console.print(f"wrote {json}", soft_wrap=True)
    raise typer.Exit(0 if found.contention_free else 1)


def _report(found: Contention, hosts: Placement, order: str) -> dict[str, Any]:
    """All that is printed, as JSON."""
    routes, topology = found.routes, found.routes.topology
    contended = int((found.stage_max > 1).sum())
    sentence = "no link carries two flows at any stage"
    if not found.contention_free:
        sentence = (
            f"up to {found.max_flows} flows on a link; {contended:,} of {_show.count(found.stages, 'stage')}"
            f" contended; a flow has {found.mean_share:.3f} of a link's bandwidth in the mean"
        )
    return {
        "fabric": topology.name,
        "size": _show.size(topology),
        "asked": routes.asked,
        "engine": routes.engine,
        "fallback": routes.fallback,
        "pattern": found.pattern.name,
        "participants": len(found.placement),
        "nodes": len(hosts.groups()),
        "order": order,
        "stages": found.stages,
        "flows": found.flows,
        "contention_free": found.contention_free,
        "max_flows": found.max_flows,
        "mean_share": found.mean_share,
        "contended_stages": contended,
        "stage_max": found.stage_max.tolist(),
        "histogram": found.histogram.tolist(),
        "worst": None if found.contention_free else _worst(found),
        "sentence": sentence,
    }


def _worst(found: Contention) -> dict[str, Any]:
    """The fullest link, and who crosses it."""
    topology, channel = found.routes.topology, found.worst_channel
    flows = found.crossing(found.worst_stage, channel)
    return {
        "stage": found.worst_stage + 1,
        **_show.ends(topology, channel),
        "flows": [
            {
                "source": source,
                "source_host": topology.label(found.placement[source]),
                "destination": destination,
                "destination_host": topology.label(found.placement[destination]),
            }
            for source, destination, _ in flows
        ],
    }


def _facts(found: Contention, report: dict[str, Any]) -> list[tuple[str, str]]:
    participants = _show.count(report["participants"], "participant")
    if report["nodes"] < sum(host >= 0 for host in found.placement):
        participants += f" on {_show.count(report['nodes'], 'node')}"
    stages = _show.count(found.stages, "stage")
    return [
        ("fabric", f"{report['fabric']}: {report['size']}"),
        ("routing", _show.routing(found.routes)),
        (
            "pattern",
            f"{report['pattern']}: {participants}, {stages}, {found.flows:,} flows",
        ),
        ("order", report["order"]),
        ("most flows on a link", _most_flows(found)),
        ("mean share of a flow", f"{found.mean_share:.3f}"),
    ]


def _most_flows(found: Contention) -> str:
    """The most over all stages, and by stage where they differ: of many stages, how many have how many."""
    counts = sorted(Counter(found.stage_max.tolist()).items())
    if len(counts) < 2:
        return str(found.max_flows)
    if found.stages <= _MOST_STAGES:
        return f"{found.max_flows} (by stage: {', '.join(map(str, found.stage_max))})"
    by_stage = ", ".join(f"{most} at {_show.count(stages, 'stage')}" for most, stages in counts)
    return f"{found.max_flows} ({by_stage})"


def _crossing(worst: dict[str, Any]) -> Any:
    flows = worst["flows"]
    title = (
        f"worst link: {worst['from']} port {worst['from_port']} to {worst['to']} port {worst['to_port']},"
        f" {len(flows)} flows at stage {worst['stage']}"
    )
    rows = [
        (str(flow["source"]), flow["source_host"], str(flow["destination"]), flow["destination_host"])
        for flow in flows[:_MOST_FLOWS]
    ]
    if len(flows) > _MOST_FLOWS:
        rows.append(("", f"and {len(flows) - _MOST_FLOWS} more", "", ""))
    columns = (("rank", "right"), ("on", "left"), ("to rank", "right"), ("on", "left"))
    return _show.table(title, columns, rows)


def _advice(found: Contention, job: Placement, schedule: str) -> str:
    """An order that is free, found without a long search, or why there is none."""
    from sortlast import fabric

    if fabric.is_file(schedule):
        return "not known for traffic of a file, which may mean a certain rank by each number."
    if job.shares_nodes:
        return _node_advice(found, job, schedule)
    hosts = [host for host in found.placement if host >= 0]
    best = fabric.best_order(found.routes, hosts, schedule, steps=0)
    if best.contention.contention_free:
        return f"the same nodes in another order ({best.how}), which `sortlast fabric order` writes."
    filled = fabric.best_order(found.routes, hosts, schedule, dummies=True, steps=0)
    if filled.contention.contention_free:
        search = "`sortlast fabric order` searches for an order without empty places."
        remark = f"Without these no order is free: {best.proof}." if best.proof else search
        return f"{filled.how.partition(';')[0]}, of which the empty ones send nothing. {remark}"
    if best.proof:
        return f"no order of these nodes, with this routing: {best.proof}."
    return (
        f"not known. Of the known orders the best ({best.how}) has {best.contention.max_flows} flows on a"
        f" link, mean share {best.contention.mean_share:.3f}; `sortlast fabric order` searches further."
    )


def _node_advice(found: Contention, job: Placement, schedule: str) -> str:
    """The same for ranks that share nodes, and stay together."""
    from sortlast import fabric

    best = fabric.best_node_order(found.routes, job, schedule, steps=0)
    if best.contention.contention_free:
        return f"the same nodes in another order ({best.how}), which `sortlast fabric order` writes."
    return (
        f"not known for ranks that share nodes. Of the known orders the best ({best.how}) has"
        f" {best.contention.max_flows} flows on a link, mean share {best.contention.mean_share:.3f};"
        " `sortlast fabric order` searches further."
    )
