"""Taper: every schedule on trees of equal size, from 1:1 to 8:1, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sortlast_studies.narrowed_trees.networks import Network
from sortlast_studies.steps import Json, PartDone
from sortlast_studies.taper import frames, trees
from sortlast_studies.taper.frames import Way, algorithms, fastest

FEW_MESSAGES = ("radix-k", "binary swap")  # most others have 16.8 million messages on 4096 nodes
_QUICK_UP = (8, 4, 2, 1)


@dataclass(frozen=True)
class Cell:
    """A schedule on a network, simulated one way."""

    way: Way
    net: Network
    schedule: str

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"sweep/{self.way.name}/{self.net.name}/{self.schedule}"

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        many = self.schedule in ("shift", "direct-send", "pipeline")
        if self.net.nodes > 512:
            return 10.0
        return (3.0 if many else 0.5) * (8 if self.net.n > 3 and self.way is frames.FRAME else 1)

    def simulate(self, part_done: PartDone) -> Json:
        """The fastest algorithm of the schedule, and its frames per second."""
        name = self.net.name
        fabric = trees.topology(name) if self.way is frames.ADAPTIVE else trees.routes(name)
        return fastest(self.way, fabric, algorithms(self.schedule, self.net.nodes), part_done)


def networks(quick: bool) -> Sequence[Network]:
    """The thin-trees of 512 nodes."""
    return [net for net in trees.TREES if not quick or net.up in _QUICK_UP]


def slender(quick: bool) -> Sequence[Network]:
    """The slender-trees of 512 nodes."""
    return () if quick else trees.SLENDER


def large(quick: bool) -> Sequence[Network]:
    """The trees of 4096 nodes."""
    return () if quick else trees.LARGE


def ways(quick: bool) -> Sequence[Way]:
    """The ways to simulate frames on 512 nodes."""
    return (frames.FRAME, frames.TABLES) if quick else frames.WAYS


def cells(quick: bool) -> list[Cell]:
    """All cells of the sweep."""
    small = [
        Cell(way, net, schedule)
        for way in ways(quick)
        for net in (*networks(quick), *slender(quick))
        for schedule in frames.SCHEDULES
        if way is not frames.FLOW or net.family != "slender"
    ]
    return small + [Cell(frames.FRAME, net, schedule) for net in large(quick) for schedule in FEW_MESSAGES]
