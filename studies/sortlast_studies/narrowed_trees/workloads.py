"""The seven patterns and five sizes of Navaridas et al., section 3.3, and how a cell of them is simulated."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache

import numpy as np

from sortlast import simulate
from sortlast.simulate import Traffic
from sortlast_studies.narrowed_trees.networks import NETWORKS, TASKS, topology
from sortlast_studies.steps import Json, PartDone

PATTERNS = ("2W", "3W", "2M", "3M", "BU", "BT", "WF")
SIZES = (10, 100, 1_000, 10_000, 100_000)
QUICK_SIZES = (10, 100, 1_000)
_PACKET = 64  # bytes


@dataclass(frozen=True)
class Cell:
    """A pattern with messages of ``size`` bytes on a network, by name; a step each."""

    network: str
    pattern: str
    size: int

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"{self.network}/{self.workload}"

    @property
    def workload(self) -> str:
        """Pattern and size."""
        return f"{self.pattern}-{self.size}"


@dataclass(frozen=True)
class Result:
    """What the simulation of a cell gave; ``elapsed`` in seconds, memory in bytes."""

    cycles: int
    packets: int
    packet_hops: int
    mean_delay: float
    elapsed: float
    bytes_used: int


def cells(sizes: tuple[int, ...] = SIZES) -> list[Cell]:
    """All cells of the study: every pattern and size on each of the eight networks."""
    return [Cell(net, pattern, size) for net in NETWORKS for size in sizes for pattern in PATTERNS]


def size_name(size: int) -> str:
    """A size as the paper writes it."""
    return f"{size // 1000} KB" if size >= 1000 else f"{size} B"


@cache
def traffic(pattern: str, size: int) -> Traffic:
    """The messages of a pattern among 4096 tasks."""
    return simulate.pattern(pattern, TASKS, size)


def packets(cell: Cell) -> float:
    """Packets of a cell: to which the work of its simulation is about proportional."""
    sent = traffic(cell.pattern, cell.size)
    return float(np.ceil(sent.size / _PACKET).sum() * sent.repeats)


def simulated(cell: Cell, seed: int, ties: str, part_done: PartDone) -> Json:
    """Simulate a cell with the paper's model (section 3.1), tasks on the central nodes in order."""
    run = simulate.packet(
        topology(cell.network),
        traffic(cell.pattern, cell.size),
        seed=seed,
        ties="fsin" if ties == "fsin" else "uniform",
        first_host=NETWORKS[cell.network].first_host,
        packet_bytes=_PACKET,
        progress=part_done,
    )
    found = Result(run.cycles, run.packets, run.packet_hops, run.mean_delay, run.elapsed, run.bytes_used)
    return asdict(found)
