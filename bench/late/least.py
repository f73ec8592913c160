#!/usr/bin/env python3
"""Minimum time from the last rank's arrival to the end of a frame: the lower bound for arrivals.py.

Run it under mpiexec. Times frames in which k = 1 .. p of the p ranks have an image and the others an empty
one, so that all ranks work on it: T(k), which is about T0 + k T1. With these and the arrivals of arrivals.py,
spread evenly over 0, 0.5, 1, 2 and 5 composite times T = T(p), it finds the best plan that merges arrived
images in batches. A batch of m images takes

    in shared memory  T(m + 1), because the merged result must be read again;
    by messages       T(m), because the result stays with its owners;

and T0 less in the second row, except for the last batch, as if starting one were free. The depth order, which
forbids most batches, and the agreement on batches cost nothing here, and a plan knows the late ranks in
advance.

    mpiexec -n 8 python bench/late/least.py
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from arrivals import SPREADS, Messages, SharedMemory, time_frames
from mpi4py import MPI

import sortlast as sl
from sortlast.bench import pattern
from sortlast.bench.task import Task

NOTHING = (0, 0, 0, 0)


def time_counts(comm: MPI.Intracomm, image: object, frames: int, options: dict[str, Any]) -> list[float]:
    """Seconds of a frame in which 1, 2, .. p ranks have an image: medians, the same on all ranks."""
    found = []
    with sl.Compositor(comm, "direct-send", **options) as compositor:
        for count in range(1, comm.size + 1):
            frame = partial(compositor.composite, image, bounds=None if comm.rank < count else NOTHING)
            frame()
            found.append(time_frames(comm, frame, 0.0, frames).whole)
    return found


def least(seconds: Sequence[float], spread: float, again: int, start: float) -> float:
    """The time from the last arrival to the end under the best plan, in composite times.

    Args:
        seconds: of a frame of 1, 2, .. p images.
        spread: from the first arrival to the last, in composite times.
        again: images that a batch reads again after a first merge, in addition to the new ones.
        start: seconds saved by a batch that is not the last.
    """
    ranks, whole = len(seconds), seconds[-1]
    arrivals = [spread * whole * i / max(ranks - 1, 1) for i in range(ranks)]

    def batch(i: int, j: int) -> float:
        """Seconds to merge images i .. j - 1 with the result of the previous ones."""
        if again and j == 1:
            return 0  # a single image need not be moved
        taken = seconds[min(j - i + (again if i > 0 else 0), ranks) - 1]
        return taken if j == ranks else max(taken - start, 0)

    done = [0.0]  # by number of images: the earliest time at which they are merged
    for j in range(1, ranks + 1):
        done.append(min(max(done[i], arrivals[j - 1]) + batch(i, j) for i in range(j)))
    return (done[-1] - arrivals[-1]) / whole


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", default="1024x1024", help="of the images [pixels]")
    parser.add_argument("--frames", type=int, default=15, help="of each number of images")
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    width, height = map(int, options.size.split("x"))
    task = Task(width, height, "float32", "over", gather=False)
    image = pattern.image(task, comm.size, comm.rank).colour

    lines = [f"{task.title(comm.size)}: done after the last call at the earliest, in composite times T"]
    lines.append(f"{'':38}{'T [ms]':>8}" + "".join(f"{spread:>8g}" for spread in SPREADS))
    for name, way, again in (("shared memory", SharedMemory, 1), ("messages", Messages, 0)):
        seconds = time_counts(comm, image, options.frames, way.options)
        _, intercept = np.polyfit(np.arange(1, comm.size + 1), seconds, 1)
        for how, start in ((name, 0.0), (f"{name}, starts free", max(float(intercept), 0))):
            cells = "".join(f"{least(seconds, spread, again, start):8.2f}" for spread in SPREADS)
            lines.append(f"{how:38}{seconds[-1] * 1e3:8.2f}{cells}")
        lines.append("  T(1) .. T(p) [ms]: " + " ".join(f"{each * 1e3:.1f}" for each in seconds))
    if comm.rank == 0:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
