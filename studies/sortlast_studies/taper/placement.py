"""Placement: the nodes of a job, and the order of its ranks on them.

Navaridas et al. place all tasks in order. Schedulers often do not, and then locality no longer helps a narrow
tree; their section 5.3 leaves open how much of its advantage remains.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from sortlast import fabric
from sortlast.fabric import Topology
from sortlast_studies.narrowed_trees.networks import Network
from sortlast_studies.steps import Json, PartDone
from sortlast_studies.taper import trees
from sortlast_studies.taper.frames import SCHEDULES, TABLES, algorithms, fastest

BUSY = 0.4  # fraction of the nodes that other jobs hold, if there are any
# Placements of a job: on an empty machine; between other jobs; anywhere; and on all nodes with shuffled
# ranks.
ORDER, FRAGMENTED, LEAF, ANYWHERE, SHUFFLED = (
    "in order",
    "fragmented",
    "by leaf",
    "random nodes",
    "random ranks",
)
PLACEMENTS = {
    ORDER: "the first nodes of an empty machine",
    FRAGMENTED: f"the first free nodes, where other jobs hold {BUSY:.0%} drawn at random",
    LEAF: "of the same free nodes, nodes on as few leaves as possible",
    ANYWHERE: "nodes drawn at random, ranks in routing order",
    SHUFFLED: "the same nodes as in order, ranks drawn at random",
}


@dataclass(frozen=True)
class Cell:
    """A schedule of a job, placed with a seed, by packets on static routes."""

    net: Network
    job: int
    placement: str
    schedule: str
    seed: int

    @property
    def name(self) -> str:
        """The name of its step."""
        where = self.placement.replace(" ", "-")
        return f"placement/{self.net.name}/{self.job}-{where}-{self.seed}/{self.schedule}"

    @property
    def place(self) -> tuple[str, str]:
        """Row and column, shared by cells that differ in the seed."""
        return f"{self.job} ranks, {self.placement}, {trees.label(self.net)}", self.schedule

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return 2.5 * self.job / 512

    def simulate(self, part_done: PartDone) -> Json:
        """Frames per second."""
        hosts = nodes_of(trees.topology(self.net.name), self.job, self.placement, self.seed)
        tried = algorithms(self.schedule, self.job)
        return fastest(TABLES, trees.routes(self.net.name), tried, part_done, hosts=hosts)


def nodes_of(topology: Topology, job: int, placement: str, seed: int) -> list[int]:
    """The host of each of ``job`` ranks. Raises ArgumentError if too few hosts are free."""
    if placement == ANYWHERE:
        return fabric.allocate_hosts(topology, "random", job, seed=seed)
    if placement in (ORDER, SHUFFLED):
        hosts = fabric.allocate_hosts(topology, "contiguous", job)
        return hosts if placement == ORDER else fabric.order_hosts(topology, "random", hosts, seed=seed)
    everywhere = fabric.order_hosts(topology, "routing")
    busy = set(random.Random(seed).sample(everywhere, round(BUSY * len(everywhere))))
    free = [host for host in everywhere if host not in busy]
    scheduler = "leaf" if placement == LEAF else "contiguous"
    return fabric.allocate_hosts(topology, scheduler, job, free)


def cells(quick: bool) -> list[Cell]:
    """All cells of this part, on the fat-tree and thin-trees."""
    jobs = (60,) if quick else (60, 256, 512)  # 60 fill no tree, and leave a leaf half empty
    return [
        Cell(net, job, placement, schedule, seed)
        for job in jobs
        for placement in ((ORDER, SHUFFLED) if job == trees.REFERENCE.nodes else PLACEMENTS)
        for net in trees.TREES
        if net.up in ((8, 4) if quick else (8, 4, 2))
        for schedule in SCHEDULES
        for seed in ((1,) if quick or placement == ORDER else (1, 2, 3))
    ]
