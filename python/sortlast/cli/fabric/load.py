"""``sortlast fabric load``: throughput and delay of a routing over the load."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sortlast import Error
from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _inputs, _options, _show
from sortlast.cli.simulate import _options as _simulated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sortlast._simulate import LaneRoutes
    from sortlast.simulate import LoadResult


class LoadTraffic(str, Enum):
    """Destinations of packets."""

    uniform = "uniform"
    next_group = "next-group"


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(load)


def load(
    net: _options.Net,
    routing: Annotated[
        list[str],
        typer.Option(
            help="An engine, as for route, or valiant, ugal, ar-updn or ar-ftree; several: one option each."
        ),
    ],
    traffic: Annotated[
        LoadTraffic,
        typer.Option(
            help="uniform: each packet to any other host; next-group: to any host of the next group of a"
            " dragonfly, the worst case for minimal paths."
        ),
    ] = LoadTraffic.uniform,
    loads: Annotated[
        str, typer.Option(help="Loads as fractions of the bandwidth of a host's link; 1 is the maximum.")
    ] = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1",
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each load, with seeds from --seed on.")] = 1,
    lanes: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=64,
            show_default="as many as the routing needs",
            help="Virtual lanes of each link, with a queue of --buffer packets each.",
        ),
    ] = None,
    ugal_threshold: Annotated[
        int,
        typer.Option(
            min=-(2**30),
            max=2**30,
            help="For ugal: phits by which the queue of the minimal path may exceed twice the other one.",
        ),
    ] = 0,
    link_cycles: Annotated[
        int,
        typer.Option(
            min=0,
            max=65536,
            help="Additional cycles of latency between two switches, for a phit and for a credit on its way"
            " back.",
        ),
    ] = 0,
    global_cycles: Annotated[
        int, typer.Option(min=0, max=65536, help="The same between two groups of a dragonfly or dragonfly+.")
    ] = 0,
    allocation: Annotated[
        _simulated.Allocation, typer.Option("--allocation", help=_simulated.ALLOCATION_HELP)
    ] = _simulated.Allocation.together,
    phits: Annotated[int, typer.Option(min=1, max=65536, help="Cycles that a packet takes on a link.")] = 16,
    switch_cycles: Annotated[
        int,
        typer.Option(
            min=1, max=65536, help="Cycles from the arrival of a head at a switch until it may leave."
        ),
    ] = 1,
    buffer: Annotated[int, typer.Option(min=1, max=255, help="Packets in the queue of a lane.")] = 4,
    warm_up: Annotated[int, typer.Option(min=0, max=2**28, help="Cycles before packets count.")] = 3000,
    measured: Annotated[
        int, typer.Option(min=1, max=2**28, help="Cycles in which counted packets are created.")
    ] = 5000,
    drain: Annotated[int, typer.Option(min=0, max=2**28, help="Cycles to wait for these packets.")] = 20000,
    roots: _options.Roots = None,
    node_name_map: _options.NodeNameMap = None,
    seed: _options.Seed = 17,
    draw: Annotated[Path | None, typer.Option(help="Draw both curves (png, svg or pdf).")] = None,
    json: _options.Json = None,
) -> None:
    """Measure accepted throughput and delay over the load, packet by packet on virtual lanes.

    This is an open loop: every host creates packets at random, independent of earlier ones. The throughput
    follows the load until the network is saturated; beyond that the delay is unbounded, and the reported one
    includes only packets that arrived in time.
    """
    _terminal.check_places(json, pictures=[draw])
    asked = _loads(loads)
    if draw is not None:
        from sortlast import plot

        plot.check_format(draw)
    from sortlast.simulate.packets import lane_routes

    topology = _inputs.topology(net, node_name_map)
    top = None if roots is None else _inputs.root_switches(topology, roots)
    routes = [(name, lane_routes(topology, name, top)) for name in routing]
    settings: dict[str, Any] = {
        "lanes": lanes,
        "ugal_threshold": ugal_threshold,
        "allocation": allocation.value,
        "link_cycles": link_cycles,
        "global_cycles": global_cycles,
        "packet_phits": phits,
        "switch_cycles": switch_cycles,
        "buffer_packets": buffer,
        "warm_up": warm_up,
        "measured": measured,
        "drain": drain,
    }
    cells = [(name, made, each) for name, made in routes for each in asked]
    with _progress.bar("loads", transient=True) as progress:
        rows = [
            _row(*cell, traffic, range(seed, seed + seeds), settings, _part(progress, i, len(cells)))
            for i, cell in enumerate(cells)
        ]

    # Draw, write and print.
    title = f"{topology.name}, {traffic.value} traffic, {_show.count(seeds, 'seed')}"
    if draw is not None:
        from sortlast.plot.simulate import loads as curves

        points = [(row["routing"], row["offered"], row["accepted"], row["delay"]) for row in rows]
        plot.save(curves(points, title), draw)
    if json is not None:
        report = {"fabric": topology.name, "traffic": traffic.value, "seed": seed, "seeds": seeds}
        _terminal.write_json(report | {"settings": settings, "rows": rows}, json)
    console = _terminal.console(draw, json)
    columns = [("routing", "left"), *((name, "right") for name in ("offered", "accepted", "delay", "99 %"))]
    console.print(_show.table(title, columns, [_shown(row) for row in rows]))
    _terminal.name_written(console, draw, json)


def _loads(text: str) -> list[float]:
    """The numbers of --loads."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 <= each <= 1 for each in found):
        raise Error(f"--loads {text}: expected numbers from 0 to 1, such as 0.1,0.5,1")
    return found


def _part(progress: Callable[[float], bool], done: int, runs: int) -> Callable[[float], bool]:
    """The progress of one of several runs."""
    return lambda part: progress((done + min(part, 1)) / runs)


def _row(
    name: str,
    routes: LaneRoutes,
    offered: float,
    traffic: LoadTraffic,
    seeds: range,
    settings: dict[str, Any],
    progress: Callable[[float], bool],
) -> dict[str, Any]:
    """The mean over the seeds; delays are None if no counted packet arrived in any run."""
    from sortlast.simulate.loads import load_on

    whom: Literal["uniform", "next-group"] = "uniform" if traffic is LoadTraffic.uniform else "next-group"
    runs: list[LoadResult] = [
        load_on(routes, offered, whom, seed=each, progress=_part(progress, done, len(seeds)), **settings)
        for done, each in enumerate(seeds)
    ]
    return {
        "routing": name,
        "load": offered,
        "offered": fmean(run.offered for run in runs),
        "accepted": fmean(run.accepted for run in runs),
        "delay": _mean([run.mean_delay for run in runs]),
        "percent_99": _mean([run.delay_percentile(99) for run in runs]),
        "begun": sum(run.begun for run in runs),
        "arrived": sum(run.arrived for run in runs),
    }


def _mean(delays: Sequence[float | None]) -> float | None:
    known = [delay for delay in delays if delay is not None]
    return fmean(known) if known else None


def _shown(row: dict[str, Any]) -> list[str]:
    late = "" if row["arrived"] == row["begun"] else " *"
    delays = ["none" if row[name] is None else f"{row[name]:,.1f}{late}" for name in ("delay", "percent_99")]
    return [row["routing"], f"{row['offered']:.3f}", f"{row['accepted']:.3f}", *delays]
