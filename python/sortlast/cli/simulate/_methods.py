"""The simulators behind ``sortlast simulate``, and their results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast.cli.simulate._traffic import Made
    from sortlast.fabric import Routes, Spreading, Topology
    from sortlast.simulate import FlowResult, PacketResult, Traffic


@dataclass(frozen=True)
class Job:
    """The input of a simulation; ``settings`` are further keyword arguments of the simulator, by name."""

    topology: Topology
    routes: Routes | Spreading | None
    made: Made
    hosts: list[int]
    settings: dict[str, Any]
    progress: Callable[[float], bool]


@dataclass(frozen=True)
class Found:
    """The results of a run, common to all simulators."""

    run: PacketResult | FlowResult
    traffic: Traffic
    loads: NDArray[np.int64]  # by channel, in ``unit``
    unit: str
    busy: NDArray[np.float64]  # by channel: fraction of the time in which it is busy, 0 to 1
    time: str
    frames_per_second: float | None
    facts: list[tuple[str, str]]  # specific to this simulator
    numbers: dict[str, Any]  # the same for JSON


def packets(job: Job) -> Found:
    """Simulate packets, adaptively routed if the job has no routes."""
    from sortlast import fabric, simulate

    made, settings = job.made, job.settings
    assert not isinstance(job.routes, fabric.Spreading)  # only flows use it
    run = simulate.packet(
        job.routes or job.topology, made.traffic, placement=job.hosts, progress=job.progress, **settings
    )
    delay = {
        "mean": run.mean_delay,
        "deviation": run.delay_deviation,
        "min": run.min_delay,
        "median": run.delay_percentile(50),
        "percent_99": run.delay_percentile(99),
        "max": run.max_delay,
    }
    others = run.background_packets
    in_mean = run.packet_hops / max(run.packets + others, 1)
    facts = [
        (
            "packets",
            f"{run.packets:,} of up to {_show.count(settings['packet_bytes'], 'byte')}"
            + (f" and {others:,} of others" if others else "")
            + f", over {in_mean:.2f} links on average",
        ),
        (
            "delay of a packet",
            f"mean {delay['mean']:,.1f}, least {delay['min']:,}, median {delay['median']:,},"
            f" 99 % {delay['percent_99']:,}, most {delay['max']:,} cycles",
        ),
        (
            "simulated in",
            f"{run.elapsed:.2f} s, {run.packet_hops / max(run.elapsed, 1e-9) / 1e6:.1f} M packet hops"
            " a second",
        ),
    ]
    return Found(
        run,
        made.traffic,
        run.link_loads,
        "packets",
        np.multiply(run.link_loads, settings["packet_phits"] / max(run.cycles, 1), dtype=np.float64),
        f"{_show.count(run.cycles, 'cycle')}, {_show.seconds(run.seconds)}",
        1 / run.seconds if made.schedule is not None and run.seconds > 0 else None,
        facts,
        {
            "cycles": run.cycles,
            "packets": run.packets,
            "background_packets": others,
            "packet_hops": run.packet_hops,
            "delay": delay,
        },
    )


def flows(job: Job, frame: dict[str, Any]) -> Found:
    """Simulate flows; ``frame`` holds further keyword arguments of :func:`sortlast.simulate.frame`."""
    from sortlast import simulate

    # A frame has blending too; a second simulation finds how much of it is hidden.
    fabric, schedule = job.routes or job.topology, job.made.schedule
    where: dict[str, Any] = {"placement": job.hosts, "progress": job.progress}
    facts: list[tuple[str, str]] = []
    numbers: dict[str, Any] = {}
    frames = None
    if schedule is None:
        run = simulate.flow(fabric, job.made.traffic, **where, **job.settings)
    else:
        run = found = simulate.frame(fabric, schedule, **where, **job.settings, **frame)
        frames, numbers = found.frames_per_second or None, {"hidden": found.hidden}
        if frame["blend_bytes_per_second"] > 0:
            facts.append(("blending", f"{found.hidden:.1%} of it hidden behind messages"))

    facts.append(("simulated in", f"{run.elapsed:.2f} s, {_show.count(run.events, 'event')}"))
    capacity = job.settings["link_bytes_per_second"] * run.seconds
    return Found(
        run,
        run.traffic,
        run.channel_bytes,
        "bytes",
        np.multiply(run.channel_bytes, 1 / capacity if capacity > 0 else 0.0, dtype=np.float64),
        _show.seconds(run.seconds),
        frames,
        facts,
        numbers,
    )
