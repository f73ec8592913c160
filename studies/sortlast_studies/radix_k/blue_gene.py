"""Intrepid, the paper's Blue Gene/P, as a model: its partitions, and frames simulated on them.

Published figures: a torus link carries 425 MB/s in each direction, twelve of them 5.1 GB/s a node; a message
takes up to 5 us from one end of the machine to the other (Argonne's description of Intrepid). A node is its
own router and drives its six links at once. Routes go along x, then y, then z. Up to 256 nodes a partition is
a mesh, from 512 on a torus (section 4.3). The shapes of larger partitions are those of a machine of
40 x 32 x 32 nodes; the paper does not name them.

Calibrated on one figure: the rate of blending, such that radix-k is 1.45 times as fast as binary swap in
the mean of Figure 4. It is also what overlap does not hide, as all messages of a round end together here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

from sortlast import fabric, simulate
from sortlast.fabric import Routes
from sortlast.schedule import Schedule
from sortlast_studies.steps import PartDone
from sortlast_studies.table import published

_GIVEN = published("sortlast_studies.radix_k").line("Machines", "Blue Gene/P")
LINK = 1e6 * _GIVEN["link"]  # of a torus link in each direction [byte/s]
LATENCY = _GIVEN["message"] / 1e6  # of a message [s]
BLEND = 1.3e9  # bytes of a fragment that a node blends onto another [byte/s]; calibrated
CORES = 4  # of a node; the paper uses one
BLOCK = 2  # of the mapping that section 4.3 recommends: 2 x 2 x 2 nodes
PRECISION = 1e-3  # of simulated time, see sortlast.simulate.flow()


@dataclass(frozen=True)
class Partition:
    """Nodes that are handed out together: a mesh, or a torus if it wraps."""

    shape: tuple[int, int, int]
    wraps: bool

    @property
    def nodes(self) -> int:
        """How many there are."""
        return math.prod(self.shape)

    @property
    def name(self) -> str:
        """For people: ``8x8x4 mesh``."""
        return "x".join(map(str, self.shape)) + (" torus" if self.wraps else " mesh")


MESH_256 = Partition((8, 8, 4), wraps=False)
TORUS_512 = Partition((8, 8, 8), wraps=True)
PARTITIONS = (
    Partition((4, 4, 2), wraps=False),
    Partition((4, 4, 4), wraps=False),
    Partition((4, 4, 8), wraps=False),
    MESH_256,
    TORUS_512,
    Partition((8, 8, 16), wraps=True),
    Partition((8, 8, 32), wraps=True),
    Partition((8, 16, 32), wraps=True),
    Partition((8, 32, 32), wraps=True),
    Partition((16, 32, 32), wraps=True),
    Partition((24, 32, 32), wraps=True),
    Partition((32, 32, 32), wraps=True),
    Partition((40, 32, 32), wraps=True),
)

_routing = Lock()


def partition(p: int) -> Partition:
    """The smallest partition of p nodes or more, p up to 40,960."""
    return next(each for each in PARTITIONS if each.nodes >= p)


def routes(where: Partition) -> Routes:
    """The routes of a partition; those of few are kept, and threads wait for each other's."""
    with _routing:
        return _routes(where)


@lru_cache(maxsize=4)
def _routes(where: Partition) -> Routes:
    build = fabric.torus if where.wraps else fabric.mesh
    return fabric.route(build(list(where.shape)), "dor")


def placement(where: Partition, p: int, block: int) -> list[int]:
    """The nodes of ranks 0 .. p-1: x fastest, or block by block of ``block`` nodes in each direction."""
    if block == 0:
        return list(range(p))
    return fabric.block_mapping(routes(where).topology, [block] * 3)[:p]


def run(
    schedule: Schedule,
    where: Partition,
    block: int,
    *,
    blend: float = BLEND,
    active: float = 1.0,
    log: bool = False,
    part_done: PartDone,
) -> simulate.FlowResult:
    """Simulate a frame of a schedule on a partition.

    Args:
        schedule: of as many ranks as nodes are used.
        where: the partition.
        block: of the mapping, see :func:`placement`.
        blend: of a node [byte/s].
        active: share of the pixels that are active.
        log: keep the times of all messages and blends.
        part_done: told the part of the run that is done; False ends it with an error.
    """
    return simulate.flow(
        routes(where),
        simulate.frame_traffic(schedule, blend_bytes_per_second=blend, active=active),
        placement=placement(where, schedule.p, block),
        link_bytes_per_second=LINK,
        message_seconds=LATENCY,
        sends_at_once=0,
        host_links=False,
        precision=PRECISION,
        message_log=log,
        progress=part_done,
    )
