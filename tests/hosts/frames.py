"""Frames on separate hosts: their picture, their time, and what they move over each host's interface."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import sortlast
from testbed import Testbed

PIXEL = 16  # RGBA float32 [bytes]

# The counters are read between two barriers, when no rank sends or receives a frame. Pictures have no empty
# pixels, so that none can be left out of a message.
JOB = """
import time
from pathlib import Path
import numpy as np
import sortlast

def picture(r):
    pixels = np.random.default_rng(r).uniform(0.25, 0.75, (HEIGHT, WIDTH, 4)).astype(np.float32)
    pixels[..., :3] *= pixels[..., 3:]
    return pixels

def counters():
    comm.barrier()
    names = ("tx_bytes", "rx_bytes")
    values = [int(Path("/sys/class/net/eth0/statistics", name).read_text()) for name in names]
    comm.barrier()
    return values

compositor = sortlast.Compositor(comm, algorithm=ALGORITHM)
mine = picture(rank)
tile = compositor.composite(mine, order=ORDER)

seconds = []
before = counters()
for frame in range(FRAMES):
    began = time.perf_counter()
    tile = compositor.composite(mine, order=ORDER)
    comm.barrier()
    seconds.append(time.perf_counter() - began)
sent, received = (now - then for now, then in zip(counters(), before))

began = time.perf_counter()
whole = compositor.gather(tile)
gather = time.perf_counter() - began
error = 0.0
if rank == 0:
    oracle = sortlast.composite_serial([picture(r) for r in range(size)], order=ORDER)
    error = float(np.abs(whole - oracle).max())
node = comm.Split_type(MPI.COMM_TYPE_SHARED)
report({
    "host": MPI.Get_processor_name(), "node": node.allgather(rank), "algorithm": compositor.algorithm,
    "sent": sent, "received": received, "seconds": seconds, "gather": gather, "error": error,
})
"""


@dataclass(frozen=True)
class Traffic:
    """What goes over one host's interface, in bytes, and in how many messages to and from it."""

    sent: int
    received: int
    messages: int = 0


@dataclass(frozen=True)
class Frames:
    """Frames of one job; bytes and seconds are those of all frames together or each, gather apart."""

    algorithm: str  # with all parameters
    nodes: list[list[int]]  # ranks that share memory with each host's first rank
    names: list[str]  # what each host calls itself
    counted: list[Traffic]  # of all frames, one entry a host
    seconds: list[float]  # of each frame, until all ranks have their tile
    gather: float  # seconds of one collection at rank 0
    error: float  # largest difference from the oracle in any channel


def run(
    testbed: Testbed, ranks: int, algorithm: str, order: list[int], *, width: int, height: int, frames: int
) -> Frames:
    """Composite frames of RGBA float32 with `over`; one more, before them, opens the connections."""
    settings = {
        "ALGORITHM": algorithm,
        "ORDER": order,
        "WIDTH": width,
        "HEIGHT": height,
        "FRAMES": frames,
    }
    head = "\n".join(f"{name} = {value!r}" for name, value in settings.items())
    job = testbed.run(ranks, head + JOB)
    if job.returncode:
        raise RuntimeError(f"{algorithm} on {ranks} ranks ended with status {job.returncode}:\n{job.stderr}")
    firsts = job.reports[:: ranks // len(testbed.hosts)]
    return Frames(
        algorithm=firsts[0]["algorithm"],
        nodes=[report["node"] for report in firsts],
        names=[report["host"] for report in firsts],
        counted=[Traffic(report["sent"], report["received"]) for report in firsts],
        seconds=firsts[0]["seconds"],
        gather=firsts[0]["gather"],
        error=firsts[0]["error"],
    )


def planned(algorithm: str, nodes: list[int], order: list[int], pixels: int) -> list[Traffic]:
    """What a schedule moves between hosts in one frame, without any protocol; `nodes` is each rank's host."""
    more = {"nodes": nodes} if algorithm.startswith("two-level") else {}
    schedule = sortlast.schedule.make(algorithm, len(nodes), pixels, order=order, **more)
    sent: Counter[int] = Counter()
    received: Counter[int] = Counter()
    messages: Counter[int] = Counter()
    for transfer in (transfer for stage in schedule.stages() for transfer in stage):
        source, destination = nodes[transfer.source], nodes[transfer.destination]
        if source != destination:
            begin, end = transfer.pixels
            sent[source] += (end - begin) * PIXEL
            received[destination] += (end - begin) * PIXEL
            messages.update((source, destination))
    return [Traffic(sent[host], received[host], messages[host]) for host in range(max(nodes) + 1)]
