#!/usr/bin/env python3
"""If ranks arrive one after another, how long after the last arrival is the frame done?

Run it under mpiexec. Each method is first timed with all ranks arriving together, which gives its composite
time T: from their arrival until all have finished, because if ranks share cores, the last may start long
after the others. Then arrivals are spread evenly over 0, 0.5, 1, 2 and 5 T, in a random order that changes
from frame to frame; a rank sleeps until its arrival. Prints, in units of T, the median over the frames of the
time from the last rank's call until all ranks have finished. A method that waits for all ranks before it
begins has about 1 in every column; one that merges images as they arrive has less. For ``leave-out`` the time
counts from the first rank's call, and the number of ranks left out of a frame is printed as well.

    mpiexec -n 8 python bench/late/arrivals.py --icet FOLDER --json late.json
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from mpi4py import MPI

import sortlast as sl
from sortlast import provenance
from sortlast.bench import pattern
from sortlast.bench.oracle import Finished, Oracle
from sortlast.bench.peer import Peer, Scene
from sortlast.bench.peers import PEERS
from sortlast.bench.task import Task

SPREADS = (0.0, 0.5, 1.0, 2.0, 5.0)  # of the arrivals, in composite times
ICET = "sequential automatic"


class SharedMemory(Peer):
    """sortlast, reading images in place."""

    name = "sortlast"
    options: ClassVar[dict[str, Any]] = {}

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(scene, algorithm)
        self._comp = sl.Compositor(self.comm, algorithm, **self.options)
        self._tile: sl.Tile

    @classmethod
    def algorithms(cls, scene: Scene) -> list[str]:
        """The requested algorithms."""
        return list(scene.asked)

    def frame(self) -> None:
        """Composite."""
        self._tile = self._comp.composite(self.image.colour)

    def finished(self) -> Finished:
        """The tile."""
        return Finished(self._tile.begin, self._tile.pixels)


class Messages(SharedMemory):
    """All pixels as messages; messages are merged as they arrive."""

    name = "sortlast-messages"
    options: ClassVar[dict[str, Any]] = {"node_ranks": 1}


@dataclass(frozen=True)
class Row:
    """One method of compositing."""

    name: str
    algorithm: str
    composite_seconds: float  # with all ranks arriving together
    after_last: dict[
        float, float
    ]  # by spread: from the last call until all have finished, in composite times


def at(moment: float) -> None:
    """Sleep until a time of MPI.Wtime(), which all ranks of a machine share."""
    while (left := moment - MPI.Wtime()) > 0:
        time.sleep(left)


class Taken(NamedTuple):
    """Time until all ranks had finished a frame, medians of rank 0 [s]."""

    whole: float  # from the first rank's arrival
    after_last: float  # from the last rank's call


def time_frames(comm: MPI.Intracomm, frame: Callable[[], object], spread: float, frames: int) -> Taken:
    """Time frames with ranks arriving one after another. The same on all ranks."""
    order, whole, after_last = random.Random(17), [], []
    for _ in range(frames):
        places = list(range(comm.size))
        order.shuffle(places)
        start = comm.bcast(MPI.Wtime() + 0.005)
        place = places[comm.rank] / max(comm.size - 1, 1)
        at(start + place * spread)
        begin = MPI.Wtime()
        frame()
        end = comm.allreduce(MPI.Wtime(), MPI.MAX)
        whole.append(end - start)
        after_last.append(end - comm.allreduce(begin, MPI.MAX))
    taken = Taken(statistics.median(whole), statistics.median(after_last))
    return Taken(*comm.bcast(taken))


def time_leaving_out(
    comm: MPI.Intracomm, image: object, whole: float, spread: float, frames: int
) -> tuple[float, float]:
    """Seconds from the first rank's call until the frame's ranks have finished; ranks left out per frame.

    The deadline is one composite time. Every frame has a separate compositor, so that all ranks are punctual
    when it begins.
    """
    order, taken, left_out = random.Random(17), [], []
    for _ in range(frames):
        places = list(range(comm.size))
        order.shuffle(places)
        with sl.Compositor(comm, deadline=whole) as comp:
            comp.composite(image, deadline=30.0)
            start = comm.bcast(MPI.Wtime() + 0.005)
            at(start + places[comm.rank] / max(comm.size - 1, 1) * spread)
            begin = MPI.Wtime()
            tile = comp.composite(image)
            end = MPI.Wtime()
            there = tile.frame == 2
            if there and tile.left_out:
                comp.composite(image, deadline=math.inf)  # with the late ranks, which wait in the next frame
            last = comm.allreduce(end if there else 0.0, MPI.MAX)
            taken.append(last - comm.allreduce(begin, MPI.MIN))
            left_out.append(comm.size - comm.allreduce(int(there)))
    return statistics.median(taken), statistics.mean(left_out)


def measure(comm: MPI.Intracomm, scene: Scene, peer: type[Peer], algorithm: str, frames: int) -> Row:
    """One method: its composite time, and the time after the last call for every spread."""
    made = peer(scene, algorithm)
    for _ in range(3):
        made.frame()
    error = made.error(Oracle(comm, scene.task))
    if error > made.bound():
        raise SystemExit(f"{peer.name} {algorithm} is wrong by {error}")
    whole = time_frames(comm, made.frame, 0.0, frames).whole
    after = {
        spread: time_frames(comm, made.frame, spread * whole, frames).after_last / whole for spread in SPREADS
    }
    made.close()
    return Row(peer.name, algorithm, whole, after)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", default="1024x1024", help="of the images [pixels]")
    parser.add_argument("--frames", type=int, default=15, help="of each spread")
    parser.add_argument("--algorithm", action="append", help="of sortlast; may be repeated")
    parser.add_argument("--icet", help="folder of an installed IceT of the same MPI")
    parser.add_argument("--json", type=Path, help="file for the results")
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    width, height = map(int, options.size.split("x"))
    task = Task(width, height, "float32", "over", gather=False)
    image = pattern.image(task, comm.size, comm.rank)
    asked = options.algorithm or ["auto"]
    scene = Scene(comm, task, image, asked, {"icet": options.icet} if options.icet else {})

    # Methods that wait for the last rank.
    rows = []
    for peer in (SharedMemory, Messages):
        rows += [measure(comm, scene, peer, algorithm, options.frames) for algorithm in asked]
    if options.icet:
        rows.append(measure(comm, scene, PEERS["icet"], ICET, options.frames))

    # Methods that do not.
    whole = rows[0].composite_seconds
    left = {
        spread: time_leaving_out(comm, image.colour, whole, spread * whole, options.frames)
        for spread in SPREADS
    }
    if comm.rank != 0:
        return
    print(f"{task.title(comm.size)}: done after the last call, in composite times T")
    print(f"{'':44}{'T [ms]':>8}" + "".join(f"{spread:>8g}" for spread in SPREADS))
    for row in rows:
        cells = "".join(f"{value:8.2f}" for value in row.after_last.values())
        print(f"{row.name + ' ' + row.algorithm:44}{row.composite_seconds * 1e3:8.2f}{cells}")
    print(f"{'leave-out, deadline T: done after the first':52}", end="")
    print("".join(f"{taken / whole:8.2f}" for taken, _ in left.values()))
    print(f"{'ranks left out of a frame':52}" + "".join(f"{out:8.2f}" for _, out in left.values()))
    if options.json:
        report = {
            "title": task.title(comm.size),
            "rows": [asdict(row) for row in rows],
            "leave_out": {
                spread: {"seconds": taken, "left_out": out} for spread, (taken, out) in left.items()
            },
            "provenance": asdict(provenance.here()),
        }
        options.json.write_text(json.dumps(report, indent=1, default=str))


if __name__ == "__main__":
    main()
