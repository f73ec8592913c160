"""``sortlast simulate``: simulates a pattern, a schedule or a file of traffic on a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _show
from sortlast.cli.simulate import (
    _beside,
    _lab,
    _loggops,
    _methods,
    _options,
    _recorded,
    _report,
    _settings,
    _sweep,
    _traffic,
)
from sortlast.cli.simulate._network import Place, Tables
from sortlast.cli.simulate._options import Method
from sortlast.cli.simulate._outputs import Outputs

_OF_NETWORKS = {"beside", "net", "routing", "lft", "roots", "compute", "nodes", "order", "rail", "bandwidth"}
_OF_NETWORKS |= {"draw", "trace", "recorded", "counters"}
_OF_ONE_RUN = {"beside", "trace", "recorded", "counters"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(simulate)


def simulate(
    context: typer.Context,
    pattern: _options.Pattern,
    method: _options.MethodOption = Method.packet,
    set_: _options.Set = None,
    seed: _options.Seed = 17,
    ranks: _options.Ranks = None,
    message_bytes: _options.Bytes = None,
    messages: _options.Messages = None,
    stages: _options.Stages = None,
    size: _options.Size = None,
    beside: _options.Beside = None,
    net: _options.Net = None,
    routing: _options.Routing = None,
    lft: _options.Lft = None,
    roots: _options.Roots = None,
    compute: _options.Compute = None,
    nodes: _options.Nodes = "all",
    order: _options.Order = None,
    rail: _options.Rail = None,
    bandwidth: _options.Bandwidth = None,
    draw: _options.Draw = None,
    trace: _options.Trace = None,
    recorded: _options.Recorded = None,
    counters: _options.Counters = None,
    json: _options.Json = None,
) -> None:
    """Simulate traffic on a network, packet by packet or as flows, or without one.

    Reports the total time, the delays of packets, and the utilisation of the links of each level. The switch
    model is from Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection Networks":
    virtual cut-through, queues at the input ports, credits. The LogGOPS model, and GOAL files with several
    CPUs and adapters per rank, are as in Hoefler et al., "LogGOPSim" (2010). Equal options give equal runs.

    Exit status 2, with the cycle of waits, if packets, messages or ranks deadlock.
    """
    _check(context, method, _sweep.is_sweep(ranks))
    counts = _sweep.counts(ranks)
    settings = _settings.read(set_ or [], method, frame=size is not None, others=bool(beside))
    one = counts[0] if counts else None
    wanted = _traffic.Wanted(pattern, one, message_bytes, messages, stages, size, settings.frame, seed)
    if method is Method.loggops:
        _loggops.run(wanted, settings.simulator, json)
        return
    if net is None:
        raise typer.BadParameter("name a fabric, or take --method loggops", param_hint="--net")
    place = Place(net, nodes, order, rail, seed)
    tables = Tables(routing, lft, roots, compute, seed)
    simulator = settings.on_network(bandwidth, seed if method is Method.packet else None)
    if _sweep.is_sweep(ranks):
        _sweep.Sweep(counts, method, wanted, place, tables, simulator).run(draw, json)
    else:
        recording = _recording(recorded, counters or [], bool(beside))
        outputs = Outputs(draw, trace, json)
        _run(method, wanted, beside or [], place, tables, simulator, recording, outputs)


def _check(context: typer.Context, method: Method, sweep: bool) -> None:
    """Reject options that have no effect with the others."""
    reasons = {}
    if method is Method.loggops:
        reasons = dict.fromkeys(_OF_NETWORKS, "not with --method loggops")
        if sweep:
            raise typer.BadParameter("--method loggops makes one run; give one number", param_hint="--ranks")
    if sweep:
        reasons |= dict.fromkeys(_OF_ONE_RUN, "is of one run; give one number of --ranks")
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in reasons and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(reasons[parameter.name], param_hint=parameter.opts[0])


def _recording(recorded: Path | None, counters: list[Path], beside: bool) -> _recorded.Recording | None:
    """The recorded run, if one is given."""
    if recorded is None:
        if counters:
            raise typer.BadParameter("are for a recorded run; give --recorded too", param_hint="--counters")
        return None
    if beside:
        raise typer.BadParameter("is of one job; leave --beside out", param_hint="--recorded")
    recording = _recorded.Recording(recorded, counters)
    recording.check()
    return recording


def _run(
    method: Method,
    wanted: _traffic.Wanted,
    beside: list[str],
    place: Place,
    tables: Tables,
    settings: dict[str, Any],
    recording: _recorded.Recording | None,
    outputs: Outputs,
) -> None:
    """Simulate, print and write."""
    from sortlast.simulate.links import link_classes, link_rate

    # Reject impossible settings before the run.
    outputs.check()
    topology, hosts = place.find()
    settings = {"link_bytes_per_second": link_rate(topology), **settings}
    made = _traffic.make(wanted, len(hosts), rendezvous=method is Method.flow)
    outputs.check_length(made)
    ways = tables.ways(topology, method is Method.flow)
    settings |= ways.settings
    recorded = None if recording is None else recording.read(ways.routes, made.tasks)

    # Simulate.
    log = {"message_log": outputs.trace is not None}
    with _progress.bar(f"{method.value}s", transient=True) as progress:
        job = _methods.Job(topology, ways.routes, made, hosts[: made.tasks], settings | log, progress)
        job, jobs = _beside.Beside(beside, wanted, method is Method.packet).join(job, hosts)
        found = _methods.packets(job) if method is Method.packet else _methods.flows(job, wanted.frame)
    found = _beside.told(found, jobs)
    if not beside:
        found = _lab.told(found, wanted, ways.routes, hosts[: made.tasks], settings)
    late = None
    if recorded is not None:
        found, late = recorded.explain(found, hosts[: made.tasks], settings["link_bytes_per_second"])

    # Report.
    if wanted.size is not None:
        settings = settings | wanted.frame
    setup = _report.Setup(topology, method.value, ways.told, place, settings)
    classes = link_classes(topology)
    report = _report.as_json(setup, found, classes)
    outputs.write(found, classes, report)
    console = _terminal.console(*outputs.files)
    console.print(_show.facts(_report.facts(setup, found, report)))
    console.print(_report.links_table(report, found.unit))
    if late is not None:
        _recorded.show(late, topology, found.run.seconds, console)
    _terminal.name_written(console, *outputs.files)
