"""The frames: computed by formula within the nodes, simulated among them."""

from __future__ import annotations

from dataclasses import dataclass

from sortlast import simulate
from sortlast.schedule import Machine, choose, make
from sortlast_studies.gpu_nodes.networks import CABLINGS, GPUS, LINK, NETWORKS, host, routes
from sortlast_studies.steps import Json, PartDone

NODES = (2, 4, 8, 16, 32, 64, 128, 256)
_QUICK_UP_TO = 16
IMAGE = (3840, 2160)
PIXELS = IMAGE[0] * IMAGE[1]
PIXEL_BYTES = 8  # RGBA in half floats
# Assumptions about a current node, from makers' data sheets.
INSIDE = 450e9  # byte/s that a GPU sends to other GPUs of its node
BLENDING = 1e12  # byte/s of fragments that a GPU blends, from memory of 3e12
MESSAGE = 3e-6  # seconds per message before its bytes move
ALGORITHMS = ("shift", "binary-swap", "radix-k")
_SHIFT_UP_TO = 128  # nodes: the simulation of more messages would take much longer than the other cells


@dataclass(frozen=True)
class Cell:
    """A frame among nodes."""

    nodes: int
    network: str
    cabling: str
    algorithm: str

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"{self.nodes}/{self.network}/{self.cabling}/{self.algorithm}".replace(" ", "-")

    @property
    def work(self) -> float:
        """Thousands of messages."""
        return GPUS * self.nodes * (self.nodes if self.algorithm == "shift" else 10) / 1000

    def simulate(self, part_done: PartDone) -> Json:
        """Seconds of the composites of all eighths, which run concurrently."""
        made = make(self.algorithm, p=self.nodes, n=PIXELS // GPUS)
        traffic = simulate.frame_traffic(
            made, pixel_bytes=PIXEL_BYTES, active=1.0, blend_bytes_per_second=BLENDING
        )
        jobs = simulate.join(
            [
                (traffic, [host(self.network, self.cabling, node, gpu) for node in range(self.nodes)])
                for gpu in range(GPUS)
            ]
        )
        run = simulate.flow(
            routes(self.network),
            jobs.traffic,
            placement=jobs.placement,
            link_bytes_per_second=LINK,
            message_seconds=MESSAGE,
            sends_at_once=0,
            ordered_links=True,
            progress=part_done,
        )
        return {"name": traffic.name, "seconds": run.seconds}


def node_counts(quick: bool) -> list[int]:
    """The numbers of nodes."""
    return [n for n in NODES if not quick or n <= _QUICK_UP_TO]


def cells(quick: bool) -> list[Cell]:
    """All frames; only one cabling on one switch, where all are equivalent."""
    return [
        Cell(nodes, network, cabling, algorithm)
        for nodes in node_counts(quick)
        for network in NETWORKS
        for cabling in (CABLINGS if len(routes(network).topology.switches) > 1 else [*CABLINGS][:1])
        for algorithm in ALGORITHMS
        if algorithm != "shift" or nodes <= _SHIFT_UP_TO
    ]


def seconds_within() -> float:
    """Seconds to composite a node's own images, which leaves an eighth of the result on each GPU."""
    machine = Machine(alpha=MESSAGE, beta=1 / INSIDE, gamma_read=1 / BLENDING, gamma_write=0.0)
    return choose(GPUS, PIXELS, machine, PIXEL_BYTES, candidates=["direct-send"])[0].total
