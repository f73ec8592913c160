"""Frames of a compositor on hosts of network namespaces, under ftree's tables and tables for binary swap.

The ranks run ``python -m ...measured SETTINGS REPORT``.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

import sortlast
from sortlast import fabric, launch
from sortlast_studies.made_routes.frames import SEED
from sortlast_studies.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI

NET, HOSTS = "k-ary-n-tree:5,2", 16  # leaves of five hosts, so that swaps cross them
RATE = 30.0  # Mbit/s per link; the cores of a small machine can fill all links at this rate
IMAGE = (256, 256)
USUAL, MADE = "ftree", "made for binary swap"
TIMEOUT = 600.0


def on_hosts(algorithm: str, frames: int, turns: int) -> Json:
    """Frames per second by tables and turn; {"refused": reason} if this machine has no namespaces."""
    from sortlast_testbed import why_not

    if why := why_not():
        return {"refused": why}
    found: dict[str, list[float]] = {USUAL: [], MADE: []}
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made.lfts")
        topology = fabric.assign_lids(fabric.make_topology(NET))
        made.write_text(
            fabric.write_lfts(fabric.route_for(topology, ["binary-swap"], range(HOSTS), seed=SEED).routes)
        )
        for _ in range(turns):
            for name, tables in ((USUAL, None), (MADE, str(made))):
                found[name].append(_frames_per_second(tables, algorithm, frames))
    return found


def _frames_per_second(tables: str | None, algorithm: str, frames: int) -> float:
    from sortlast_testbed import Settings, Testbed, answer

    asked = {"algorithm": algorithm, "frames": frames}
    with Testbed(Settings(NET, rate_mbit=RATE, lft=tables)) as testbed:
        seconds = answer(testbed, range(HOSTS), __name__, asked, TIMEOUT)
    return float(1 / median(seconds))


def measure(comm: MPI.Intracomm, settings: Json) -> Json:
    """Seconds of each frame, until all ranks have their tile. Collective.

    Settings: ``algorithm``, ``frames``. Images have no empty pixels, so that all of them travel.
    """
    pixels = np.full((*IMAGE, 4), 0.25, np.float32)
    seconds = []
    with sortlast.Compositor(comm, algorithm=settings["algorithm"]) as compositor:
        for _ in range(settings["frames"] + 1):
            comm.barrier()
            began = time.perf_counter()
            compositor.composite(pixels)
            comm.barrier()
            seconds.append(time.perf_counter() - began)
    return seconds[1:]  # the first opens the connections


if __name__ == "__main__":
    launch.serve(measure)
