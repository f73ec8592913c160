"""The report of ``sortlast simulate`` on a run, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from rich.console import Group

    from sortlast.cli.simulate._methods import Found
    from sortlast.cli.simulate._network import Place
    from sortlast.fabric import Topology
    from sortlast.simulate.links import LinkClass


@dataclass(frozen=True)
class Setup:
    """Network and settings of the simulation."""

    topology: Topology
    method: str
    routing: str
    place: Place
    settings: dict[str, Any]


def as_json(setup: Setup, found: Found, classes: Sequence[LinkClass]) -> dict[str, Any]:
    """All that is printed, in bytes, seconds and cycles."""
    traffic, seconds = found.traffic, found.run.seconds
    return {
        "fabric": setup.topology.name,
        "size": _show.size(setup.topology),
        "method": setup.method,
        "routing": setup.routing,
        "order": setup.place.order_name,
        "traffic": traffic.name,
        "tasks": traffic.tasks,
        "messages": traffic.messages,
        "bytes": traffic.bytes,
        "settings": setup.settings,
        "seconds": seconds,
        "frames_per_second": found.frames_per_second,
        "bytes_per_second": traffic.bytes / traffic.tasks / seconds if seconds > 0 else None,
        **found.numbers,
        "links": [_link_row(setup, found, each) for each in classes],
        "elapsed": found.run.elapsed,
        "bytes_used": found.run.bytes_used,
    }


def _link_row(setup: Setup, found: Found, each: LinkClass) -> dict[str, Any]:
    """One class of links; loads in packets, or for flows in bytes."""
    loads, shares = found.loads[each.channels], found.busy[each.channels]
    return {
        "class": each.name,
        "links": len(each.channels),
        "mean": float(loads.mean()),
        "max": int(loads.max()),
        "busy_mean": float(shares.mean()),
        "busy_max": float(shares.max()),
        "fullest": _show.ends(setup.topology, int(each.channels[loads.argmax()])),
    }


def facts(setup: Setup, found: Found, report: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and values of results that are not per link."""
    pairs = [
        ("fabric", f"{report['fabric']}: {report['size']}"),
        ("routing", report["routing"]),
        (
            "traffic",
            f"{report['traffic']}: {_show.count(report['tasks'], 'task')},"
            f" {_show.count(report['messages'], 'message')}, {_show.count(report['bytes'], 'byte')}",
        ),
        ("hosts", f"{report['order']} order"),
        (
            "time",
            f"{found.time} at {setup.settings['link_bytes_per_second'] / 1e6:,.6g} MB/s{_others(setup)}",
        ),
    ]
    if report["frames_per_second"] is not None:
        pairs.append(("frames", f"{report['frames_per_second']:,.4g} a second"))
    if report["bytes_per_second"] is not None:
        rate = report["bytes_per_second"]
        pairs.append(
            (
                "sent by a task",
                f"{rate / 1e6:,.4g} MB/s, {rate / setup.settings['link_bytes_per_second']:.1%} of a link",
            )
        )
    return pairs + found.facts


def _others(setup: Setup) -> str:
    """A remark on links with a different speed in the fabric's file than in the simulation."""
    from sortlast.simulate.links import link_rates

    rates = link_rates(setup.topology)
    others = sum(count for rate, count in rates.items() if rate != setup.settings["link_bytes_per_second"])
    return f"; {others:,} of {sum(rates.values()):,} links have another speed" if others else ""


def links_table(report: dict[str, Any], unit: str) -> Group:
    """The load of the links, one line per class."""
    columns = (
        ("links", "left"),
        ("number", "right"),
        (unit, "right"),
        ("most", "right"),
        ("busy", "right"),
        ("most", "right"),
        ("the fullest link", "left"),
    )
    rows = [
        (
            row["class"],
            f"{row['links']:,}",
            f"{row['mean']:,.0f}" if unit == "bytes" else f"{row['mean']:,.1f}",
            f"{row['max']:,}",
            f"{row['busy_mean']:.1%}",
            f"{row['busy_max']:.1%}",
            "{from} port {from_port} to {to} port {to_port}".format(**row["fullest"]) if row["max"] else "",
        )
        for row in report["links"]
    ]
    return _show.table("", columns, rows)
