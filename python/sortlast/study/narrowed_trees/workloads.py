"""The seven patterns and five sizes of Navaridas et al., section 3.3, and how a cell of them is simulated."""

from __future__ import annotations

from functools import cache

import numpy as np

from sortlast import simulate
from sortlast.simulate import Traffic
from sortlast.study.narrowed_trees.cells import Cell, Result, Settings
from sortlast.study.narrowed_trees.networks import NETWORKS, TASKS, topology
from sortlast.study.steps import PartDone

PATTERNS = ("2W", "3W", "2M", "3M", "BU", "BT", "WF")
SIZES = (10, 100, 1_000, 10_000, 100_000)
QUICK_SIZES = (10, 100, 1_000)
_PACKET = 64  # bytes


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


def simulate_cell(cell: Cell, settings: Settings, part_done: PartDone) -> Result:
    """Simulate a cell with the paper's model (section 3.1), tasks on the central nodes in order."""
    run = simulate.packet(
        topology(cell.network),
        traffic(cell.pattern, cell.size),
        seed=settings.seed,
        ties="fsin" if settings.ties == "fsin" else "uniform",
        first_host=NETWORKS[cell.network].first_host,
        packet_bytes=_PACKET,
        progress=part_done,
    )
    return Result(run.cycles, run.packets, run.packet_hops, run.mean_delay, run.elapsed, run.bytes_used)
