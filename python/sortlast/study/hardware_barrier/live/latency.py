"""Seconds of each barrier among the ranks of this job, in turns: ``python -m ...latency SETTINGS REPORT``.

Settings: ``barriers`` (names), ``turns``, ``calls`` (barriers of one kind in a turn); ``addresses``
of the machines by rank, if each is to stream to the next meanwhile. The report has by name the mean seconds
of a call, one value a turn.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from sortlast import launch
from sortlast.study.hardware_barrier.barriers import BARRIERS, Barrier
from sortlast.study.hardware_barrier.live.congestion import ring
from sortlast.study.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI

_WARM = 10  # calls before time is taken


def measure(comm: MPI.Intracomm, settings: Json) -> Json:
    """All barriers, one after the other, ``turns`` times. Communicates."""
    with ExitStack() as made:
        if "addresses" in settings:
            made.enter_context(ring(comm, settings["addresses"]))
        barriers = {name: made.enter_context(closing(BARRIERS[name](comm))) for name in settings["barriers"]}
        found: dict[str, list[float]] = {name: [] for name in barriers}
        for _ in range(settings["turns"]):
            for name, barrier in barriers.items():
                found[name].append(_mean_seconds(barrier, settings["calls"]))
    return found


def _mean_seconds(barrier: Barrier, calls: int) -> float:
    for _ in range(_WARM):
        barrier.wait()
    begin = time.perf_counter()
    for _ in range(calls):
        barrier.wait()
    return (time.perf_counter() - begin) / calls


if __name__ == "__main__":
    launch.serve(measure)
