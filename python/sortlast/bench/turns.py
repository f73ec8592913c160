"""Taking turns: frames of several peers, timed side by side."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.bench.peer import Peer

_SEED = 2012


def turns(peers: int, frames: int, seed: int = 0) -> list[list[int]]:
    """For each frame the peers in a random order, the same on every rank.

    A frame is affected by the caches, memory and delays of ranks that the previous one left. In random orders
    every peer follows every other equally often in the long run, so this affects all of them equally.
    """
    random = np.random.default_rng((_SEED, seed))
    return [random.permutation(peers).tolist() for _ in range(frames)]


def time_frames(
    comm: MPI.Intracomm,
    peers: Sequence[Peer],
    frames: int,
    progress: Callable[[float], None],
    warm_ups: int,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Time frames: seconds (2, peers, frames) on the slowest rank, and of processor time over all ranks.

    Communicates. ``warm_ups`` rounds precede them. ``progress`` receives the fraction of frames done.
    """
    from mpi4py import MPI

    slowest = np.zeros((len(peers), frames))
    worked = np.zeros((len(peers), frames))
    with _no_garbage_collection():
        for frame, order in enumerate(turns(len(peers), warm_ups + frames, seed), -warm_ups):
            progress(max(frame, 0) / frames)
            for k in order:
                comm.Barrier()
                begin, work = time.perf_counter(), time.process_time()
                peers[k].frame()
                if frame >= 0:
                    slowest[k, frame] = time.perf_counter() - begin
                    worked[k, frame] = time.process_time() - work
    comm.Allreduce(MPI.IN_PLACE, slowest, op=MPI.MAX)
    comm.Allreduce(MPI.IN_PLACE, worked, op=MPI.SUM)
    return np.stack([slowest, worked])


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
