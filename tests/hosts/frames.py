"""Frames on separate hosts: their picture, their time, and what they move over each host's interface."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import hosts
import sortlast
from sortlast_testbed import Testbed

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

def measure(algorithm):
    compositor = sortlast.Compositor(comm, algorithm=algorithm)
    compositor.composite(mine, order=ORDER)

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
    return {
        "algorithm": compositor.algorithm, "sent": sent, "received": received, "seconds": seconds,
        "gather": gather, "error": 0.0 if whole is None else float(np.abs(whole.colour - oracle).max()),
    }

mine = picture(rank)
if rank == 0:
    oracle = sortlast.composite_serial([picture(r) for r in range(size)], order=ORDER).colour
node = comm.Split_type(MPI.COMM_TYPE_SHARED)
report({
    "host": MPI.Get_processor_name(), "node": node.allgather(rank),
    "measured": [measure(algorithm) for algorithm in ALGORITHMS],
})
"""


@dataclass(frozen=True)
class Traffic:
    """Bytes that go over one host's interface."""

    sent: int
    received: int


@dataclass(frozen=True)
class Frames:
    """Frames of one algorithm: counted on every host, timed and checked at rank 0."""

    algorithm: str  # with all parameters
    counted: list[Traffic]  # of all frames together, one entry a host
    seconds: list[float]  # of each frame, until all ranks have their tile
    gather: float  # seconds of one collection at rank 0
    error: float  # largest difference from the oracle in any channel


@dataclass(frozen=True)
class Job:
    """What ran where, and its frames."""

    names: list[str]  # what each host calls itself
    nodes: list[list[int]]  # ranks that share memory with each host's first rank
    measured: list[Frames]  # one entry an algorithm


def run(
    testbed: Testbed,
    ranks_per_host: int,
    algorithms: list[str],
    order: list[int],
    *,
    width: int,
    height: int,
    frames: int,
    timeout: float = hosts.LIMIT,
) -> Job:
    """Composite frames of RGBA float32 with `over`, for one algorithm after the other.

    One more frame, before the counted ones, opens an algorithm's connections. Raises RuntimeError if a rank
    fails, which has said why on standard error, TimeoutError after `timeout` seconds.
    """
    settings = {
        "ALGORITHMS": algorithms,
        "ORDER": order,
        "WIDTH": width,
        "HEIGHT": height,
        "FRAMES": frames,
    }
    head = "\n".join(f"{name} = {value!r}" for name, value in settings.items())
    job = hosts.run(testbed, ranks_per_host, head + JOB, timeout)
    if job.returncode:
        raise RuntimeError(f"{algorithms} on {len(order)} ranks ended with {job.returncode}")
    reports = job.reports[::ranks_per_host]
    return Job(
        names=[host["host"] for host in reports],
        nodes=[host["node"] for host in reports],
        measured=[
            Frames(
                algorithm=first["algorithm"],
                counted=[
                    Traffic(host["measured"][k]["sent"], host["measured"][k]["received"]) for host in reports
                ],
                seconds=first["seconds"],
                gather=first["gather"],
                error=first["error"],
            )
            for k, first in enumerate(reports[0]["measured"])
        ],
    )


def planned(algorithm: str, nodes: list[int], order: list[int], pixels: int) -> list[Traffic]:
    """What a schedule moves between hosts in one frame, without any protocol; `nodes` is each rank's host."""
    schedule = sortlast.schedule.make(algorithm, len(nodes), pixels, order=order, nodes=nodes)
    sent: Counter[int] = Counter()
    received: Counter[int] = Counter()
    for transfer in (transfer for stage in schedule.stages() for transfer in stage):
        source, destination = nodes[transfer.source], nodes[transfer.destination]
        if source != destination:
            begin, end = transfer.pixels
            sent[source] += (end - begin) * PIXEL
            received[destination] += (end - begin) * PIXEL
    return [Traffic(sent[host], received[host]) for host in range(max(nodes) + 1)]
