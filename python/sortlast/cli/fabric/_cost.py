"""The time of a pattern, which ``sortlast fabric check --bytes`` adds to its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from sortlast.fabric import Contention

_MOST_WALKS = 20_000_000  # max flows to add up, which takes some seconds


def report(found: Contention, size: str, rate: float) -> dict[str, Any]:
    """The time, and the link that carries the maximum number of bytes, as JSON."""
    from sortlast import fabric
    from sortlast.fabric.patterns import bytes_of

    cost = fabric.cost(found, rate)
    told = {
        "rank_bytes": bytes_of(size),
        "link_bytes_per_second": rate or None,
        "seconds": cost.seconds,
        "bound": cost.bound,
        "lost": cost.lost,
    }
    if found.flows * found.stages > _MOST_WALKS * max(1, found.steps):
        return told
    crossed = fabric.channel_bytes(found.routes, found.pattern, found.placement)
    most = int(crossed.argmax())
    if crossed[most] == 0:
        return told
    return told | {"most_bytes": int(crossed[most]), **_show.ends(found.routes.topology, most)}


def facts(cost: dict[str, Any], rate: float) -> list[tuple[str, str]]:
    """The same as lines of a table."""
    lines = [
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
        lines.append(("most bytes on a link", f"{_show.size_of(cost['most_bytes'])}: {link}"))
    return lines
