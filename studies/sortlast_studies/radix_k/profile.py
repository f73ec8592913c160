"""Figure 3: the activities of every process over time, for binary swap and radix-k, measured and simulated.

The simulated profile uses ordered links, where messages end one by one.

Started as a module, this is the program of each rank of a measured run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

import numpy as np

from sortlast import Compositor, launch, overlap, trace
from sortlast.schedule import Schedule
from sortlast.trace import Event
from sortlast_studies.radix_k import blue_gene
from sortlast_studies.radix_k.vectors import MEGAPIXEL, PUBLISHED, Vector, pixels, radix_k, text
from sortlast_studies.steps import Json, PartDone, Step, in_turn, on_ranks

if TYPE_CHECKING:
    from mpi4py import MPI

VECTORS: Mapping[str, Vector] = {"binary-swap": (2, 2, 2, 2, 2, 2), "radix-k": (8, 8)}  # by algorithm
_TIMEOUT = 240.0  # [s]
_WIDTH = 512  # of the images in a measured run
_WARM_UPS = 2

Events = Sequence[Sequence[Event]]  # by rank


def steps(quick: bool) -> list[Step]:
    """The simulated profile of 64 processes, and a measured one of fewer."""
    k, megapixels = ((2, 2), 0.25) if quick else ((4, 4), 2)
    return [Step("figure-3/simulated", _simulated, work=200), _measured(k, megapixels)]


def events(found: Json) -> dict[str, Events]:
    """The events of a step, by algorithm."""
    return {
        algorithm: [[Event(*fields) for fields in own] for own in by_rank]
        for algorithm, by_rank in found.items()
    }


def length(found: Events) -> float:
    """Seconds from the first event to the end of the last."""
    every = [event for own in found for event in own]
    return max(event.end for event in every) - min(event.begin for event in every)


def hidden(found: Events) -> float:
    """Fraction of the blending, over all ranks, that overlaps with messages of the same rank."""
    blending = sum(
        end - begin
        for own in found
        for begin, end in overlap.union([event for event in own if event.activity == "blend"])
    )
    return sum(map(overlap.hidden, found)) / blending


def rounds_apart(found: Events) -> float:
    """Seconds between the ends of the first and the last rank's blending, over the length of the frame.

    0 means that all ranks end together.
    """
    ends = [max(event.end for event in own) for own in found]
    return (max(ends) - min(ends)) / length(found)


# --- simulated ----------------------------------------------------------------------------------------


def _simulated(part_done: PartDone) -> Json:
    p = int(PUBLISHED.value("Figure 3", "radix-k", "ranks"))
    return {
        name: _of_frame(radix_k(p, pixels("Figure 3"), k), done)
        for (name, k), done in in_turn(VECTORS.items(), part_done)
    }


def _of_frame(schedule: Schedule, part_done: PartDone) -> Json:
    """The fields of all events of a simulated frame, by rank, with message numbers in place of stages."""
    where = blue_gene.partition(schedule.p)
    run = blue_gene.run(
        schedule, where, blue_gene.BLOCK, service=blue_gene.ORDERED, log=True, part_done=part_done
    )
    source, destination, size = run.traffic.source, run.traffic.destination, run.traffic.size
    by_rank: list[list[tuple[str, float, float, int, int, int]]] = [[] for _ in range(schedule.p)]
    for (message, _), (begin, end) in zip(run.log_messages.tolist(), run.log_seconds.tolist(), strict=True):
        a, b, amount = int(source[message]), int(destination[message]), int(size[message])
        if amount == 0:
            continue
        if a == b:
            by_rank[a].append(("blend", begin, end, -1, -1, 0))
        else:
            by_rank[a].append(("send", begin, end, b, message, amount))
            by_rank[b].append(("receive", begin, end, a, message, amount))
    return by_rank


# --- measured -----------------------------------------------------------------------------------------


def _measured(k: tuple[int, int], megapixels: float) -> Step:
    p = k[0] * k[1]
    asked: Mapping[str, Json] = {
        "algorithms": {"binary-swap": "binary-swap", "radix-k": f"radix-k:{text(k)}"},
        "pixels": round(megapixels * MEGAPIXEL),
    }
    return on_ranks(f"figure-3/measured-p{p}", __name__, asked, p, _TIMEOUT, work=4000)


def measure(comm: MPI.Intracomm, asked: Json) -> Json:
    """The fields of the events of a traced frame, by algorithm and rank. Collective.

    All pixels travel as messages. Only rank 0 has the result.
    """
    height = -(-asked["pixels"] // _WIDTH)
    image = np.full((height, _WIDTH, 4), 0.5 / (1 + comm.rank), np.float32)
    found = {}
    for name, algorithm in asked["algorithms"].items():
        compositor = Compositor(comm, algorithm=algorithm, node_ranks=1, threads=1)
        for _ in range(_WARM_UPS):
            compositor.composite(image)
        with compositor.trace() as events:
            comm.Barrier()
            compositor.composite(image)
        traced = trace.gather(comm, events)
        del compositor
        found[name] = [[astuple(event) for event in own] for own in traced or []]
    return found


if __name__ == "__main__":
    launch.serve(measure)
