"""Simulates a frame of a schedule on a fabric: schedules, images and simulators.

Flows suit regular traffic and whole images; they model full links, but not that packets for one host hold up
the packets behind them. Packets model this too, and are cheap for irregular traffic, but only with a smaller
image. All frames are therefore simulated in one of four ways, and only frames of the same way are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sortlast import schedule, simulate
from sortlast.fabric import Routes, Topology
from sortlast_studies.steps import Json, PartDone, in_turn

PIXEL_BYTES = 16
LINK = 1.25e9  # bytes per second
STAGE = 10e-6  # seconds
BLEND = 5e9  # bytes per second
IMAGE = (2048, 1024)  # for a whole frame
SMALL = (512, 256)  # for packets: at 512 ranks a piece of shift is two packets
PACKET_BYTES = 2048
_SMALL_PIXELS = f"{SMALL[0]}x{SMALL[1]} pixels, network only"
PACKET_PHITS = 512  # of 4 bytes

# Algorithms by the names of schedules in this study.
_ALGORITHMS = {
    "shift": "shift",
    "direct-send": "direct-send",
    "binary swap": "binary-swap",
    "2-3 swap": "2-3-swap",
    "pipeline": "parallel-pipeline",
}
SCHEDULES = ("shift", "direct-send", "radix-k", "binary swap", "2-3 swap", "pipeline")
_RADIX_K = {
    512: ("8,8,8", "4,4,4,8", "4,8,16", "16,32"),
    4096: ("8,8,8,8", "4,8,8,16", "16,16,16"),
}


@dataclass(frozen=True)
class Way:
    """One way to simulate frames."""

    name: str
    packets: bool
    routing: str
    about: str


FRAME = Way(
    "frame",
    packets=False,
    routing="ftree",
    about=f"flows, {IMAGE[0]}x{IMAGE[1]} pixels, blending and stages take time",
)
FLOW = Way("flow", packets=False, routing="ftree", about=f"flows, {_SMALL_PIXELS}")
TABLES = Way(
    "tables", packets=True, routing="ftree", about=f"packets by the tables of ftree, {_SMALL_PIXELS}"
)
ADAPTIVE = Way("adaptive", packets=True, routing="adaptive", about=f"adaptive packets, {_SMALL_PIXELS}")
WAYS = (FRAME, FLOW, TABLES, ADAPTIVE)


def algorithms(name: str, p: int) -> list[str]:
    """Candidates for a schedule, of which the fastest counts; names for :func:`sortlast.schedule.make`."""
    if name == "radix-k":
        return [f"radix-k:{k}" for k in _RADIX_K[p]] if p in _RADIX_K else ["radix-k"]
    return [_ALGORITHMS.get(name, name)]


def fastest(
    way: Way,
    net: Topology | Routes,
    tried: Sequence[str],
    part_done: PartDone,
    *,
    hosts: Sequence[int] | None = None,
    seed: int = 17,
    nodes: Sequence[int] | None = None,
) -> Json:
    """The fastest algorithm and its frames per second: ``{"algorithm": name, "fps": number}``.

    Args:
        way: how the frames are simulated.
        net: a fabric, or one with its tables.
        tried: candidate algorithms.
        part_done: called with the progress.
        hosts: the host of each rank; None: all, in order.
        seed: seed of the packet simulator.
        nodes: the node of each rank, for schedules of two levels.
    """
    topology = net if isinstance(net, Topology) else net.topology
    placed = list(range(len(topology.hosts))) if hosts is None else list(hosts)

    found: dict[str, float] = {}
    for algorithm, done in in_turn(tried, part_done):
        width, height = IMAGE if way is FRAME else SMALL
        made = schedule.make(algorithm, p=len(placed), n=width * height, nodes=nodes)
        if way.packets:
            found[algorithm] = _by_packets(net, made, placed, seed, done)
        else:
            found[algorithm] = _by_flows(net, made, placed, way is FRAME, done)
    best = max(found, key=lambda algorithm: found[algorithm])
    return {"algorithm": best, "fps": found[best]}


def _by_flows(
    net: Topology | Routes,
    made: schedule.Schedule,
    hosts: list[int],
    whole: bool,
    done: PartDone,
) -> float:
    """Frames per second by flows; a whole frame includes stages and blending."""
    run = simulate.frame(
        net,
        made,
        placement=hosts,
        pixel_bytes=PIXEL_BYTES,
        link_bytes_per_second=LINK,
        stage_seconds=STAGE if whole else 0,
        blend_bytes_per_second=BLEND if whole else 0,
        message_log=False,
        progress=done,
    )
    return run.frames_per_second


def _by_packets(
    net: Topology | Routes,
    made: schedule.Schedule,
    hosts: list[int],
    seed: int,
    done: PartDone,
) -> float:
    run = simulate.packet(
        net,
        simulate.frame_traffic(made, pixel_bytes=PIXEL_BYTES),
        seed=seed,
        placement=hosts,
        packet_bytes=PACKET_BYTES,
        packet_phits=PACKET_PHITS,
        link_bytes_per_second=LINK,
        progress=done,
    )
    return 1 / run.seconds
