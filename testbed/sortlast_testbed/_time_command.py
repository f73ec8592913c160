"""``python -m sortlast_testbed time``: times of a pattern in several orders of the hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _inputs, _options, _show

if TYPE_CHECKING:
    from rich.console import Group

    from sortlast_testbed import Testbed, TimedPattern


def time(
    schedule: _options.Schedule = "ring",
    rank_bytes: Annotated[
        str, typer.Option("--bytes", help="Bytes that each rank holds, such as 4096, 1.5M or 8Mi.")
    ] = "4M",
    orders: Annotated[
        str, typer.Option(help="Orders of the nodes, separated by commas; see --order of fabric check.")
    ] = "routing,random",
    nodes: _options.Nodes = "all",
    seed: _options.Seed = 1,
    repeat: Annotated[int, typer.Option(min=1, help="Timed runs of each order; the median counts.")] = 3,
    json: _options.Json = None,
    name: Annotated[
        str, typer.Option(help="Name of the testbed on this machine: letters a-z and digits.")
    ] = "testbed",
) -> None:
    """Time a collective with real packets in several orders of the nodes, and compare with predictions.

    Losses are relative to the first order. One rank runs on each node, and continues with its next stage when
    its own messages have completed.
    """
    import sortlast_testbed as testbeds
    from sortlast import fabric

    _terminal.check_places(json)
    testbed = testbeds.Testbed.found(name)
    wanted = orders.split(",")
    asked = _inputs.Communication(schedule, size=rank_bytes)
    timed: dict[str, TimedPattern] = {}
    _terminal.hand_on()
    with _progress.bar("orders", transient=True) as progress:
        for number, order in enumerate(wanted):
            progress(number / len(wanted))
            placed = _inputs.placement(testbed.topology, nodes, order, seed)
            pattern, hosts = _inputs.job(asked, fabric.Placement(host for host in placed if host >= 0))
            timed[order] = testbeds.time_pattern(testbed, hosts, pattern, repeat)
    if json is not None:
        _terminal.write_json({order: _report(testbed, found) for order, found in timed.items()}, json)
    console = _terminal.console(json)
    console.print(_table(f"{pattern.name}: {len(hosts)} ranks with {rank_bytes} bytes each", timed))
    _terminal.name_written(console, json)


def _table(title: str, timed: dict[str, TimedPattern]) -> Group:
    first = next(iter(timed.values()))
    rows = [
        (
            order,
            str(found.max_flows),
            f"{found.predicted.free_running:.3f}",
            f"{found.median:.3f}",
            f"{min(found.seconds):.3f} to {max(found.seconds):.3f}",
            _loss(found.predicted.free_running, first.predicted.free_running),
            _loss(found.median, first.median),
            str(found.dropped),
        )
        for order, found in timed.items()
    ]
    figures = ("flows", "s predicted", "s measured", "runs", "predicted loss", "loss", "lost packets")
    return _show.table(title, [("order", "left"), *((name, "right") for name in figures)], rows)


def _loss(seconds: float, first: float) -> str:
    """Extra time relative to the first order, in per cent."""
    return f"{100 * (seconds / first - 1):.0f} %" if first > 0 else "-"


def _report(testbed: Testbed, found: TimedPattern) -> dict[str, Any]:
    return {
        "hosts": [testbed.hosts[host] for host in found.hosts],
        "max_flows": found.max_flows,
        "predicted_seconds": found.predicted.free_running,
        "seconds": found.seconds,
        "dropped": found.dropped,
    }
