"""The jobs: four fabrics with three placements each, and the times of all candidates."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sortlast import fabric, schedule, simulate
from sortlast.fabric import Routes
from sortlast.schedule import Machine
from sortlast.simulate import FrameTime, JobFabric
from sortlast_studies.steps import Json, PartDone

RANKS = (64, 128)
IMAGE = (1920, 1080)
PIXEL_BYTES = 16
LINK = 12.5e9  # byte/s
MACHINE = Machine(beta=1 / LINK)
BUSY = 0.4  # fraction of the nodes that other jobs hold
SEED = 1
TARGET = 8  # the k of Kendall et al.
FAT, TAPERED, TORUS_3, TORUS_2 = "fat-tree", "tapered tree", "3-D torus", "2-D torus"
ORDER, FRAGMENTED, ANYWHERE = "in order", "fragmented", "random nodes"
FABRICS = {
    FAT: ("k-ary-n-tree:24,2", "ftree", "24-ary 2-tree, 576 hosts"),
    TAPERED: ("pgft:16,8,4;1,4,2;1,1,2", "ftree", "512 hosts, leaves of 16 ports down and 4 up"),
    TORUS_3: ("torus:8,8,8", "dor", "8x8x8 nodes"),
    TORUS_2: ("torus:24,24", "dor", "24x24 nodes"),
}
PLACEMENTS = {
    ORDER: "the first nodes of an empty machine",
    FRAGMENTED: f"the first free nodes, where other jobs hold {BUSY:.0%} drawn at random",
    ANYWHERE: "nodes drawn at random, ranks in the order of the nodes",
}


@cache
def routes(name: str) -> Routes:
    """A fabric with its tables."""
    net, engine, _ = FABRICS[name]
    return fabric.route(fabric.make_topology(net), engine)


def nodes(name: str, p: int, placement: str) -> list[int]:
    """The host of each rank."""
    topology = routes(name).topology
    if placement == ORDER:
        return fabric.allocate_hosts(topology, "contiguous", p)
    if placement == ANYWHERE:
        return fabric.allocate_hosts(topology, "random", p, seed=SEED)
    everywhere = fabric.order_hosts(topology, "routing")
    busy = {*random.Random(SEED).sample(everywhere, round(BUSY * len(everywhere)))}
    return fabric.allocate_hosts(topology, "contiguous", p, [h for h in everywhere if h not in busy])


def target_vector(p: int) -> str:
    """Radix-k with rounds of 8, and one round for the remainder; ``p`` is a power of two."""
    factors = []
    while p > 1:
        factors.append(min(p, TARGET))
        p //= factors[-1]
    return f"radix-k:{','.join(map(str, factors))}"


@dataclass(frozen=True)
class Cell:
    """All candidates of a job."""

    p: int
    fabric: str
    placement: str

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"{self.p}/{self.fabric}/{self.placement}".replace(" ", "-")

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return (self.p / 64) ** 2

    def simulate(self, part_done: PartDone) -> Json:
        """Milliseconds of k = 8, of the best and the worst k vector, and of the library's choices."""
        job = JobFabric(
            routes(self.fabric),
            nodes(self.fabric, self.p, self.placement),
            IMAGE[0] * IMAGE[1],
            pixel_bytes=PIXEL_BYTES,
            machine=MACHINE,
        )
        every = simulate.choose(job, all_candidates=True, progress=part_done)
        plain = schedule.choose(self.p, job.pixels, MACHINE, pixel_bytes=PIXEL_BYTES)[0].name
        vectors = [each for each in every if each.name.startswith("radix-k:")]
        return {
            "k = 8": _told(vectors, target_vector(self.p)),
            "best vector": _told(vectors),
            "worst vector": _told(vectors[-1:]),
            "auto": _told(every, plain),
            "auto, fabric known": _told(every),
        }


def cells(quick: bool) -> list[Cell]:
    """All jobs; if quick, only fewer ranks."""
    ranks = RANKS[:1] if quick else RANKS
    return [Cell(p, name, where) for p in ranks for name in FABRICS for where in PLACEMENTS]


def _told(found: Sequence[FrameTime], name: str = "") -> Json:
    """Name and milliseconds of the first result, or of the first with a name."""
    best = next(each for each in found if not name or each.name == name)
    return {"name": best.name, "ms": 1e3 * float(best.seconds or 0)}
