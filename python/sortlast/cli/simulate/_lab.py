"""The time of a simulated job in the model of ``sortlast fabric check``, for comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sortlast.cli.fabric import _show
from sortlast.cli.simulate import _traffic

if TYPE_CHECKING:
    from sortlast.cli.simulate._methods import Found
    from sortlast.fabric import Routes, Spreading

_MOST_FLOWS = 20_000_000  # max flows to analyse, which takes some seconds


def told(
    found: Found,
    wanted: _traffic.Wanted,
    routes: Routes | Spreading | None,
    hosts: Sequence[int],
    settings: dict[str, Any],
) -> Found:
    """Add the time of the analysis and the difference of the models, if the job has fixed routes."""
    from sortlast import fabric

    pattern = _traffic.lab_pattern(wanted, len(hosts))
    if pattern is None or not isinstance(routes, fabric.Routes):
        return found
    first = len(pattern.flows(0)) if pattern.stages else 0
    if first * pattern.stages > _MOST_FLOWS:
        return found
    judged = fabric.contention(routes, pattern, fabric.Placement(hosts))
    seconds = fabric.contended_time(judged, settings["link_bytes_per_second"]).seconds
    sends = settings.get("sends_at_once", 1)
    here = "its messages at once" if sends == 0 else f"{_show.count(sends, 'message')} at a time"
    line = (
        f"{_show.seconds(seconds)}: there, a stage ends for all ranks with its slowest message, and a rank"
        f" sends all messages of a stage at once; here, a rank goes on when its own have arrived, and sends"
        f" {here}"
    )
    numbers = {**found.numbers, "fabric_check_seconds": seconds}
    return replace(found, facts=[("in fabric check", line), *found.facts], numbers=numbers)
