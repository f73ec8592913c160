"""``sortlast fabric check``: what a job loses to contention, and how to avoid it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast import Error
from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import (
    _advice,
    _against,
    _bisection,
    _counters,
    _failures,
    _inputs,
    _options,
    _price,
    _rails,
    _show,
    _time,
    _verdict,
)
from sortlast.cli.fabric._job import Job
from sortlast.files import replacing

if TYPE_CHECKING:
    from rich.console import Console

    from sortlast.fabric import Contention, Placement, PriceList

_MOST_FLOWS = 12  # max flows that are listed
_MOST_STAGES = 16  # max stages that are listed individually


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(check)


def check(
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
    order: _options.NodesOrder = None,
    schedule: _options.Schedule = "shift",
    size: _options.Bytes = None,
    bandwidth: _options.Bandwidth = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT", help="Compare with another engine, file of tables, or fabric. May be repeated."
        ),
    ] = None,
    bisection: Annotated[
        bool,
        typer.Option("--bisection", help="Report the effective bisection bandwidth too (Hoefler et al.)."),
    ] = False,
    prices: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Report the cost of the fabric too, from a file of prices."),
    ] = None,
    spread: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Analyse adaptive routing too, over the paths of ar-ftree, ar-updn or shortest.",
        ),
    ] = None,
    failures: Annotated[
        bool,
        typer.Option(
            "--failures", help="Rank all single failures of links and switches by what they cost the job."
        ),
    ] = False,
    counters: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Compare with port counters (perfquery -x, ibqueryerrors --counters); given twice: before"
            " and after the job.",
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the flows on every link at every stage to this CSV file."),
    ] = None,
    json: _options.Json = None,
) -> None:
    """Check whether a job's communication loses time because its messages share links.

    Exit status 0: contention-free, or no routing takes less time; 1: time is lost; 2: wrong input. The bound
    is the time that the hosts' own links, and the links that leave each switch or subtree, need for the job.
    A contended job gets the worst link with its flows, and an order of the nodes that is free, or the reason
    why there is none. Without --lft, the tables are computed, and may differ from those in force.
    """
    from sortlast import fabric
    from sortlast.fabric import tables

    _terminal.check_places(csv, json)
    asked = _inputs.Communication(schedule, size)
    listed = None if prices is None else fabric.price_list(prices)
    rails = _inputs.Rails(rail, ranks_per_node, blocks)
    job = Job(asked, nodes, order, rails, engine, roots, compute, node_name_map, without)
    if failures and lft is not None:
        raise Error(
            "--failures and --lft: a fabric with a failure is routed again by an engine; leave one out"
        )
    topology = job.topology(net)
    routes = job.routes(topology, lft=lft)
    others = [_against.routes(text, topology, job) for text in against or []]
    found, hosts = job.contention(routes)
    if csv is not None:
        tables.check_size(found)
    rate = _inputs.link_rate(topology, bandwidth)
    verdict = _verdict.judge(found, rate)
    report = _report(found, hosts, _inputs.order_name(nodes, order), verdict)
    report["assumed_roots"] = _inputs.assumed_roots(topology, engine, lft, roots, compute)
    report["warning"] = _rails.warning(found, hosts, verdict.at_bound)
    if counters:
        report["counters"] = _counters.report(found, _counters.read(found, counters))
    facts = _facts(found, report)
    measures = _measures(found, size, bandwidth, bisection, listed)
    report |= measures
    facts += _measured(measures)
    if spread is not None:
        report["spread"] = _spread(found, hosts, spread, roots)
        facts.append((f"spread over {spread}", report["spread"]["sentence"]))
    if others:
        report["against"] = [_against.row(found, measures)]
        for each in (job.contention(other)[0] for other in others):
            report["against"].append(_against.row(each, _measures(each, size, bandwidth, bisection, listed)))
    if failures:
        report |= _failures.report(found, job, rate)
    if not verdict.at_bound:
        report["advice"] = _advice.text(found, hosts, asked.on(hosts))
    _write(found, report, csv, json)
    console = _terminal.console(csv, json)
    console.print(_show.facts(facts))
    _print(report, console)
    _terminal.name_written(console, csv, json)
    raise typer.Exit(0 if verdict.at_bound else 1)


def _print(report: dict[str, Any], console: Console) -> None:
    """Print all below the facts, the verdict at the end."""
    if report["worst"]:
        console.print(_crossing(report["worst"]))
    if report["warning"]:
        console.print(report["warning"], soft_wrap=True)
    if "advice" in report:
        console.print(f"What would make it free: {report['advice']}")
    if "counters" in report:
        console.print(_counters.table(report["counters"]))
    if "against" in report:
        _against.show(report["against"], console)
    if "failures" in report:
        console.print(_failures.table(report))
    console.print(f"{report['verdict']}: {report['sentence']} ({report['tables']})", soft_wrap=True)


def _measures(
    found: Contention, size: str | None, bandwidth: float | None, bisection: bool, prices: PriceList | None
) -> dict[str, Any]:
    """What was asked for besides the flows, by name, as JSON."""
    measures: dict[str, Any] = {}
    if size is not None:
        measures["time"] = _time.report(found, size, _inputs.link_rate(found.routes.topology, bandwidth))
    if bisection:
        measures["bisection"] = _bisection.report(found)
    if prices is not None:
        measures["cost"] = _price.report(found.routes.topology, prices)
    return measures


def _measured(measures: dict[str, Any]) -> list[tuple[str, str]]:
    """The same as lines of a table."""
    lines = {"time": _time.facts, "bisection": _bisection.facts, "cost": _price.facts}
    return [line for name, values in measures.items() for line in lines[name](values)]


def _write(found: Contention, report: dict[str, Any], csv: Path | None, json: Path | None) -> None:
    """Write the requested files."""
    if csv is not None:
        _write_csv(found, csv)
    if json is not None:
        _terminal.write_json(report, json)


def _write_csv(found: Contention, path: Path) -> None:
    """The loads of all stages: a row per loaded channel and stage, from 1."""
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


def _report(found: Contention, hosts: Placement, order: str, verdict: _verdict.Verdict) -> dict[str, Any]:
    """All that is printed, as JSON."""
    from sortlast.fabric.analysis import repeats

    routes, topology = found.routes, found.routes.topology
    contended = sum(times for most, times in zip(found.stage_max, repeats(found), strict=True) if most > 1)
    return {
        "fabric": topology.name,
        "size": _show.size(topology),
        "asked": routes.asked,
        "engine": routes.engine,
        "fallback": routes.fallback,
        "tables": _show.tables(routes),
        "credit_loop": _show.credit_loop(routes),
        "slow_links": [
            {"link": each.link, "gbps": each.gbps, "expected": each.expected}
            for each in topology.slow_links()
        ],
        "pattern": found.pattern.name,
        "participants": len(found.placement),
        "nodes": len(hosts.groups()),
        "order": order,
        "stages": found.steps,
        "flows": found.flows,
        "contention_free": found.contention_free,
        "max_flows": found.max_flows,
        "mean_share": found.mean_share,
        "contended_stages": contended,
        "stage_max": found.stage_max.tolist(),
        "repeats": repeats(found),
        "histogram": found.histogram.tolist(),
        "worst": None if found.contention_free and verdict.at_bound else _worst(found),
        "verdict": verdict.word,
        "sentence": _verdict.sentence(found, verdict),
        "seconds": verdict.seconds,
        "host_bound": verdict.host_bound,
        "cut_bound": verdict.cut_bound,
        "lost": verdict.lost,
        "channels": _loaded(found),
    }


def _spread(found: Contention, hosts: Placement, name: str, roots: str | None) -> dict[str, Any]:
    """The loads if flows are split over all their paths, in total and by stage."""
    from sortlast import fabric

    topology = found.routes.topology
    ways = fabric.spread(topology, name, None if roots is None else _inputs.root_switches(topology, roots))
    with _progress.bar("spreading", transient=True) as progress:
        split = fabric.spread_contention(ways, found.pattern, hosts, progress=progress)
    even, best, bound = (float(each.max(initial=0)) for each in (split.even, split.best, split.bound))
    return {
        "ways": name,
        "even": split.even.tolist(),
        "best": split.best.tolist(),
        "bound": split.bound.tolist(),
        "sentence": f"up to {even:.4g} flows on a link if split evenly, {best:.4g} at best;"
        f" no splitting has less than {bound:.4g}",
    }


def _loaded(found: Contention) -> list[dict[str, Any]]:
    """The links that carry flows, each with the maximum over all stages."""
    most = found.channel_max
    return [
        {**_show.ends(found.routes.topology, channel), "max_flows": int(most[channel])}
        for channel in most.nonzero()[0].tolist()
    ]


def _worst(found: Contention) -> dict[str, Any]:
    """The link on which a message takes longest, and its flows."""
    from sortlast import fabric

    topology = found.routes.topology
    stage, channel = fabric.slowest_link(found)
    flows = found.crossing(stage, channel)
    return {
        "stage": stage + 1,
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
    stages = _show.count(found.steps, "stage")
    return [
        ("fabric", f"{report['fabric']}: {report['size']}"),
        ("routing", _show.routing(found.routes)),
        *([("roots", report["assumed_roots"])] if report["assumed_roots"] else []),
        *([("credit loop", " -> ".join(report["credit_loop"]))] if report["credit_loop"] else []),
        *([("slow links", _slow(report["slow_links"]))] if report["slow_links"] else []),
        (
            "pattern",
            f"{report['pattern']}: {participants}, {stages}, {found.flows:,} flows",
        ),
        ("order", report["order"]),
        ("peak flows on a link", _most_flows(found)),
        ("mean share of a flow", f"{found.mean_share:.3f}"),
    ]


def _slow(links: list[dict[str, Any]]) -> str:
    some = "; ".join(
        f"{each['link']} at {each['gbps']:g} of {each['expected']:g} Gbit/s" for each in links[:2]
    )
    more = f"; and {len(links) - 2:,} more, which `sortlast fabric build` lists" if len(links) > 2 else ""
    return f"{len(links):,}: {some}{more}"


def _most_flows(found: Contention) -> str:
    """The maximum over all stages, and by stage if they differ; for many stages, the number of each value."""
    from sortlast.fabric.analysis import repeats

    stages = Counter[int]()
    for most, times in zip(found.stage_max.tolist(), repeats(found), strict=True):
        stages[most] += times
    counts = sorted(stages.items())
    if len(counts) < 2:
        return str(found.max_flows)
    if found.steps == found.stages <= _MOST_STAGES:
        return f"{found.max_flows} (by stage: {', '.join(map(str, found.stage_max))})"
    by_stage = ", ".join(f"{most} at {_show.count(times, 'stage')}" for most, times in counts)
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
