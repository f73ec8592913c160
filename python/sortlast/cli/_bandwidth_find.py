"""``sortlast bandwidth --find-bad``: slow links, found on the ranks of mpiexec or on ranks started here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortlast import ArgumentError, Error, launch
from sortlast.cli import _progress
from sortlast.cli.fabric import _inputs, _show
from sortlast.launch import failure

if TYPE_CHECKING:
    from mpi4py import MPI
    from rich.console import Console

    from sortlast.fabric import CableFindings, Routes, Suspect, Topology

MESSAGE_BYTES = 2**22  # long enough for its bytes to take most of its time


@dataclass(frozen=True)
class Settings:
    """What to measure, with the options that name fabric, tables and nodes; ``lft`` is a path."""

    net: str
    engine: str
    lft: str | None
    nodes: str | None
    rail: str | None
    message_bytes: int
    repeat: int

    def routes(self) -> Routes:
        """The fabric and its tables."""
        lft = None if self.lft is None else Path(self.lft)
        return _inputs.routes(_inputs.topology(self.net), self.engine, lft)

    def hosts(self, routes: Routes, names: Sequence[str]) -> list[int]:
        """The host of each rank, given the names of the ranks' machines."""
        listed = ",".join(names) if self.nodes is None else self.nodes
        try:
            hosts = _inputs.placement(routes.topology, listed, rails=_inputs.Rails(self.rail))
        except ArgumentError as error:
            if self.nodes is not None:
                raise
            raise Error(f"{error}; name the nodes of the ranks with --nodes") from None
        if len(hosts) < len(names):
            raise Error(f"--nodes {self.nodes}: {len(hosts)} nodes for {len(names)} ranks; name more")
        return hosts[: len(names)]


@dataclass(frozen=True)
class Found:
    """The findings, and the provenance of their measurement."""

    findings: CableFindings
    provenance: dict[str, Any]


def measure(comm: MPI.Intracomm, asked: Any) -> Any:
    """Search on all ranks; the findings as JSON. Communicates."""
    found = search(comm, Settings(**asked))
    return asdict(found.findings) | {"provenance": found.provenance}


def search(comm: MPI.Intracomm, settings: Settings) -> Found:
    """Search on all ranks, with a progress bar on rank 0's standard error. Communicates."""
    from mpi4py import MPI

    from sortlast import bandwidth, bench

    names = comm.allgather(MPI.Get_processor_name())
    routes = failure.together(comm, settings.routes)
    hosts = failure.together(comm, lambda: settings.hosts(routes, names))
    with _progress.bar(f"stages of {comm.size} ranks", enabled=comm.rank == 0) as bar:
        findings = bandwidth.find_bad(
            comm,
            routes,
            hosts,
            settings.message_bytes,
            settings.repeat,
            progress=lambda number, done, total: bar.tell(f"round {number}: {done}/{total}", done, total),
        )
    return Found(findings, asdict(bench.origin(comm)))


def started(ranks: int, settings: Settings) -> Found:
    """Search on ranks started here. Raises RanksError if they fail."""
    from sortlast.fabric.cable_search import findings

    told = launch.ranks("sortlast.cli._bandwidth_find", asdict(settings), ranks)
    return Found(findings(told), told["provenance"])


def write(console: Console, settings: Settings, ranks: int, found: CableFindings) -> None:
    """Print the measurement, the slow links, the open questions, and the next measurement to make."""
    routes = settings.routes()
    net = routes.topology
    counts = ", ".join((_show.count(found.rounds, "round"), _show.count(found.stages, "stage")))
    console.print(
        f"{ranks} hosts of {net.name}, {_show.tables(routes)}: {found.links:,} directions of links in"
        f" {counts}, {_show.count(found.messages, 'message')} of {settings.message_bytes:,} bytes;"
        f" noise {100 * found.noise:.1f} %",
        soft_wrap=True,
    )
    if found.found:
        console.print(_table(net, "slow links", found.found))
    else:
        console.print("no slow link found")
    if found.open:
        console.print(_table(net, "undecided", found.open))
    for line in _remarks(net, found):
        console.print(line, soft_wrap=True)


def _table(net: Topology, title: str, suspects: Sequence[Suspect]) -> Any:
    columns = (
        ("link, in the direction of its messages", "left"),
        ("of", "left"),
        ("rate", "right"),
        ("slow messages", "left"),
        ("confidence", "right"),
        ("messages", "right"),
    )
    rows = []
    for each in suspects:
        links = "\nor ".join(_link(net, channel) for channel in each.channels)
        figures = (f"{100 * each.rate:.0f} %", "all" if each.steady else "some or all")
        confidence = f"{100 * min(each.confidence, 0.9999):.2f} %"
        rows.append((links, _kind(net, each.channels), *figures, confidence, str(each.messages)))
    return _show.table(title, columns, rows)


def _remarks(net: Topology, found: CableFindings) -> list[str]:
    """What could not be distinguished or measured, and the next measurement."""
    from sortlast.fabric.cable_search import MAX_NOISE

    lines = []
    if found.noise > MAX_NOISE:
        lines.append(
            f"Bandwidths vary by {100 * found.noise:.0f} %, too much to call a link slow: leave the nodes"
            " idle, start one rank per node, or send longer messages (--bytes)."
        )
    for each in found.found + found.open:
        if len(each.channels) > 1:
            links = " and ".join(_link(net, channel) for channel in each.channels)
            lines.append(f"No pair of these hosts distinguishes {links}; {_remedy(net, each)}.")
    if found.next_pairs:
        pairs = ", ".join(
            f"{net.label(sender)} to {net.label(receiver)}" for sender, receiver in found.next_pairs
        )
        lines.append(f"Measure next: {pairs}.")
    if found.unused:
        lines.append(f"No pair of these hosts uses {_show.count(found.unused, 'other direction')} of links.")
    if found.hidden:
        lines.append(
            f"{_show.count(found.hidden, 'direction')} of links carried messages over slow links only;"
            " measure again after the repair."
        )
    return lines


def _remedy(net: Topology, suspect: Suspect) -> str:
    if suspect.next_pair is None:
        return "nor do other hosts of the fabric"
    sender, receiver = suspect.next_pair
    return f"messages from {net.label(sender)} to {net.label(receiver)} would"


def _link(net: Topology, channel: int) -> str:
    from sortlast._fabric import describe_channels

    return describe_channels(net, [channel]).strip()


def _kind(net: Topology, channels: Sequence[int]) -> str:
    kinds = {"fabric" if min(_ends(net, channel)) >= len(net.hosts) else "host" for channel in channels}
    return " or ".join(sorted(kinds, reverse=True))


def _ends(net: Topology, channel: int) -> tuple[int, int]:
    target = net.target(channel)
    begin = net.source(channel)[0]
    return begin, begin if target is None else target[0]


if __name__ == "__main__":
    launch.serve(measure, alike=True)
