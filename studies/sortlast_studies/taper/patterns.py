"""The seven patterns of Navaridas et al. with tasks on random nodes, left open by their section 5.3."""

from __future__ import annotations

from dataclasses import dataclass

from sortlast import fabric, simulate
from sortlast_studies.narrowed_trees.networks import FAT, THIN_2, Network, topology
from sortlast_studies.narrowed_trees.workloads import PATTERNS, traffic
from sortlast_studies.steps import Json, PartDone
from sortlast_studies.taper.trees import label

SIZE = 1000  # bytes per message
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
    def place(self) -> tuple[str, str]:
        """Row and column, shared by cells that differ in the seed."""
        return self.pattern, f"{label(self.net)}, {self.order}"

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return 1.0 if self.order == "random" else 0.3

    def simulate(self, part_done: PartDone) -> Json:
        """Duration in cycles."""
        whole = topology(self.net.name)
        hosts = fabric.order_hosts(whole, self.order, seed=self.seed)
        run = simulate.packet(
            whole, traffic(self.pattern, SIZE), seed=self.seed, placement=hosts, progress=part_done
        )
        return {"cycles": run.cycles}


def cells(quick: bool) -> list[Cell]:
    """All cells of this part; placement and simulation use the same seed."""
    return [
        Cell(net, order, pattern, seed)
        for order in ORDERS
        for pattern in PATTERNS
        for net in NETWORKS
        for seed in ((1,) if quick else (1, 2, 3))
    ]
