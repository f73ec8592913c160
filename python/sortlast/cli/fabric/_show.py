"""Output shared by the commands of ``sortlast fabric``: tables and headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from sortlast.fabric import Routes, Topology


def table(title: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> Group:
    """A title and a table below it; ``columns`` are pairs of a heading and "left" or "right"."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table

    made = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading, side in columns:
        made.add_column(heading, justify="right" if side == "right" else "left", overflow="fold")
    for row in rows:
        made.add_row(*row)
    return Group(title, made) if title else Group(made)


def facts(pairs: Sequence[tuple[str, str]]) -> Table:
    """Names and values in two columns, without a heading."""
    from rich.table import Table

    made = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    made.add_column(no_wrap=True)
    made.add_column(overflow="fold")
    for pair in pairs:
        made.add_row(*pair)
    return made


def count(number: int, noun: str) -> str:
    """A number with a noun, such as "1 link", "2 links" or "2 switches"."""
    plural = "es" if noun.endswith(("s", "ch")) else "s"
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}{plural}"


def size(net: Topology) -> str:
    """The size of a fabric in numbers."""
    aggregating = sum(host.aggregates for host in net.hosts)
    routing = sum(host.router for host in net.hosts)
    parts = [count(len(net.hosts) - aggregating - routing, "host")]
    if aggregating:
        parts.append(count(aggregating, "aggregation node"))
    if routing:
        parts.append(count(routing, "router port"))
    return ", ".join((*parts, count(len(net.switches), "switch"), count(len(net.links), "link")))


def routing(found: Routes) -> str:
    """The engine that was used, and the reason if it is not the requested one."""
    return f"{found.engine}: {found.fallback}" if found.fallback else found.engine


def in_force(found: Routes) -> bool:
    """Whether the tables were read from a file, rather than computed."""
    from sortlast import fabric

    return found.engine not in [each.name for each in fabric.engines()]


def source(found: Routes) -> str:
    """Whether the tables are in force, or assumed because an engine computed them here."""
    return "in force" if in_force(found) else "assumed"


def tables(found: Routes) -> str:
    """The same, with their origin."""
    return f"tables {source(found)}: {found.engine}"


def credit_loop(found: Routes) -> list[str]:
    """Ports of a cycle of channels that wait for each other; empty: none."""
    from sortlast import fabric

    ends = [found.topology.source(channel) for channel in fabric.find_credit_loop(found)]
    return [f"{found.topology.label(vertex)} port {port}" for vertex, port in ends]


def ends(net: Topology, channel: int) -> dict[str, Any]:
    """Both ends of a channel with a cable, by name and port."""
    (a, port), end = net.source(channel), net.target(channel)
    assert end is not None
    return {"from": net.label(a), "from_port": port, "to": net.label(end[0]), "to_port": end[1]}


def seconds(time: float) -> str:
    """A time in a suitable unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if time >= scale:
            return f"{time / scale:,.4g} {unit}"
    return f"{1e9 * time:,.4g} ns"


def size_of(count: float) -> str:
    """Bytes in a suitable unit, by powers of ten."""
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:,.4g} {unit}"
    return f"{count:,.0f} bytes"


def rate(link_bytes_per_second: float | None) -> str:
    """The rate that times are based on; none: of each link."""
    return (
        f"{link_bytes_per_second / 1e6:,.6g} MB/s a link" if link_bytes_per_second else "the fabric's rates"
    )
