"""What ``sortlast simulate`` says of a run, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Group

    from sortlast.fabric import Topology
    from sortlast.simulate import PacketRun, Traffic
    from sortlast.simulate.links import LinkClass


@dataclass(frozen=True)
class Job:
    """What was simulated, where, and how."""

    topology: Topology
    traffic: Traffic
    routing: str
    order: str
    first_host: int
    is_frame: bool
    packet: dict[str, Any]  # settings, as keyword arguments of simulate.packet()


def busy(job: Job, run: PacketRun) -> NDArray[np.float64]:
    """Share of the time in which each channel carried something, 0 to 1."""
    phits = int(job.packet["packet_phits"])
    return np.multiply(run.link_loads, phits / max(run.cycles, 1), dtype=np.float64)


def as_json(job: Job, run: PacketRun, classes: Sequence[LinkClass]) -> dict[str, Any]:
    """All that is printed, in bytes, seconds and cycles."""
    traffic = job.traffic
    seconds = run.seconds
    return {
        "fabric": job.topology.name,
        "size": _show.size(job.topology),
        "routing": job.routing,
        "order": job.order,
        "first_host": job.first_host,
        "traffic": traffic.name,
        "tasks": traffic.tasks,
        "messages": traffic.messages,
        "bytes": traffic.bytes,
        "settings": job.packet,
        "cycles": run.cycles,
        "seconds": seconds,
        "frames_per_second": 1 / seconds if job.is_frame and seconds > 0 else None,
        "bytes_per_second": traffic.bytes / traffic.tasks / seconds if seconds > 0 else None,
        "packets": run.packets,
        "packet_hops": run.packet_hops,
        "delay": {
            "mean": run.mean_delay,
            "deviation": run.delay_deviation,
            "min": run.min_delay,
            "median": run.delay_percentile(50),
            "percent_99": run.delay_percentile(99),
            "max": run.max_delay,
        },
        "links": [_link_row(job, run, each) for each in classes],
        "elapsed": run.elapsed,
        "bytes_used": run.bytes_used,
    }


def _link_row(job: Job, run: PacketRun, each: LinkClass) -> dict[str, Any]:
    """One class of links; loads in packets."""
    loads, shares = run.link_loads[each.channels], busy(job, run)[each.channels]
    fullest = int(each.channels[loads.argmax()])
    return {
        "class": each.name,
        "links": len(each.channels),
        "mean": float(loads.mean()),
        "max": int(loads.max()),
        "busy_mean": float(shares.mean()),
        "busy_max": float(shares.max()),
        "fullest": _show.ends(job.topology, fullest),
    }


def facts(job: Job, run: PacketRun, report: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and values of what is not by link."""
    link = job.packet["link_bytes_per_second"]
    delay = report["delay"]
    hops = run.packet_hops / max(run.packets, 1)
    pairs = [
        ("fabric", f"{report['fabric']}: {report['size']}"),
        ("routing", report["routing"]),
        (
            "traffic",
            f"{report['traffic']}: {_show.count(report['tasks'], 'task')},"
            f" {_show.count(report['messages'], 'message')}, {_show.count(report['bytes'], 'byte')}",
        ),
        ("hosts", f"{report['order']} order, from {report['first_host']} on"),
        ("time", f"{_show.count(run.cycles, 'cycle')}, {_time(run.seconds)} at {link / 1e6:,.6g} MB/s"),
    ]
    if report["frames_per_second"] is not None:
        pairs.append(("frames", f"{report['frames_per_second']:,.4g} a second, communication alone"))
    if report["bytes_per_second"] is not None:
        rate = report["bytes_per_second"]
        pairs.append(("sent by a task", f"{rate / 1e6:,.4g} MB/s, {rate / link:.1%} of a link"))
    return [
        *pairs,
        (
            "packets",
            f"{run.packets:,} of up to {_show.count(job.packet['packet_bytes'], 'byte')},"
            f" over {hops:.2f} links in the mean",
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


def links_table(report: dict[str, Any]) -> Group:
    """The load of the links, a line for each class."""
    columns = (
        ("links", "left"),
        ("number", "right"),
        ("packets", "right"),
        ("most", "right"),
        ("busy", "right"),
        ("most", "right"),
        ("the fullest link", "left"),
    )
    rows = [
        (
            row["class"],
            f"{row['links']:,}",
            f"{row['mean']:,.1f}",
            f"{row['max']:,}",
            f"{row['busy_mean']:.1%}",
            f"{row['busy_max']:.1%}",
            "{from} port {from_port} to {to} port {to_port}".format(**row["fullest"]) if row["max"] else "",
        )
        for row in report["links"]
    ]
    return _show.table("", columns, rows)


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:,.4g} {unit}"
    return f"{1e9 * seconds:,.4g} ns"
