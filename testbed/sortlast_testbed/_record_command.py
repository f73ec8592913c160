"""``python -m sortlast_testbed record``: a frame that is late for a known reason, as files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortlast import Error
from sortlast.cli import _parse, _terminal
from sortlast.cli.fabric import _options

if TYPE_CHECKING:
    from sortlast_testbed import Testbed


def record(
    folder: Annotated[Path, typer.Argument(help="Folder for trace.json, before.txt and after.txt.")],
    late: Annotated[
        str | None, typer.Option(metavar="RANK:SECONDS", help="A rank waits before it composites.")
    ] = None,
    slow: Annotated[
        str | None,
        typer.Option(metavar="SWITCH:PORT:MBIT", help="The port of a switch sends at this rate."),
    ] = None,
    traffic: Annotated[
        str | None,
        typer.Option(
            metavar="RANK:RANK:BYTES", help="The first rank's host sends this to the second's, too."
        ),
    ] = None,
    algorithm: Annotated[str, typer.Option(help="See sortlast schedule --list.")] = "direct-send",
    size: Annotated[str, typer.Option(help="Width x height of the image in pixels.")] = "256x256",
    order: Annotated[str, typer.Option(help="Order of the nodes.")] = "routing",
    seed: _options.Seed = 1,
    timeout: Annotated[float | None, typer.Option(min=1, help="Limit in seconds.")] = None,
    name: Annotated[str, typer.Option(help="Name of the testbed.")] = "testbed",
) -> None:
    """Composite a frame with one rank per host, while something is slow, and write its timeline and counters.

    `sortlast simulate --recorded FOLDER/trace.json` then explains why it was late.
    """
    import sortlast_testbed as testbeds
    from sortlast import trace

    testbed = testbeds.Testbed.found(name)
    disturbance = testbeds.Disturbance(
        late=None if late is None else _late(late),
        slow=None if slow is None else _slow(testbed, slow),
        traffic=None if traffic is None else _traffic(traffic),
    )
    hosts = testbed.order(order, seed)
    (found,) = testbeds.record(testbed, hosts, [disturbance], algorithm, _parse.size(size), timeout)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"cannot make the folder {folder}: {error.strerror or error}") from None
    trace.save(found.events, folder / "trace.json")
    for counters, file in ((found.before, "before.txt"), (found.after, "after.txt")):
        testbeds.write_counters(testbed.topology, counters, folder / file)
    _terminal.console().print(f"wrote trace.json, before.txt and after.txt in {folder}", soft_wrap=True)


def _late(text: str) -> tuple[int, float]:
    rank, seconds = _parts(text, r"(\d+):(\d+\.?\d*)", "--late", "RANK:SECONDS, such as 3:1.5")
    return int(rank), float(seconds)


def _slow(testbed: Testbed, text: str) -> tuple[int, float]:
    """The channel that leaves a switch by a port, and its rate."""
    name, port, rate = _parts(text, r"(.+):(\d+):(\d+\.?\d*)", "--slow", "SWITCH:PORT:MBIT")
    topology = testbed.topology
    vertices = [each.vertex for each in topology.switches if each.name == name]
    for channel in range(topology.channels):
        if topology.source(channel) in [(vertex, int(port)) for vertex in vertices]:
            return channel, float(rate)
    raise typer.BadParameter(f"no switch {name} with a port {port}", param_hint="--slow")


def _traffic(text: str) -> tuple[int, int, int]:
    found = _parts(text, r"(\d+):(\d+):(\d+)", "--traffic", "RANK:RANK:BYTES, such as 0:6:24000000")
    sender, receiver, size = map(int, found)
    return sender, receiver, size


def _parts(text: str, pattern: str, option: str, expected: str) -> tuple[str, ...]:
    found = re.fullmatch(pattern, text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is not {expected}", param_hint=option)
    return found.groups()
