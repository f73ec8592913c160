"""The runs: frames alone, halo exchanges alone, and both on the same links."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from sortlast import fabric, schedule, simulate
from sortlast.fabric import Routes
from sortlast.schedule import Machine
from sortlast.simulate import FlowResult, Jobs, Traffic
from sortlast_studies.steps import Json, PartDone

IMAGE = (1920, 1080)
PIXEL_BYTES = 16
LINK = 12.5e9  # byte/s
MACHINE = Machine(beta=1 / LINK)
ALONE = 8  # simulated iterations of the exchange alone
AT_FIRST = 2.5  # initial length of the exchange in frame times; doubled if the frame outlasts it
WINDOW = 6  # concurrent stages of the wide shift: as many as a rank has neighbours
GRIDS = {64: (4, 4, 4), 128: (8, 4, 4)}  # by number of ranks
SIZES = {64: (250_000, 1_000_000, 4_000_000), 128: (1_000_000,)}  # bytes per face, by number of ranks
SWITCH, FAT, TAPERED, TORUS = "one switch", "fat-tree", "tapered tree", "torus"
FABRICS = {
    SWITCH: {64: ("crossbar:64", "minhop"), 128: ("crossbar:128", "minhop")},
    FAT: {64: ("k-ary-n-tree:8,2", "ftree"), 128: ("pgft:16,8;1,16;1,1", "ftree")},
    TAPERED: {64: ("thin-tree:8,4,2", "ftree"), 128: ("pgft:16,8;1,8;1,1", "ftree")},
    TORUS: {64: ("torus:4,4,4", "dor"), 128: ("torus:8,4,4", "dor")},
}
SHIFT, WIDE, SWAP, RADIX = "shift", f"shift, {WINDOW} stages at once", "binary swap", "radix-k"
ALGORITHMS = {
    SHIFT: {64: "shift", 128: "shift"},
    WIDE: {64: "shift", 128: "shift"},
    SWAP: {64: "binary-swap", 128: "binary-swap"},
    RADIX: {64: "radix-k:8,8", 128: "radix-k:16,8"},
}


@cache
def routes(name: str, p: int) -> Routes:
    """A fabric with one rank on each of its ``p`` hosts, with its tables."""
    net, engine = FABRICS[name][p]
    return fabric.route(fabric.make_topology(net), engine)


def frame(name: str, p: int) -> Traffic:
    """A frame of an algorithm; blending costs as on the library's default machine."""
    join = 2 * MACHINE.gamma_read + MACHINE.gamma_write
    made = schedule.make(ALGORITHMS[name][p], p=p, n=IMAGE[0] * IMAGE[1])
    window = WINDOW if name == WIDE else None
    return simulate.frame_traffic(
        made, pixel_bytes=PIXEL_BYTES, blend_bytes_per_second=1 / join, window=window
    )


def run(net: Routes, traffic: Traffic, placement: list[int] | None = None, log: bool = False) -> FlowResult:
    """Simulate flows; all messages that a task may send share its link."""
    return simulate.flow(
        net,
        traffic,
        placement=placement,
        link_bytes_per_second=LINK,
        message_seconds=MACHINE.alpha,
        sends_at_once=0,
        message_log=log,
    )


def rate(jobs: Jobs, found: FlowResult, job: int, until: float) -> float:
    """Bytes per second that arrived for a job until a time, with fractions of messages under way."""
    message, (begin, end) = found.log_messages[:, 0], found.log_seconds.T
    own = (jobs.job[message] == job) & (jobs.traffic.source[message] != jobs.traffic.destination[message])
    begin, end, size = begin[own], end[own], jobs.traffic.size[message[own]]
    passed = np.clip((until - begin) / np.maximum(end - begin, 1e-15), 0, 1)
    return float((passed * size).sum()) / until


@dataclass(frozen=True)
class Cell:
    """A frame concurrent with an exchange, and each of them alone."""

    p: int
    fabric: str
    algorithm: str
    size: int  # bytes per face

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"{self.p}/{self.fabric}/{self.algorithm}/{self.size}".replace(" ", "-").replace(",", "")

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return (self.p / 64) ** 2 * 1e6 / self.size

    def simulate(self, part_done: PartDone) -> Json:
        """Milliseconds of a frame and of an exchange: each alone, and during the other."""
        net = routes(self.fabric, self.p)
        picture = frame(self.algorithm, self.p)
        alone = run(net, picture).seconds
        grid = GRIDS[self.p]
        once = simulate.halo(grid, self.size).bytes
        of_one = run(net, simulate.halo(grid, self.size, ALONE)).seconds / ALONE
        iterations = math.ceil(AT_FIRST * alone / of_one) + 1
        while True:
            part_done(0.5)
            halo = simulate.halo(grid, self.size, iterations)
            jobs = simulate.join([(picture, range(self.p)), (halo, range(self.p))])
            found = run(net, jobs.traffic, list(jobs.placement), log=True)
            both = jobs.results(found)
            if both[1].seconds >= both[0].seconds:
                break
            iterations *= 2
        beside = once / rate(jobs, found, 1, both[0].seconds)
        return {
            "frame": 1e3 * alone,
            "frame beside": 1e3 * both[0].seconds,
            "exchange": 1e3 * of_one,
            "exchange beside": 1e3 * beside,
        }


def cells(quick: bool) -> list[Cell]:
    """All runs; if quick, only fewer ranks and the largest faces."""
    sizes = {64: SIZES[64][-1:]} if quick else SIZES
    return [
        Cell(p, name, algorithm, size)
        for p in sizes
        for name in FABRICS
        for algorithm in ALGORITHMS
        for size in sizes[p]
    ]
