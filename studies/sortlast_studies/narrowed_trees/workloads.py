"""The seven patterns and five sizes of Navaridas et al., section 3.3, and the simulation of a cell."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from functools import cache
from itertools import groupby
from math import isqrt
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from sortlast import simulate
from sortlast.simulate import Traffic
from sortlast_studies.narrowed_trees.models import Setting
from sortlast_studies.narrowed_trees.networks import NETWORKS, TASKS, topology
from sortlast_studies.steps import Json, PartDone

PATTERNS = ("2W", "3W", "2M", "3M", "BU", "BT", "WF")
SIZES = (10, 100, 1_000, 10_000, 100_000)
QUICK_SIZES = (10, 100, 1_000)
_PACKET = 64  # bytes


@dataclass(frozen=True)
class Cell:
    """A pattern with messages of ``size`` bytes on a network, by name; one step each."""

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
    """Result of the simulation of a cell; ``elapsed`` in seconds, memory in bytes."""

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
    """A size in the paper's notation."""
    return f"{size // 1000} KB" if size >= 1000 else f"{size} B"


@cache
def traffic(pattern: str, size: int) -> Traffic:
    """The messages of a pattern among 4096 tasks."""
    return simulate.pattern(pattern, TASKS, size)


def packets(cell: Cell, setting: Setting) -> float:
    """Number of packets simulated for a cell, to which the work is roughly proportional."""
    sent = traffic(cell.pattern, cell.size)
    return float(np.ceil(sent.size / _PACKET).sum() * (1 if setting.one_wave else sent.repeats))


@cache
def drawn(pattern: str, size: int, seed: int) -> Traffic:
    """The same messages, with concurrent sends of a node in a random order drawn for each node."""
    draw = random.Random(seed)
    lines: list[str] = []
    in_step = traffic(pattern, size).to_fsin().splitlines()
    for (does, _), turn in groupby(in_step, lambda line: line.split()[:2]):
        these = list(turn)
        if does == "s":
            draw.shuffle(these)
        lines += these
    return _read(lines)


@cache
def one_wave(size: int) -> Traffic:
    """One iteration of the waterfall, by the program of the paper's Figure 5."""
    message = int(traffic("WF", size).size[0])
    side = isqrt(TASKS)
    lines: list[str] = []
    for node in range(TASKS):
        left, above = node % side > 0, node >= side
        right, below = node % side < side - 1, node < TASKS - side
        lines += [f"r {node - 1} {node} 0 {message}"] * left + [f"r {node - side} {node} 0 {message}"] * above
        lines += [f"s {node} {node + 1} 0 {message}"] * right + [
            f"s {node} {node + side} 0 {message}"
        ] * below
    return _read(lines)


def _read(lines: list[str]) -> Traffic:
    """Traffic in the lines of a trace of FSIN."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return simulate.read_fsin(path)


def simulated(cell: Cell, setting: Setting, seed: int, ties: str, part_done: PartDone) -> Json:
    """Simulate a cell with the paper's model (section 3.1), tasks on the central nodes in order.

    If waves do not overlap, one is simulated: they differ only in random draws. The result is the cycles of
    one wave, times their number.
    """
    sent, waves = traffic(cell.pattern, cell.size), 1
    if setting.drawn:
        sent = drawn(cell.pattern, cell.size, seed)
    if setting.one_wave:
        sent, waves = one_wave(cell.size), sent.repeats
    run = simulate.packet(
        topology(cell.network),
        sent,
        seed=seed,
        ties="fsin" if ties == "fsin" else "uniform",
        requests=setting.requests,
        switch_cycles=setting.switch_cycles,
        first_host=NETWORKS[cell.network].first_host,
        packet_bytes=_PACKET,
        progress=part_done,
    )
    found = Result(
        waves * run.cycles, run.packets, run.packet_hops, run.mean_delay, run.elapsed, run.bytes_used
    )
    return asdict(found)
