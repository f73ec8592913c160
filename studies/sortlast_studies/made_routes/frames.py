"""Frames on the cluster of Cavin and Demengeon under ftree's tables, and under tables made for the schedule.

Links, stages and the image are taken from the study :mod:`sortlast_studies.shift_based`: nothing is
calibrated here. Ranks run without barriers, one stage at a time, and blending takes no time, as in that
study.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from sortlast import fabric, schedule, simulate
from sortlast.fabric import MadeRoutes, Routes
from sortlast_studies.shift_based import cluster
from sortlast_studies.steps import Json, PartDone, in_turn

NODES = (64, 96, 128, 144)
QUICK_NODES = (64, 128)
IMAGE = (4096, 2048)
SHARED_BY = 128  # nodes, for pairs of schedules
SEED = 1
SHIFT, SWAP, SWAP_23 = "shift", "binary swap", "2-3 swap"
_VECTORS = {64: ("8,8", "4,4,4"), 96: ("8,12", "4,4,6"), 128: ("8,16", "4,4,8"), 144: ("12,12", "4,6,6")}
_NAMES = {SHIFT: "shift", SWAP: "binary-swap", SWAP_23: "2-3-swap"}
# Maximum moves of a search, by the number of schedules; None: some seconds.
_MOVES: dict[int, int | None] = {1: None, 2: 200_000}


def schedules(p: int) -> list[str]:
    """The schedules by their names here; 2-3 swap is left out for powers of two, where it is binary swap."""
    swaps = [SWAP] if p & (p - 1) == 0 else [SWAP, SWAP_23]
    return [*swaps, *(f"radix-k:{vector}" for vector in _VECTORS[p]), SHIFT]


def algorithm(name: str) -> str:
    """The name for :func:`sortlast.schedule.make`."""
    return _NAMES.get(name, name)


@cache
def made_for(p: int, names: Sequence[str]) -> MadeRoutes:
    """Tables for schedules on the first p nodes."""
    wanted = [algorithm(name) for name in names]
    moves = _MOVES[len(names)]
    return fabric.route_for(cluster.tree().topology, wanted, range(p), moves=moves, seed=SEED)


def frames_per_second(routes: Routes, p: int, name: str) -> float:
    """Frame rate of a schedule by flows."""
    constants = cluster.by_bandwidths()
    run = simulate.frame(
        routes,
        schedule.make(algorithm(name), p=p, n=IMAGE[0] * IMAGE[1]),
        placement=range(p),
        pixel_bytes=cluster.PIXEL_BYTES,
        link_bytes_per_second=constants.link,
        stage_seconds=constants.stage_seconds,
        window=1,
        message_log=False,
    )
    return run.frames_per_second


@dataclass(frozen=True)
class Cell:
    """All schedules on the first p nodes in order."""

    p: int

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"frames/{self.p}"

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return 10.0

    def simulate(self, part_done: PartDone) -> Json:
        """By schedule: frames per second and maximum flows per link under both tables, and their quality."""
        usual, found = cluster.tree(), {}
        for name, _ in in_turn(schedules(self.p), part_done):
            made = made_for(self.p, (name,))
            flows = fabric.contention(usual, algorithm(name), range(self.p)).max_flows
            found[name] = {
                "usual": frames_per_second(usual, self.p, name),
                "made": frames_per_second(made.routes, self.p, name),
                "usual flows": flows,
                "made flows": int(made.stage_max.max()),
                "free": made.contention_free,
                "nothing lost": made.nothing_lost,
                "gap": made.gap,
            }
        return found


@dataclass(frozen=True)
class Pairs:
    """Tables that two schedules share."""

    p: int

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"pairs/{self.p}"

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return 20.0

    def simulate(self, part_done: PartDone) -> Json:
        """By schedule and partner: frames per second under shared tables, and whether nothing is lost."""
        found = {}
        for pair, _ in in_turn([*combinations(schedules(self.p), 2)], part_done):
            made = made_for(self.p, pair)
            for name, part in zip(pair, parts(made), strict=True):
                found[f"{name} with {pair[1 - pair.index(name)]}"] = {
                    "frames/s": frames_per_second(made.routes, self.p, name),
                    "nothing lost": bool((made.stage_max[part] == made.host_flows[part]).all()),
                }
        return found


def parts(made: MadeRoutes) -> list[slice]:
    """The stages of each schedule for which the tables were made."""
    ends = [sum(made.stages[: k + 1]) for k in range(len(made.stages))]
    return [slice(end - stages, end) for end, stages in zip(ends, made.stages, strict=True)]
