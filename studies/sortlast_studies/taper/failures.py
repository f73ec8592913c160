"""Missing cables: a fraction of the links above the leaves, drawn at random, is missing."""

from __future__ import annotations

import random
from dataclasses import dataclass

from sortlast import fabric
from sortlast.fabric import Routes, Topology
from sortlast_studies.narrowed_trees.networks import Network
from sortlast_studies.steps import Json, PartDone
from sortlast_studies.taper import trees
from sortlast_studies.taper.frames import ADAPTIVE, TABLES, fastest

# OpenSM's default, which falls back from ftree to minhop when a cable is missing; ftree with given roots; and
# packets with adaptive routing.
ROUTINGS = ("minhop", "ftree, told the roots", "adaptive")
SHARES = (0, 1, 2, 5)  # percent
# One algorithm of each kind; radix-k with rounds as large as a leaf.
SCHEDULES = {
    "shift": "shift",
    "radix-k:8,8,8": "radix-k:8,8,8",
    "binary swap": "binary-swap",
}


@dataclass(frozen=True)
class Cell:
    """A schedule on all nodes of a network with missing links, by packets."""

    net: Network
    percent: int
    seed: int
    routing: str
    schedule: str

    @property
    def name(self) -> str:
        """The name of its step."""
        routing = self.routing.partition(",")[0]
        return f"failures/{self.net.name}/{self.percent}-{self.seed}-{routing}/{self.schedule}"

    @property
    def place(self) -> tuple[str, str]:
        """Row and column, shared by cells that differ in the seed."""
        return f"{trees.label(self.net)}, {self.schedule}, {self.routing}", f"{self.percent} %"

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return 1.3 if self.schedule == "shift" else 0.2

    def simulate(self, part_done: PartDone) -> Json:
        """Frames per second."""
        cut = damaged(trees.topology(self.net.name), self.percent, self.seed)
        way = ADAPTIVE if self.routing == "adaptive" else TABLES
        return fastest(way, _routed(cut, self.routing), [SCHEDULES[self.schedule]], part_done)


def damaged(whole: Topology, percent: int, seed: int) -> Topology:
    """A tree without some percent of its links between switches; without at least one if percent > 0."""
    hosts = len(whole.hosts)
    upper = [link.channel for link in whole.links if link.a >= hosts and link.b >= hosts]
    count = max(1, round(len(upper) * percent / 100)) if percent else 0
    return whole.without_links(random.Random(seed).sample(upper, count)) if count else whole


def cells(quick: bool) -> list[Cell]:
    """All cells of this part, on the fat-tree and a thin-tree; if quick, only on the thin-tree."""
    return [
        Cell(net, percent, seed, routing, schedule)
        for net in trees.TREES
        if net.up in ((4,) if quick else (8, 4))
        for schedule in SCHEDULES
        for routing in ROUTINGS
        for percent in ((0, 2) if quick else SHARES)
        for seed in ((1,) if quick or percent == 0 else (1, 2, 3))
    ]


def _routed(cut: Topology, routing: str) -> Topology | Routes:
    if routing == "adaptive":
        return cut
    if routing == "minhop":
        return fabric.route(cut, "minhop")
    roots = [switch.number for switch in cut.switches if switch.level == cut.levels]
    return fabric.route(cut, "ftree", roots=roots)
