"""``sortlast simulate``: one run of a pattern, a schedule or a file of traffic on a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from sortlast import Error
from sortlast.cli import _terminal
from sortlast.cli.fabric import _inputs, _show
from sortlast.cli.fabric import _options as _fabric
from sortlast.cli.simulate import _options, _report, _traffic
from sortlast.cli.simulate._outputs import Outputs

if TYPE_CHECKING:
    from sortlast.fabric import Topology


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(simulate)


def simulate(
    pattern: _options.Pattern,
    net: _fabric.Net,
    ranks: _options.Ranks = None,
    message_bytes: _options.Bytes = None,
    messages: _options.Messages = None,
    stages: _options.Stages = None,
    size: _options.Size = None,
    pixel_bytes: _options.PixelBytes = 16,
    routing: _options.Routing = None,
    lft: _fabric.Lft = None,
    roots: _fabric.Roots = None,
    compute: _fabric.Compute = None,
    nodes: _fabric.Nodes = "all",
    order: _fabric.NodesOrder = None,
    first_host: _options.FirstHost = 0,
    packet_bytes: _options.PacketBytes = 64,
    phits: _options.Phits = 16,
    buffer: _options.Buffer = 4,
    injection: _options.Injection = 8,
    arbitration: _options.ArbitrationOption = _options.Arbitration.random,
    ties: _options.TiesOption = _options.Ties.uniform,
    bandwidth: _options.Bandwidth = 1250,
    seed: _fabric.Seed = 17,
    draw_links: _options.Links = None,
    draw_buffers: _options.Buffers = None,
    sample: _options.Sample = 64,
    draw_delays: _options.Delays = None,
    trace: _options.Trace = None,
    json: _fabric.Json = None,
) -> None:
    """Simulate traffic on a network, packet by packet.

    Says how many cycles it takes, how long packets are under way, and how busy the links of each level are.
    The switch is that of Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection
    Networks": virtual cut-through, queues at the input ports, credits. Equal options give equal runs.

    Exit status 2, with the cycle of waits, if packets or messages wait for each other for ever.
    """
    from sortlast import simulate as simulator
    from sortlast.fabric import Routes
    from sortlast.simulate.links import link_classes

    outputs = Outputs(draw_links, draw_buffers, draw_delays, trace, json)
    outputs.check()
    if bandwidth <= 0:
        raise typer.BadParameter(f"{bandwidth} MB/s is not a bandwidth", param_hint="--bandwidth")
    if lft is not None and routing is not None:
        raise typer.BadParameter("--lft has the tables; leave --routing out", param_hint="--routing")

    # Put the tasks on hosts.
    topology = _with_levels(_inputs.topology(net))
    hosts = _hosts(topology, nodes, order, seed, compute, first_host)
    wanted = _traffic.Wanted(pattern, ranks, message_bytes, messages, stages, size, pixel_bytes, seed)
    made = _traffic.make(wanted, len(hosts))
    outputs.check_length(made)

    # Simulate.
    is_static = lft is not None or routing not in (None, "adaptive")
    used = _inputs.routes(topology, routing or "", lft, roots, compute, seed) if is_static else topology
    settings: dict[str, Any] = {
        "seed": seed,
        "packet_bytes": packet_bytes,
        "packet_phits": phits,
        "buffer_packets": buffer,
        "injection_packets": injection,
        "arbitration": arbitration.value,
        "ties": ties.value,
        "link_bytes_per_second": bandwidth * 1e6,
    }
    with _show.progress("packets") as progress:
        run = simulator.packet(
            used,
            made,
            placement=hosts[: made.tasks],
            sample_cycles=0 if draw_buffers is None else sample,
            message_log=trace is not None,
            progress=progress,
            **settings,
        )

    # Report.
    job = _report.Job(
        topology,
        made,
        routing=_show.routing(used) if isinstance(used, Routes) else "adaptive",
        order=_inputs.order_name(nodes, order),
        first_host=first_host,
        is_frame=size is not None,
        packet=settings,
    )
    classes = link_classes(topology)
    report = _report.as_json(job, run, classes)
    console = _terminal.console()
    console.print(_show.facts(_report.facts(job, run, report)))
    console.print(_report.links_table(report))
    for path in outputs.write(job, run, classes, report):
        console.print(f"wrote {path}", soft_wrap=True)


def _with_levels(topology: Topology) -> Topology:
    """A fabric of a file with the levels of its switches, if it is a tree; others as they are."""
    if topology.levels > 0:
        return topology
    found = topology.rank_switches()
    return topology if found.why else topology.with_levels(found.level)


def _hosts(
    topology: Topology, nodes: str, order: str | None, seed: int, compute: str | None, first: int
) -> list[int]:
    """The hosts that tasks may be put on, in their order."""
    listed = _inputs.placement(topology, nodes, order, seed, compute)
    if -1 in listed:
        raise Error("a task cannot run in a place that stays empty; take an order without dummies")
    if first >= len(listed):
        raise Error(f"--first-host {first} leaves no host: there are {len(listed)}")
    return listed[first:]
