"""What the measured profile starts on every rank: one traced frame of each algorithm, all by messages."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

import numpy as np

from sortlast import Compositor, launch, trace
from sortlast.study.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI

_WIDTH = 512
_WARM_UPS = 2


def measure(comm: MPI.Intracomm, asked: Json) -> Json:
    """The fields of the events of a frame, by algorithm and rank; None but on rank 0. Communicates."""
    height = -(-asked["pixels"] // _WIDTH)
    image = np.full((height, _WIDTH, 4), 0.5 / (1 + comm.rank), np.float32)
    found = {}
    for name, algorithm in asked["algorithms"].items():
        compositor = Compositor(comm, algorithm=algorithm, node_ranks=1, threads=1)
        for _ in range(_WARM_UPS):
            compositor.composite(image)
        compositor.trace = True
        comm.Barrier()
        compositor.composite(image)
        events = trace.gather(comm, compositor)
        del compositor
        found[name] = [[astuple(event) for event in own] for own in events or []]
    return found


if __name__ == "__main__":
    launch.serve(measure)
