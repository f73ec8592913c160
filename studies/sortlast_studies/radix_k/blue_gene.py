"""Intrepid, the paper's Blue Gene/P, as a model: its partitions, and frames simulated on them.

Published figures: a torus link carries 425 MB/s in each direction, twelve of them 5.1 GB/s a node; a message
takes up to 5 us from one end of the machine to the other (Argonne's description of Intrepid). A node is its
own router, so that its links are all that it sends and takes in by. Routes go along x, then y, then z. Up to
256 nodes a partition is a mesh, from 512 on a torus (section 4.3). The shapes of larger partitions are those
of a machine of 40 x 32 x 32 nodes; the paper does not name them.

The paper says that the network has several ports, that data moves without the processor, and that messages
arrive concurrently; it does not say how many a node has under way, nor in which order a link serves them.
Hence several services: :data:`SERVICES`. That of most figures is :data:`SIX_LINKS`: a node sends as many
messages at once as it has links, and what arrives is put into memory without a limit. Packets of messages
that meet on a link alternate.

Calibrated on one figure: the rate of blending, such that radix-k is 1.45 times as fast as binary swap in
the mean of Figure 4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
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
BLEND = 1.5e9  # bytes of a fragment that a node blends onto another [byte/s]; calibrated
LINKS = int(_GIVEN["links"])  # of a node, each in both directions
CORES = 4  # of a node; the paper uses one
BLOCK = 2  # of the mapping that section 4.3 recommends: 2 x 2 x 2 nodes
PRECISION = 1e-3  # of simulated time where links are shared, see sortlast.simulate.flow() ...
FINE = 1e-9  # ... and where they serve messages in order, which costs little


@dataclass(frozen=True)
class Service:
    """How many messages a node has under way, and how a link serves those that meet on it.

    Attributes:
        sends: messages that a node sends at once; 0: any number.
        receives: messages that it takes in at once; 0: any number.
        ordered: a link serves one message after the other; else they share it and end together.
        chunk: bytes of an image at whose multiples messages are cut; 0: they are whole.
    """

    sends: int = 0
    receives: int = 0
    ordered: bool = False
    chunk: int = 0


SIX_LINKS = Service(sends=LINKS)
ORDERED = Service(ordered=True)
SIX_ORDERED = Service(sends=LINKS, ordered=True)
SERVICES: Mapping[str, Service] = {
    "no limit": Service(),
    "six links": SIX_LINKS,
    "six links, both ways": Service(sends=LINKS, receives=LINKS),
    "ordered links": ORDERED,
    "six ordered links": SIX_ORDERED,
}


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
    service: Service = SIX_LINKS,
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
        service: of nodes and links.
        log: keep the times of all messages and blends.
        part_done: told the part of the run that is done; False ends it with an error.
    """
    return simulate.flow(
        routes(where),
        simulate.frame_traffic(
            schedule, blend_bytes_per_second=blend, active=active, chunk_bytes=service.chunk
        ),
        placement=placement(where, schedule.p, block),
        link_bytes_per_second=LINK,
        message_seconds=LATENCY,
        sends_at_once=service.sends,
        receives_at_once=service.receives,
        host_links=False,
        ordered_links=service.ordered,
        precision=FINE if service.ordered else PRECISION,
        message_log=log,
        progress=part_done,
    )
