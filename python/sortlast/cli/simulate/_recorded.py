"""``sortlast simulate --recorded``: why frames of a recorded run were late, and the residuals."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sortlast import Error
from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from sortlast.cli.simulate._methods import Found
    from sortlast.fabric import PortCounters, Routes, Spreading, Topology
    from sortlast.simulate import Lateness
    from sortlast.trace import Event

_MOST_ROWS = 8  # max links and messages in the tables


@dataclass(frozen=True)
class Recording:
    """The options: a trace of all ranks, and files of port counters."""

    trace: Path
    counters: Sequence[Path]

    def check(self) -> None:
        """Reject another number of files of counters than none or two."""
        if len(self.counters) not in (0, 2):
            raise typer.BadParameter(
                f"{len(self.counters)} given; give two, read before and after the recording",
                param_hint="--counters",
            )

    def read(self, routes: Routes | Spreading | None, ranks: int) -> Recorded:
        """The files, which must be of a run of that many ranks on these tables."""
        from sortlast import fabric, trace

        if not isinstance(routes, fabric.Routes):
            raise Error(
                "--recorded: messages are judged on their routes; name an engine with --routing or give --lft"
            )
        events = trace.read(self.trace)
        if len(events) != ranks:
            raise Error(
                f"{self.trace} has {_show.count(len(events), 'rank')}, and {ranks} are simulated; give the"
                " same with --ranks or --nodes"
            )
        counters = [fabric.read_port_counters(routes.topology, path) for path in self.counters]
        return Recorded(routes, events, (counters[0], counters[1]) if counters else None)


@dataclass(frozen=True)
class Recorded:
    """A recorded run: its tables, events by rank, and counters before and after it."""

    routes: Routes
    events: list[list[Event]]
    counters: tuple[PortCounters, PortCounters] | None

    def explain(self, found: Found, hosts: Sequence[int], rate: float) -> tuple[Found, Lateness]:
        """The lateness on these hosts, with links of ``rate`` [byte/s], and the run with it added."""
        from sortlast import simulate

        late = simulate.lateness(
            self.routes,
            self.events,
            placement=hosts,
            link_bytes_per_second=rate,
            counters=self.counters,
        )
        return replace(
            found, numbers={**found.numbers, "recorded": _as_json(late, self.routes.topology)}
        ), late


def show(late: Lateness, topology: Topology, predicted: float, console: Console) -> None:
    """Print the frames with their causes, the residuals of links and messages, and the verdict."""
    rows = [
        (
            str(each.frame),
            _show.seconds(each.seconds),
            _change(each.seconds - predicted),
            *map(_change, (each.start, each.work, each.network)),
            each.cause,
        )
        for each in late.frames
    ]
    columns = [(name, "right") for name in ("frame", "recorded", "- simulated", "start", "work", "network")]
    console.print(_show.table("recorded frames", [*columns, ("cause", "left")], rows))
    console.print(_links(late, topology))
    console.print(_messages(late))
    for each in late.frames:
        console.print(f"frame {each.frame}: {each.text}", soft_wrap=True)
    if late.clock_error > 0:
        console.print(
            f"messages arrive up to {_show.seconds(late.clock_error)} before they are sent: clocks differ",
            soft_wrap=True,
        )
    console.print(late.text, soft_wrap=True)


def _links(late: Lateness, topology: Topology) -> Any:
    rows = [
        (
            _name(topology, each.channel),
            f"{each.messages:,}",
            f"{each.bytes:,}",
            "" if each.counted is None else f"{each.counted:,}",
            *map(_show.seconds, (each.recorded, each.predicted)),
            _change(each.unexplained),
        )
        for each in late.links[:_MOST_ROWS]
    ]
    if len(late.links) > _MOST_ROWS:
        rows.append((f"and {len(late.links) - _MOST_ROWS:,} more", *[""] * 6))
    names = ("messages", "bytes", "counted", "recorded", "model", "unexplained")
    columns = [("link", "left"), *((name, "right") for name in names)]
    return _show.table("links, by the mean unexplained time of their messages", columns, rows)


def _messages(late: Lateness) -> Any:
    worst = sorted(late.residuals, key=lambda each: -each.unexplained)[:_MOST_ROWS]
    rows = [
        (
            str(each.frame),
            f"{each.source} to {each.destination}",
            str(each.stage) if each.stage > 0 else "",
            f"{each.bytes:,}",
            *map(_show.seconds, (each.recorded, each.predicted)),
            _change(each.residual),
            _show.seconds(each.busy),
            _change(each.unexplained),
        )
        for each in worst
    ]
    names = ("stage", "bytes", "recorded", "model", "residual", "busy", "unexplained")
    columns = [("frame", "right"), ("ranks", "left"), *((name, "right") for name in names)]
    return _show.table("messages, by unexplained time", columns, rows)


def _name(topology: Topology, channel: int) -> str:
    return "{from} port {from_port} to {to} port {to_port}".format(**_show.ends(topology, channel))


def _change(seconds: float) -> str:
    """A time with its sign; 0 below a nanosecond."""
    if abs(seconds) < 1e-9:
        return "0"
    return f"{'-' if seconds < 0 else '+'}{_show.seconds(abs(seconds))}"


def _as_json(late: Lateness, topology: Topology) -> dict[str, Any]:
    return {
        "verdict": late.text,
        "network_is_cause": late.network_is_cause,
        "clock_error": late.clock_error,
        "frames": [
            {**asdict(each), "links": [_show.ends(topology, channel) for channel in each.links]}
            for each in late.frames
        ],
        "links": [{**asdict(each), **_show.ends(topology, each.channel)} for each in late.links],
        "messages": [
            {**asdict(each), "residual": each.residual, "unexplained": each.unexplained}
            for each in late.residuals
        ],
    }
