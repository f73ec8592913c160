"""``sortlast fabric check``: is this job contention-free, and if not, what would make it so?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _inputs, _options, _show
from sortlast.files import replacing

if TYPE_CHECKING:
    from sortlast.fabric import Contention

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
    order: _options.NodesOrder = None,
    schedule: _options.Schedule = "shift",
    seed: _options.Seed = 1,
    advise: Annotated[
        bool, typer.Option(help="For a contended job, look for an order of the nodes that is free.")
    ] = True,
    csv: Annotated[
        Path | None,
        typer.Option(help="Write the flows on every link at every stage to this file, for a spreadsheet."),
    ] = None,
    json: _options.Json = None,
) -> None:
    """Check whether a job's communication is contention-free: no link carries two flows at any stage.

    Exit status 0: contention-free; 1: contended; 2: wrong input. Where it is contended, the worst link is
    named with the flows that cross it, and what would make the job free: the order of the nodes that
    `sortlast fabric order` writes, or the reason why there is none.
    """
    from sortlast import fabric
    from sortlast.fabric import tables

    _terminal.check_places(csv, json)
    topology = _inputs.topology(net)
    routes = _inputs.routes(topology, engine, lft, roots, compute, seed, lmc)
    communication, hosts = _inputs.job(schedule, _inputs.placement(topology, nodes, order, seed, compute))
    with _progress.bar("stages", transient=True) as progress:
        found = fabric.contention(routes, communication, hosts, progress=progress)

    if csv is not None:
        tables.check_size(found)
    console = _terminal.console(csv, json)
    report = _report(found, _inputs.order_name(nodes, order))
    console.print(_show.facts(_facts(found, report)))
    if not found.contention_free:
        console.print(_crossing(report["worst"]))
        if advise:
            report["advice"] = _advice(found, schedule)
            console.print(f"What would make it free: {report['advice']}")
    console.print(f"{'CONTENTION-FREE' if found.contention_free else 'CONTENDED'}: {report['sentence']}")
    if csv is not None:
        _write_csv(found, csv)
        console.print(f"wrote {csv}", soft_wrap=True)
    if json is not None:
        _terminal.write_json(report, json)
        console.print(f"wrote {json}", soft_wrap=True)
    raise typer.Exit(0 if found.contention_free else 1)


def _write_csv(found: Contention, path: Path) -> None:
    """The loads of all stages, a row a channel that carries flows and a stage from 1."""
    import csv

    from sortlast.fabric import tables

    with (
        replacing(path) as temporary,
        temporary.open("w", newline="", encoding="utf-8") as file,
        _progress.bar("rows", transient=True) as progress,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(tables.COLUMNS)
        for stage, rows in enumerate(tables.rows(found)):
            writer.writerows(rows.tolist())
            progress(stage + 1, found.stages)


def _report(found: Contention, order: str) -> dict[str, Any]:
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


def _advice(found: Contention, schedule: str) -> str:
    """An order that is free, found without a long search, or why there is none."""
    from sortlast import fabric

    if fabric.is_file(schedule):
        return "not known for traffic of a file, which may mean a certain rank by each number."
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
