"""The seven patterns of Navaridas et al. with tasks on random nodes: what their section 5.3 leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sortlast import fabric, simulate
from sortlast_studies.narrowed_trees.networks import FAT, THIN_2, Network, topology
from sortlast_studies.narrowed_trees.workloads import PATTERNS, traffic
from sortlast_studies.steps import Json, PartDone

SIZE = 1000  # bytes a message
NETWORKS = (FAT, THIN_2)
ORDERS = ("routing", "random")


@dataclass(frozen=True)
class Cell:
    """A pattern of 4096 tasks on all nodes of a network, by adaptive packets."""

    net: Network
    order: str
    pattern: str
    seed: int

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"patterns/{self.net.name}/{self.order}-{self.seed}/{self.pattern}"

    @property
    def work(self) -> float:
        """Seconds that it takes, about."""
        return 1.0 if self.order == "random" else 0.3

    def simulate(self, part_done: PartDone) -> Json:
        """Cycles."""
        whole = topology(self.net.name)
        hosts = fabric.order_hosts(whole, self.order, seed=self.seed)
        run = simulate.packet(
            whole, traffic(self.pattern, SIZE), seed=self.seed, placement=hosts, progress=part_done
        )
        return {"cycles": run.cycles}


def seeds(quick: bool) -> Sequence[int]:
    """Seeds, of the placement and of the simulation."""
    return (1,) if quick else (1, 2, 3)


def cells(quick: bool) -> list[Cell]:
    """All cells of this part."""
    return [
        Cell(net, order, pattern, seed)
        for net in NETWORKS
        for order in ORDERS
        for pattern in PATTERNS
        for seed in seeds(quick)
    ]
