"""``sortlast fabric check``: is this job contention-free, and if not, what would make it so?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _inputs, _options, _show

if TYPE_CHECKING:
    from sortlast.cli.fabric._inputs import Communication
    from sortlast.fabric import Contention

_MOST_FLOWS = 12  # that are named
_MOST_STAGES = 16  # that are listed one by one
_MOST_WALKS = 20_000_000  # of flows whose bytes are added up, which take some seconds


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
    groups: _options.Groups = None,
    size: _options.Bytes = None,
    bandwidth: _options.Bandwidth = None,
    seed: _options.Seed = 1,
    advise: Annotated[
        bool, typer.Option(help="For a contended job, look for an order of the nodes that is free.")
    ] = True,
    json: _options.Json = None,
) -> None:
    """Check whether a job's communication is contention-free: no link carries two flows at any stage.

    Exit status 0: contention-free; 1: contended; 2: wrong input. Where it is contended, the worst link is
    named with the flows that cross it, and what would make the job free: the order of the nodes that
    `sortlast fabric order` writes, or the reason why there is none. With --bytes also how long it takes, if
    every stage lasts as long as its slowest message and a link that L flows share is L times slower for each.
    """
    from sortlast import fabric

    _terminal.check_places(json)
    asked = _inputs.Communication(schedule, groups, size)
    topology = _inputs.topology(net)
    routes = _inputs.routes(topology, engine, lft, roots, compute, seed, lmc)
    communication, hosts = _inputs.job(asked, _inputs.placement(topology, nodes, order, seed, compute))
    with _progress.bar("stages", transient=True) as progress:
        found = fabric.contention(routes, communication, hosts, progress=progress)

    console = _terminal.console(json)
    report = _report(found, _inputs.order_name(nodes, order))
    facts = _facts(found, report)
    if size is not None:
        rate = _inputs.link_rate(topology, bandwidth)
        report["cost"] = _cost(found, size, rate)
        facts += _cost_facts(report["cost"], rate)
    console.print(_show.facts(facts))
    if not found.contention_free:
        console.print(_crossing(report["worst"]))
        if advise:
            report["advice"] = _advice(found, asked)
            console.print(f"What would make it free: {report['advice']}")
    console.print(f"{'CONTENTION-FREE' if found.contention_free else 'CONTENDED'}: {report['sentence']}")
    if json is not None:
        _terminal.write_json(report, json)
        console.print(f"wrote {json}", soft_wrap=True)
    raise typer.Exit(0 if found.contention_free else 1)


def _report(found: Contention, order: str) -> dict[str, Any]:
    """All that is printed, as JSON."""
    routes, topology = found.routes, found.routes.topology
    contended = sum(times for most, times in zip(found.stage_max, _repeats(found), strict=True) if most > 1)
    sentence = "no link carries two flows at any stage"
    if not found.contention_free:
        sentence = (
            f"up to {found.max_flows} flows on a link; {contended:,} of {_show.count(found.steps, 'stage')}"
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
        "stages": found.steps,
        "flows": found.flows,
        "contention_free": found.contention_free,
        "max_flows": found.max_flows,
        "mean_share": found.mean_share,
        "contended_stages": contended,
        "stage_max": found.stage_max.tolist(),
        "repeats": _repeats(found),
        "histogram": found.histogram.tolist(),
        "worst": None if found.contention_free else _worst(found),
        "sentence": sentence,
    }


def _repeats(found: Contention) -> list[int]:
    """How often each stage happens in a row."""
    if found.steps == found.stages:
        return [1] * found.stages
    return [found.pattern.repeats(stage) for stage in range(found.stages)]


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
    stages = _show.count(found.steps, "stage")
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
    stages = Counter[int]()
    for most, times in zip(found.stage_max.tolist(), _repeats(found), strict=True):
        stages[most] += times
    counts = sorted(stages.items())
    if len(counts) < 2:
        return str(found.max_flows)
    if found.steps == found.stages <= _MOST_STAGES:
        return f"{found.max_flows} (by stage: {', '.join(map(str, found.stage_max))})"
    by_stage = ", ".join(f"{most} at {_show.count(times, 'stage')}" for most, times in counts)
    return f"{found.max_flows} ({by_stage})"


def _cost(found: Contention, size: str, rate: float) -> dict[str, Any]:
    """How long it takes, and the link that most bytes cross, as JSON."""
    from sortlast import fabric
    from sortlast.fabric.patterns import bytes_of

    cost = fabric.cost(found, rate)
    report = {
        "rank_bytes": bytes_of(size),
        "link_bytes_per_second": rate or None,
        "seconds": cost.seconds,
        "bound": cost.bound,
        "lost": cost.lost,
    }
    if found.flows * found.stages > _MOST_WALKS * max(1, found.steps):
        return report
    crossed = fabric.channel_bytes(found.routes, found.pattern, found.placement)
    most = int(crossed.argmax())
    if crossed[most] == 0:
        return report
    return report | {"most_bytes": int(crossed[most]), **_show.ends(found.routes.topology, most)}


def _cost_facts(cost: dict[str, Any], rate: float) -> list[tuple[str, str]]:
    facts = [
        (
            "time",
            f"{_show.seconds(cost['seconds'])} with {_show.size_of(cost['rank_bytes'])} a rank and"
            f" {_show.rate(rate)}",
        ),
        (
            "lost",
            f"{cost['lost']:.1%}; {_show.seconds(cost['bound'])} if only the hosts' own links were shared",
        ),
    ]
    if "most_bytes" in cost:
        link = f"{cost['from']} port {cost['from_port']} to {cost['to']} port {cost['to_port']}"
        facts.append(("most bytes on a link", f"{_show.size_of(cost['most_bytes'])}: {link}"))
    return facts


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


def _advice(found: Contention, asked: Communication) -> str:
    """An order that is free, found without a long search, or why there is none."""
    from sortlast import fabric

    if asked.groups is None and fabric.is_file(asked.schedule):
        return "not known for traffic of a file, which may mean a certain rank by each number."
    if fabric.cost(found, 1.0).lost < 1e-9:
        return "no other order, and nothing is lost: only the hosts' own links make the flows wait."
    hosts = [host for host in found.placement if host >= 0]
    what = "shift" if asked.name == "shift" else asked.pattern
    best = fabric.best_order(found.routes, hosts, what, steps=0)
    if best.contention.contention_free:
        return f"the same nodes in another order ({best.how}), which `sortlast fabric order` writes."
    if not asked.needs_all:
        filled = fabric.best_order(found.routes, hosts, what, dummies=True, steps=0)
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
