"""``sortlast simulate``: simulates a pattern, a schedule or a file of traffic on a network."""

from __future__ import annotations

from typing import Any

import typer

from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _inputs, _show
from sortlast.cli.fabric import _options as _fabric
from sortlast.cli.simulate import (
    _beside,
    _loggops,
    _methods,
    _options,
    _report,
    _set,
    _settings,
    _sweep,
    _traffic,
)
from sortlast.cli.simulate._network import Place, Tables
from sortlast.cli.simulate._options import Method
from sortlast.cli.simulate._outputs import Outputs

# Options that have no effect with the other method, or without --size.
_OF_PACKETS = {
    *("packet_bytes", "phits", "switch_cycles", "buffer", "injection"),
    *("arbitration", "ties", "requests", "lanes", "ugal_threshold"),
    *("allocation", "link_cycles", "global_cycles"),
}
_OF_PACKETS |= {"draw_buffers", "sample", "draw_delays"}
_OF_FLOWS = {"message_seconds", "sends_at_once"}
_OF_ONE_RUN = {"beside", "draw_links", "draw_buffers", "draw_delays", "trace"}
_OF_FRAMES = {"pixel_bytes", "active", "blend", "overlap", "stage_seconds", "barrier"}

_OF_LOGGOPS = {
    "pattern",
    "method",
    "ranks",
    "message_bytes",
    "messages",
    "stages",
    "size",
    "set_",
    "seed",
    "json",
}
_OF_LOGGOPS |= _OF_FRAMES

_MOST = 2**31 - 1  # maximum of any whole number


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(simulate)


def simulate(
    context: typer.Context,
    pattern: _options.Pattern,
    net: _options.Net = None,
    method: _options.MethodOption = Method.packet,
    set_: _options.Set = None,
    ranks: _options.Ranks = None,
    message_bytes: _options.Bytes = None,
    messages: _options.Messages = None,
    stages: _options.Stages = None,
    size: _options.Size = None,
    beside: _options.Beside = None,
    background: _options.Background = 0,
    pixel_bytes: _options.PixelBytes = 16,
    active: _options.Active = 1,
    blend: _options.Blend = 0,
    overlap: _options.Overlap = True,
    stage_seconds: _options.StageSeconds = 0,
    barrier: _options.Barrier = False,
    routing: _options.Routing = None,
    lft: _fabric.Lft = None,
    roots: _fabric.Roots = None,
    compute: _fabric.Compute = None,
    nodes: _fabric.Nodes = "all",
    rail: _fabric.Rail = None,
    ranks_per_node: _fabric.RanksPerNode = None,
    adapters: _fabric.Adapters = None,
    node_name_map: _fabric.NodeNameMap = None,
    order: _fabric.NodesOrder = None,
    first_host: _options.FirstHost = 0,
    bandwidth: _options.Bandwidth = None,
    packet_bytes: _options.PacketBytes = 64,
    phits: _options.Phits = 16,
    switch_cycles: _options.SwitchCycles = 1,
    buffer: _options.Buffer = 4,
    injection: _options.Injection = 8,
    arbitration: _options.ArbitrationOption = _options.Arbitration.random,
    ties: _options.TiesOption = _options.Ties.uniform,
    requests: _options.RequestsOption = _options.Requests.each_cycle,
    lanes: _options.Lanes = None,
    ugal_threshold: _options.UgalThreshold = 0,
    allocation: _options.AllocationOption = _options.Allocation.together,
    link_cycles: _options.LinkCycles = 0,
    global_cycles: _options.GlobalCycles = 0,
    message_seconds: _options.MessageSeconds = 0,
    sends_at_once: _options.SendsAtOnce = None,
    seed: _fabric.Seed = 17,
    draw_links: _options.Links = None,
    draw_buffers: _options.Buffers = None,
    sample: _options.Sample = 64,
    draw_delays: _options.Delays = None,
    draw_sweep: _options.Sweep = None,
    trace: _options.Trace = None,
    json: _fabric.Json = None,
) -> None:
    """Simulate traffic on a network, packet by packet or as flows, or without one.

    Reports the total time, the delays of packets, and the utilisation of the links of each level. The switch
    model is from Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection Networks":
    virtual cut-through, queues at the input ports, credits. The LogGOPS model, and GOAL files with several
    CPUs and adapters per rank, are as in Hoefler et al., "LogGOPSim" (2010). Equal options give equal runs.

    Exit status 2, with the cycle of waits, if packets, messages or ranks deadlock.
    """
    outputs = Outputs(draw_links, draw_buffers, draw_delays, trace, json)
    _check(context, method, size, _sweep.is_sweep(ranks))
    counts = _sweep.counts(ranks)
    told = _settings.Settings(context.params)
    given = _set.parse(set_ or [])
    one = counts[0] if counts else None
    wanted = _traffic.Wanted(pattern, one, message_bytes, messages, stages, size, told.frame(), seed)
    if method is Method.loggops:
        _loggops.run(wanted, given, json)
        return
    if net is None:
        raise typer.BadParameter("name a fabric, or take --method loggops", param_hint="--net")
    _set.refuse_rest(given, method.value, ())
    settings = told.packets() if method is Method.packet else told.flows()
    rails = _inputs.Rails(rail, ranks_per_node)
    place = Place(net, nodes, order, compute, first_host, seed, rails, node_name_map, adapters)
    tables = Tables(routing, lft, roots, compute, seed)
    if _sweep.is_sweep(ranks):
        _sweep.Sweep(counts, method, wanted, place, tables, settings).run(draw_sweep, json)
    else:
        _run(method, wanted, beside or [], place, tables, settings, outputs)


def _check(context: typer.Context, method: Method, size: str | None, sweep: bool) -> None:
    """Reject options that have no effect with the others, and numbers that are too large."""
    others = {
        Method.packet: _OF_FLOWS,
        Method.flow: _OF_PACKETS,
        Method.loggops: {parameter.name or "" for parameter in context.command.params} - _OF_LOGGOPS,
    }
    reasons = dict.fromkeys(others[method], f"not with --method {method.value}")
    if size is None:
        reasons |= dict.fromkeys(_OF_FRAMES, "needs --size, that of the image")
    if sweep and method is Method.loggops:
        raise typer.BadParameter("--method loggops makes one run; give one number", param_hint="--ranks")
    if sweep:
        reasons |= dict.fromkeys(_OF_ONE_RUN, "is of one run; give one number of --ranks")
    else:
        reasons["draw_sweep"] = "needs several counts of ranks, such as --ranks 2:64:x2"
    for parameter in context.command.params:
        name = parameter.name or ""
        value = context.params.get(name)
        if isinstance(value, int) and value > _MOST:
            raise typer.BadParameter(f"{value} is above {_MOST:,}", param_hint=parameter.opts[0])
        source = context.get_parameter_source(name)
        if name in reasons and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(reasons[name], param_hint=parameter.opts[0])


def _run(
    method: Method,
    wanted: _traffic.Wanted,
    beside: list[str],
    place: Place,
    tables: Tables,
    settings: dict[str, Any],
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

    # Simulate.
    log = {"message_log": outputs.trace is not None}
    with _progress.bar(f"{method.value}s", transient=True) as progress:
        job = _methods.Job(topology, ways.routes, made, hosts[: made.tasks], settings | log, progress)
        job, jobs = _beside.Beside(beside, wanted, method is Method.packet).join(job, hosts)
        found = _methods.packets(job) if method is Method.packet else _methods.flows(job, wanted.frame)
    found = _beside.told(found, jobs)

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
    _terminal.name_written(console, *outputs.files)
