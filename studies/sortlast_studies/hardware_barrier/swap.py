"""Swap locking: all nodes show their next images at the same vertical retrace. The paper's future work.

This is ours: the paper names software genlock as an aim (section 5), for displays in active stereo. Here the
retraces of all displays coincide (genlock), driven by one clock. A node with a finished frame waits at a
barrier for all others, and then swaps its buffers at the next retrace.

Computed: a frame takes whole retraces, including a barrier. Nodes do not leave a barrier at the same time,
and a retrace in between splits the frame: some nodes show it one retrace before the others. The fraction of
split frames is the skew over the time between retraces.

Measured: ranks that wait for a clock instead of a retrace, and sleep instead of rendering, for a time that is
drawn for each frame and rank. The ranks run ``python -m ...swap SETTINGS REPORT``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sortlast import launch
from sortlast_studies.hardware_barrier import paper
from sortlast_studies.hardware_barrier.barriers import BARRIERS, NONE, Barrier
from sortlast_studies.hardware_barrier.device import calibrated
from sortlast_studies.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI

HERTZ = 60  # retraces per second
FREE = "neither"  # in place of a barrier: also without waiting for a retrace
RENDER = (4e-3, 14e-3)  # seconds of a rendering, drawn uniformly
_SLACK = 1e-9  # tolerance for missing a retrace by rounding, in retraces
_SETTLE = 0.05  # seconds until the first retrace of a run
_SEED = 7


# --- computed -----------------------------------------------------------------------------------------


def locked(seconds: float) -> float:
    """Frames per second if frames of this many seconds begin and end at retraces."""
    return HERTZ / math.ceil(HERTZ * seconds - _SLACK)


def barriers() -> Mapping[str, float]:
    """Seconds of each barrier: the hardware, and MPI_Barrier on each network, congested too."""
    found = {"hardware barrier": paper.hardware_barrier()}
    for kind in (paper.GIGABIT, paper.FAST):
        found[kind] = paper.software_barrier(kind)
        found[f"{kind}, congested"] = paper.software_barrier(kind, congested=True)
    return found


def rates(size: str) -> Mapping[str, float]:
    """Frames per second of the paper's device with swap locking, by barrier; "none" has no retrace, no lock.

    The same kind of barrier is used before a frame is composited and before it is shown. "none" has the
    hardware barrier before compositing.
    """
    device = calibrated()
    found = {NONE: device.rate(size, paper.hardware_barrier())}
    for name, barrier in barriers().items():
        found[name] = locked(1 / device.rate(size, 2 * barrier))
    return found


def skews() -> Mapping[str, float]:
    """Seconds between the first and the last node that leaves each barrier.

    For the hardware, the slowest read of Table 5: a node may just have read the line when it rises. For
    MPI_Barrier one of its ceil(log2 p) rounds, by which a node's last message may be later than another's.
    """
    reads = paper.PAPER.column("Table 5", "IN").values()
    found = {"hardware barrier": 1e-6 * max(reads)}
    rounds = math.ceil(math.log2(paper.NODES))
    return found | {name: barrier / rounds for name, barrier in barriers().items() if name not in found}


# --- measured -----------------------------------------------------------------------------------------


def renderings(ranks: int, frames: int) -> NDArray[np.float64]:
    """Seconds of each rendering, (frames, ranks)."""
    return np.random.default_rng(_SEED).uniform(*RENDER, (frames, ranks))


def expected(ranks: int, frames: int) -> float:
    """Frames per second of these renderings with swap locking, if a barrier took no time."""
    slowest = renderings(ranks, frames).max(axis=1)
    retraces = np.ceil(HERTZ * slowest).sum()
    return float(frames * HERTZ / retraces)


def measure(comm: MPI.Intracomm, settings: Json) -> Json:
    """By barrier, for each turn: [frames per second, fraction of split frames]. Collective.

    Settings: ``barriers`` (names; "none": no lock, each rank by itself; "neither": no retrace either),
    ``turns`` and ``frames`` of each.
    """
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in settings["barriers"]}
    with ExitStack() as made:
        locks = {
            name: made.enter_context(closing(BARRIERS[name](comm))) for name in found if name in BARRIERS
        }
        seconds = renderings(comm.size, settings["frames"])[:, comm.rank]
        for _ in range(settings["turns"]):
            for name, told in found.items():
                told.append(_turn(comm, name, locks.get(name), seconds))
    return found


def _turn(
    comm: MPI.Intracomm, name: str, lock: Barrier | None, seconds: NDArray[np.float64]
) -> tuple[float, float]:
    """Show all frames; return the rate of the slowest rank, and the fraction of split frames."""
    begin = comm.bcast(time.monotonic() + _SETTLE)
    time.sleep(max(0.0, begin - time.monotonic()))
    shown = []
    for rendering in seconds:
        time.sleep(rendering)
        if lock is not None:
            lock.wait()
        retrace = math.floor(HERTZ * (time.monotonic() - begin)) + 1
        if name != FREE:
            time.sleep(max(0.0, begin + retrace / HERTZ - time.monotonic()))
        shown.append(retrace)
    end = comm.allreduce(time.monotonic() - begin, _max())
    retraces = np.array(comm.allgather(shown))
    return len(seconds) / end, float((retraces != retraces[0]).any(axis=0).mean())


def _max() -> MPI.Op:
    from mpi4py import MPI

    return MPI.MAX


if __name__ == "__main__":
    launch.serve(measure)
