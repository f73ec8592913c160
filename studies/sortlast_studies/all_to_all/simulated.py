"""Simulations: cells of the paper as flows, and as packets with one message between two nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sortlast import simulate
from sortlast_studies.all_to_all import cluster
from sortlast_studies.all_to_all.design import (
    GLOBAL_M,
    LOCAL_M,
    NODES,
    Design,
    nodes_of,
    paper,
    paper_refusal,
)
from sortlast_studies.steps import Json, PartDone, Step

SEED = 1  # for scattered and shuffled nodes, and for packets
AT_ONCE = {"posted": 32, "shift": 1}  # messages per rank under way: MPICH's throttle of all-to-alls
METHODS = ("flow", "packet")
PRECISION = 1e-4  # of the flow simulator: equal flows stay together, and times change by less than 0.1 %
PACKET = 2048  # bytes, the MTU
PHIT = 4  # bytes
CROWDED = {"full": tuple(cluster.PLACEMENTS), "half": ("packed", "packed shuffled", "scattered shuffled")}


@dataclass(frozen=True)
class Simulation:
    """One simulated exchange.

    ``m`` is the cell's; ``method`` is "flow" or "packet"; ``what`` is sent: "vectors", "keys", or a "count"
    each; ``message_cost``: whether a message holds its node's link longer than the time of its bytes.
    """

    nodes: int
    m: int
    way: str = "posted"
    placement: str = "packed"
    tree: str = "full"
    method: str = "flow"
    what: str = "vectors"
    message_cost: bool = False

    @property
    def name(self) -> str:
        """The name of its step."""
        place = self.placement.replace(" ", "-")
        sent = f"{self.way}-{self.what}{'-at-a-cost' if self.message_cost else ''}"
        return f"simulated/{self.method}/{self.tree}-{place}-{sent}/{self.nodes}-{self.m}"

    @property
    def design(self) -> Design:
        """The cell of the paper."""
        return paper(self.nodes, self.m)

    @property
    def message_bytes(self) -> int:
        """Bytes from one process to another."""
        return {"vectors": self.design.block_bytes, "keys": 4 * self.design.block, "count": 4}[self.what]


def tables() -> list[Simulation]:
    """The cells of Tables 4.2, 4.4 and 4.5 that fit, in the paper's placement."""
    cells = {(nodes, GLOBAL_M) for nodes in NODES} | {(nodes, m * nodes) for nodes in NODES for m in LOCAL_M}
    small = [Simulation(nodes, GLOBAL_M, what=what) for nodes in NODES for what in ("count", "keys")]
    large = [Simulation(nodes, m) for nodes, m in sorted(cells) if paper_refusal(paper(nodes, m)) is None]
    return large + small + [replace(each, message_cost=True) for each in large]


def orders(nodes: int, method: str) -> list[Simulation]:
    """MPI_Alltoallv and shift on ``nodes`` nodes, in all placements.

    Flows use constant local memory, packets constant global memory, which needs fewer packets.
    """
    m = GLOBAL_M if method == "packet" else GLOBAL_M * nodes
    return [
        Simulation(nodes, m, way, placement, tree, method)
        for tree, placements in CROWDED.items()
        for placement in placements
        for way in cluster.NAMES
    ]


def beyond(ranks: Sequence[int]) -> list[Simulation]:
    """Other numbers of processes, with constant global and constant local memory, m = 512 and 512 N."""
    return [
        Simulation(nodes, m, message_cost=cost)
        for nodes in map(nodes_of, ranks)
        for m in (GLOBAL_M, GLOBAL_M * nodes)
        for cost in (False, True)
    ]


def all_of(quick: bool, ranks: Sequence[int] = ()) -> list[Simulation]:
    """All simulations, each once; quick: orders on 36 nodes only. Ranks: see :func:`beyond`."""
    crowds = [orders(nodes, method) for nodes in ((36,) if quick else (36, 18)) for method in METHODS]
    return list(dict.fromkeys(tables() + [each for crowd in crowds for each in crowd] + beyond(ranks)))


def step(wanted: Simulation) -> Step:
    """The step that runs a simulation."""
    run = _packets if wanted.method == "packet" else _flows
    return Step(wanted.name, lambda part_done: run(wanted, part_done), work=_work(wanted))


def _flows(wanted: Simulation, part_done: PartDone) -> Json:
    cell = wanted.design
    nodes = cluster.nodes_of(wanted.placement, wanted.nodes, SEED)
    hosts = [nodes[rank // cell.per_node] for rank in range(cell.p)]
    link = cluster.link(message_cost=wanted.message_cost)
    messages = cluster.traffic(wanted.way, wanted.message_bytes, hosts, cluster.copy_rate(), link.held_bytes)
    run = simulate.flow(
        cluster.routes(wanted.tree),
        messages,
        placement=hosts,
        link_bytes_per_second=link.rate,
        message_seconds=cluster.MESSAGE_SECONDS,
        sends_at_once=AT_ONCE[wanted.way],
        precision=PRECISION,
        progress=part_done,
    )
    return {"seconds": run.seconds}


def _packets(wanted: Simulation, part_done: PartDone) -> Json:
    """Packets with one task per node: all data from its processes to another node's are one message."""
    cell, nodes = wanted.design, wanted.nodes
    size = cell.per_node**2 * cell.block_bytes
    posted = wanted.way == "posted"
    messages = simulate.all_to_all(nodes, size) if posted else simulate.shift(nodes, size, 1, nodes)
    run = simulate.packet(
        cluster.routes(wanted.tree),
        messages,
        placement=cluster.nodes_of(wanted.placement, nodes, SEED),
        packet_bytes=PACKET,
        packet_phits=PACKET // PHIT,
        link_bytes_per_second=cluster.link_rate(),
        seed=SEED,
        progress=part_done,
    )
    return {"seconds": run.seconds}


def _work(wanted: Simulation) -> float:
    """Rough estimate of seconds."""
    if wanted.method == "packet":
        return 2.0
    return 1e-5 * wanted.design.p**2 * (1 if wanted.placement == "packed" else 3)
