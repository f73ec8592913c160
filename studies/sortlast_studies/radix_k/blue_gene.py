"""A model of Intrepid, the paper's Blue Gene/P: its partitions, and frames simulated on them.

Published figures: a torus link carries 425 MB/s in each direction, the twelve of a node 5.1 GB/s; a message
takes up to 5 us from one end of the machine to the other (Argonne's description of Intrepid). A node is its
own router, so all its traffic uses these links. Routes go along x, then y, then z. Partitions of up to 256
nodes are meshes, larger ones tori (section 4.3). The shapes of larger partitions assume a machine of 40 x 32
x 32 nodes; the paper does not give them.

The paper says that the network has several ports, that data moves without the processor, and that messages
arrive concurrently; it does not say how many a node has under way, nor in which order a link serves them.
Hence several models: :data:`SERVICES`. Most figures use :data:`SIX_LINKS`: a node sends as many concurrent
messages as it has links, and receives any number. Packets of messages that share a link alternate.

Calibrated to one figure: the rate of blending, such that radix-k is on average 1.45 times as fast as binary
swap in Figure 4.
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
LINK = 1e6 * _GIVEN["link"]  # per torus link and direction [byte/s]
LATENCY = _GIVEN["message"] / 1e6  # per message [s]
BLEND = 1.5e9  # bytes of fragments that a node blends onto others [byte/s]; calibrated
LINKS = int(_GIVEN["links"])  # per node, each in both directions
CORES = 4  # per node; the paper uses one
BLOCK = 2  # edge of the blocks recommended in section 4.3: 2 x 2 x 2 nodes
PRECISION = 1e-3  # relative, of simulated time on shared links, see sortlast.simulate.flow() ...
FINE = 1e-9  # ... and on ordered links, where it costs little


@dataclass(frozen=True)
class Service:
    """Number of messages that a node has under way, and how a link serves concurrent messages.

    Attributes:
        sends: concurrent sends per node; 0: any number.
        receives: concurrent receives per node; 0: any number.
        ordered: a link serves one message after the other; otherwise messages share it and end together.
        chunk: messages are cut at multiples of this number of bytes of an image; 0: they are whole.
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
    """Nodes that are allocated together: a mesh, or a torus if it wraps."""

    shape: tuple[int, int, int]
    wraps: bool

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return math.prod(self.shape)

    @property
    def name(self) -> str:
        """Name in reports: ``8x8x4 mesh``."""
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
    """The smallest partition with at least p nodes, p up to 40,960."""
    return next(each for each in PARTITIONS if each.nodes >= p)


def routes(where: Partition) -> Routes:
    """The routes of a partition; a few are cached, and threads wait for each other's computation."""
    with _routing:
        return _routes(where)


@lru_cache(maxsize=4)
def _routes(where: Partition) -> Routes:
    build = fabric.torus if where.wraps else fabric.mesh
    return fabric.route(build(list(where.shape)), "dor")


def placement(where: Partition, p: int, block: int) -> list[int]:
    """The nodes of ranks 0 .. p-1: x fastest, or block by block, ``block`` nodes in each direction."""
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
        schedule: a schedule with at most as many ranks as the partition has nodes.
        where: the partition.
        block: edge of the mapping's blocks, see :func:`placement`.
        blend: blending rate per node [byte/s].
        active: fraction of the pixels that are active.
        service: the model of nodes and links.
        log: keep the times of all messages and blends.
        part_done: called with the fraction of the run that is done; False ends it with an error.
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
