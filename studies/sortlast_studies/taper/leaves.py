"""Leaves: nodes with several GPUs, the cabling of their adapters, and the number of ports per leaf.

A node is modelled as a switch that connects its GPUs, and its adapters are the links upward from it. The
fabric is then a PGFT(h; m; w; p) of Zahavi with the GPUs as hosts; nothing below the adapters has a price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sortlast import fabric
from sortlast.fabric import Routes, Topology
from sortlast_studies.narrowed_trees.networks import LINK, SWITCH_PORT_SQUARED
from sortlast_studies.steps import Json, PartDone
from sortlast_studies.taper.frames import FRAME, fastest

GPUS = 512
# Cabling of the adapters of a node.
RAILS, TOGETHER, SINGLE = "rails", "one leaf", "one adapter"
CABLING = {
    RAILS: "one adapter per GPU, each to another leaf; a leaf serves one rail",
    TOGETHER: "one adapter per GPU, all to the same leaf",
    SINGLE: "one adapter per node",
}
SCHEDULES = ("direct-send", "binary swap", "radix-k", "two-level, direct-send", "two-level, radix-k")


@dataclass(frozen=True)
class Plant:
    """512 GPUs in nodes of ``gpus``, on leaves of ``down`` ports down and ``up`` ports up."""

    gpus: int
    cabling: str
    down: int
    up: int

    @property
    def name(self) -> str:
        """The name in tables and steps."""
        return f"{self.gpus} GPUs, {self.cabling}, {self.down}:{self.up}"

    @property
    def nodes_on_leaf(self) -> int:
        """Nodes that one leaf serves; at most all."""
        each = self.gpus if self.cabling == TOGETHER else 1
        return min(self.down // each, GPUS // self.gpus)

    @property
    def leaves(self) -> int:
        """Leaves that one adapter can reach: all, or the leaves of its rail."""
        return GPUS // self.gpus // self.nodes_on_leaf

    def shape(self) -> tuple[list[int], list[int], list[int]]:
        """m, w and p of the PGFT; two levels if one leaf serves all nodes.

        The cables of a leaf are divided evenly among the smallest number of spines with at least ``down``
        ports.
        """
        rails = self.gpus if self.cabling == RAILS else 1
        cables = self.gpus if self.cabling == TOGETHER else 1
        m, w, p = [self.gpus, self.nodes_on_leaf], [1, rails], [1, cables]
        if self.leaves > 1:
            spines = max(1, min(self.up, self.up * self.leaves // self.down))
            m, w, p = [*m, self.leaves], [*w, spines], [*p, self.up // spines]
        return m, w, p


@cache
def topology(plant: Plant) -> Topology:
    """The fabric, with every GPU a host."""
    return fabric.pgft(*plant.shape())


@cache
def routes(plant: Plant) -> Routes:
    """The fabric with the tables of ftree."""
    return fabric.route(topology(plant), "ftree")


def cost_per_gpu(plant: Plant) -> float:
    """Dollars per GPU for switches and cables from the adapters upward, by the paper's model."""
    whole = topology(plant)
    switches = [switch for switch in whole.switches if switch.level > 1]
    cables = len(whole.links) - len(whole.hosts)
    price = sum(SWITCH_PORT_SQUARED * switch.ports**2 for switch in switches) + LINK * cables
    return float(price) / GPUS


@dataclass(frozen=True)
class Cell:
    """A schedule on a plant, by flows, ranks in order."""

    plant: Plant
    schedule: str

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"leaves/{self.plant.name.replace(', ', '-').replace(' ', '-')}/{self.schedule}"

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return 1.0 if self.schedule == "direct-send" else 0.3

    def simulate(self, part_done: PartDone) -> Json:
        """The fastest algorithm of the schedule, and its frames per second."""
        gpus = self.plant.gpus
        nodes = [rank // gpus for rank in range(GPUS)] if self.schedule.startswith("two-level") else None
        return fastest(FRAME, routes(self.plant), _tried(self.schedule, gpus), part_done, nodes=nodes)


def plants(quick: bool) -> Sequence[Plant]:
    """The compared plants: leaves of 16, 32 and 64 ports down, tapers 1:1, 2:1 and 4:1."""
    return [
        Plant(gpus, cabling, down, down // narrowing)
        for gpus in ((8,) if quick else (4, 8))
        for down in ((32,) if quick else (16, 32, 64))
        for cabling in CABLING
        for narrowing in ((1, 4) if quick else (1, 2, 4))
        if narrowing == 1 or Plant(gpus, cabling, down, down).leaves > 1
    ]


def cells(quick: bool) -> list[Cell]:
    """All cells of this part."""
    return [Cell(plant, schedule) for plant in plants(quick) for schedule in SCHEDULES]


def _tried(schedule: str, gpus: int) -> list[str]:
    """The algorithms of a schedule; radix-k with a first round within the node."""
    between = {4: ("8,16", "16,8"), 8: ("8,8", "16,4")}[gpus]
    return {
        "direct-send": ["direct-send"],
        "binary swap": ["binary-swap"],
        "radix-k": [f"radix-k:{gpus},{k}" for k in between],
        "two-level, direct-send": ["two-level:direct-send"],
        "two-level, radix-k": [f"two-level:radix-k:{k}" for k in between],
    }[schedule]
