"""``sortlast fabric order --choose``: which nodes of a list a job should get, or should have got."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sortlast import Error
from sortlast.cli import _progress
from sortlast.cli.fabric import _inputs, _show

if TYPE_CHECKING:
    from sortlast.fabric import Choice, Placement, Routes, Topology


@dataclass(frozen=True)
class Chosen:
    """The best choice that was found, and the times on the nodes that a scheduler chose."""

    best: Choice
    possible: int  # nodes to choose from
    allocated: tuple[float, float] | None  # seconds on those, as listed and in a better order

    def sentence(self, seconds: float) -> str:
        """The verdict; ``seconds``: the time in the order that was found."""
        least = min(seconds, self.best.seconds)
        tried = "all subsets were" if self.best.complete else f"{self.best.tried:,} of the subsets were"
        if least <= self.best.bound * (1 + 1e-9):
            text = "Nodes chosen: no others take less time."
        else:
            text = f"Nodes chosen: {tried} tried."
        if self.allocated is None:
            return text
        listed, ordered = self.allocated
        return (
            f"{text} The allocation takes {listed / least:.3f} times as long, and {ordered / least:.3f} times"
            f" in a better order: {_show.seconds(listed)} and {_show.seconds(ordered)} against"
            f" {_show.seconds(least)}."
        )

    def as_json(self, topology: Topology) -> dict[str, Any]:
        """All results."""
        from sortlast import fabric

        listed, ordered = self.allocated or (None, None)
        return {
            "possible": self.possible,
            "nodes": fabric.names(topology, self.best.placement),
            "seconds": self.best.seconds,
            "bound": self.best.bound,
            "tried": self.best.tried,
            "complete": self.best.complete,
            "allocated_seconds": listed,
            "allocated_seconds_in_better_order": ordered,
        }


def choose(
    routes: Routes,
    possible: Placement,
    wanted: str,
    asked: _inputs.Communication,
    rails: _inputs.Rails,
    seconds: float,
) -> Chosen:
    """Choose nodes; ``wanted``: a number, "largest", or the list of nodes that a scheduler chose."""
    from sortlast import fabric

    rate = _inputs.link_rate(routes.topology, None)
    allocated: Placement | None = None
    count: int | None = None
    if wanted.isdigit():
        count = int(wanted)
    elif wanted != "largest":
        allocated = _inputs.placement(routes.topology, wanted, rails=rails)
        count = len(allocated.groups())
        possible = _joined(possible, allocated)
    total = len(possible.groups())
    if count is not None and not 1 <= count <= total:
        raise Error(f"--choose {wanted}: there are {total} nodes; expected 1 to {total}")
    with _progress.bar("nodes", transient=True) as bar, _progress.stoppable(bar) as progress:
        best = fabric.choose_nodes(
            routes,
            possible,
            count,
            asked.pattern,
            link_bytes_per_second=rate,
            seconds=seconds,
            progress=progress,
        )
        if allocated is None:
            return Chosen(best, total, None)
        # Every one of the allocated nodes: only their order is searched.
        ordered = fabric.choose_nodes(
            routes, allocated, count, asked.pattern, link_bytes_per_second=rate, seconds=seconds
        )
    listed = fabric.contention(routes, asked.pattern(len(allocated)), allocated)
    as_listed = fabric.contended_time(listed, rate).seconds
    if ordered.seconds < best.seconds:
        best = ordered
    return Chosen(best, total, (as_listed, min(as_listed, ordered.seconds)))


def _joined(possible: Placement, allocated: Placement) -> Placement:
    """The nodes of both, each once."""
    from sortlast import fabric

    known = {*possible}
    number = {host: node for node, host in zip(possible.nodes, possible, strict=True)}
    more = [(h, n) for h, n in zip(allocated, allocated.nodes, strict=True) if h not in known]
    first = max(number.values(), default=-1) + 1
    return fabric.Placement(
        [*possible, *(host for host, _ in more)], [*possible.nodes, *(first + node for _, node in more)]
    )
