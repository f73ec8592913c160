"""The time of a pattern, which ``sortlast fabric check --bytes`` adds to its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from sortlast.fabric import Contention

_MOST_WALKS = 20_000_000  # max flows to add up, which takes some seconds


def report(found: Contention, size: str, rate: float) -> dict[str, Any]:
    """The time, and the link that carries the maximum number of bytes, as JSON."""
    from sortlast import fabric
    from sortlast.fabric.patterns import bytes_of

    time = fabric.contended_time(found, rate)
    told = {
        "rank_bytes": bytes_of(size),
        "link_bytes_per_second": rate or None,
        "seconds": time.seconds,
        "bound": time.bound,
        "lost": time.lost,
    }
    if found.flows * found.stages > _MOST_WALKS * max(1, found.steps):
        return told
    crossed = fabric.channel_bytes(found.routes, found.pattern, found.placement)
    rates = fabric.channel_rates(found.routes.topology) if rate == 0 else np.full(crossed.size, rate)
    seconds = np.divide(crossed, rates, out=np.zeros(crossed.size), where=crossed > 0)
    fullest = int(seconds.argmax())
    if crossed[fullest] == 0:
        return told
    link = {"max_bytes": int(crossed[fullest]), "max_seconds": float(seconds[fullest])}
    return told | link | _show.ends(found.routes.topology, fullest)


def facts(time: dict[str, Any]) -> list[tuple[str, str]]:
    """The same as lines of a table."""
    lines = [
        (
            "time",
            f"{_show.seconds(time['seconds'])} with {_show.size_of(time['rank_bytes'])} a rank and"
            f" {_show.rate(time['link_bytes_per_second'])}",
        ),
        (
            "lost",
            f"{time['lost']:.1%}; {_show.seconds(time['bound'])} if only the hosts' own links were shared",
        ),
    ]
    if "max_bytes" in time:
        link = f"{time['from']} port {time['from_port']} to {time['to']} port {time['to_port']}"
        busy = f"{_show.size_of(time['max_bytes'])} in {_show.seconds(time['max_seconds'])}"
        lines.append(("busiest link", f"{busy}: {link}"))
    return lines
