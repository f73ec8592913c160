#!/usr/bin/env python3
"""Time two builds of sortlast in alternation, frame by frame: did a change cost anything?

OLD and NEW are folders that contain the package ``sortlast`` with its extension modules, such as
site-packages or the folder python/ of a checkout. The ranks of both builds run at the same time; one build
sleeps while the other makes a frame, so a change in the speed of the machine affects both. Every cell of
``sortlast bench matrix`` with this number of ranks is timed, after its answer has been checked. The ranks are
started several times, because the placement of their pages in memory changes the time of dense messages by up
to a third from one start to the next. Writes old.json and new.json for bench/compare.py. Exit status: 0, or 1
if a build fails, with the reason.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import select
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median

PEERS = ["sortlast", "sortlast-allocated", "sortlast-messages"]
WARM_UPS = 2  # frames of each peer that are not timed
SETUP, DONE = b"s", b"d"  # commands to a rank; otherwise the index of the peer that makes the next frame


class Build:
    """The ranks of one build, running and asleep."""

    def __init__(self, folder: Path, package: Path, ranks: int) -> None:
        import sortlast.launch as launch

        folder.mkdir()
        self.folder, self.package, self.ranks = folder, package, ranks
        for pipe in [*map(self._inbox, range(ranks)), folder / "said"]:
            os.mkfifo(pipe)
        # Open for reading and writing: opening does not block, and reading never finds an end of file.
        self._told = [os.open(self._inbox(rank), os.O_RDWR) for rank in range(ranks)]
        self._said = os.open(folder / "said", os.O_RDWR)
        launcher = launch.find_mpiexec()
        cores = len(os.sched_getaffinity(0))
        settings = launch.environment(launcher.family, ranks, cores, os.geteuid() == 0)
        self.process = subprocess.Popen(
            [launcher.path, "-n", str(ranks), sys.executable, __file__, "--rank", folder],
            env={**settings, **os.environ, "PYTHONPATH": str(package)},
            stdin=subprocess.DEVNULL,
        )

    def _inbox(self, rank: int) -> Path:
        return self.folder / f"rank-{rank}"

    def tell(self, what: bytes) -> None:
        """Send it to all ranks, and wait until all have finished."""
        for pipe in self._told:
            os.write(pipe, what)
        left = self.ranks
        while left:
            if select.select([self._said], [], [], 1.0)[0]:
                left -= len(os.read(self._said, left))
            elif self.process.poll() is not None:
                sys.exit(f"alternate.py: the ranks of {self.package} have ended; what they said is above")

    def report(self) -> dict:
        """The machine of the measurement, and the cells.

        For each cell: errors, and for all frames the milliseconds of the slowest rank and of all processors.
        """
        if self.process.wait() != 0:
            sys.exit(f"alternate.py: the ranks of {self.package} failed; what they said is above")
        return json.loads((self.folder / "report.json").read_text())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--ranks", type=int, default=4, help="default: %(default)s")
    parser.add_argument("--frames", type=int, default=21, help="per build and start; default: %(default)s")
    parser.add_argument("--starts", type=int, default=5, help="of the ranks of both; default: %(default)s")
    parser.add_argument("--size", help="such as 2048x1024: of all cells, instead of their own")
    parser.add_argument(
        "--output", type=Path, default=Path(), help="folder of the two files; default: this one"
    )
    options = parser.parse_args()

    # Choose the cells.
    sys.path.insert(0, str(options.new.resolve()))
    from sortlast.bench.cells import matrix

    tasks = [task for ranks, task in matrix() if ranks == options.ranks]
    if options.size is not None:
        width, height = map(int, options.size.split("x"))
        tasks = list(dict.fromkeys(replace(task, width=width, height=height) for task in tasks))
    if not tasks or options.frames < 1 or options.starts < 1:
        parser.error(f"no cell of the matrix has {options.ranks} ranks, or no frame is asked for")

    # Alternate between the builds, and start their ranks again several times.
    packages = {"old": options.old.resolve(), "new": options.new.resolve()}
    starts: dict[str, list[dict]] = {name: [] for name in packages}
    for start in range(1, options.starts + 1):
        print(f"start {start} of {options.starts}", file=sys.stderr)
        for name, report in measure(packages, tasks, options.ranks, options.frames).items():
            starts[name].append(report)

    # Write the measurements.
    options.output.mkdir(parents=True, exist_ok=True)
    for name, reports in starts.items():
        found = [
            row(asdict(task), peer, options.ranks, [report["cells"][i] for report in reports], number)
            | reports[0]["origin"]
            for i, task in enumerate(tasks)
            for number, peer in enumerate(PEERS)
        ]
        (options.output / f"{name}.json").write_text(json.dumps(found, indent=1))
    return 0


def measure(packages: dict[str, Path], tasks: list, ranks: int, frames: int) -> dict[str, dict]:
    """Start the ranks of both builds and make the frames of all cells; the report of each build."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.json"
        plan.write_text(json.dumps([asdict(task) for task in tasks]))
        builds = {}
        try:
            for name, package in packages.items():
                builds[name] = Build(Path(folder) / name, package, ranks)
            for number, task in enumerate(tasks, 1):
                print(f"{number} of {len(tasks)}: {task.title(ranks)}", file=sys.stderr)
                take_turns(list(builds.values()), frames)
            return {name: build.report() for name, build in builds.items()}
        finally:
            for build in builds.values():
                build.process.terminate()
                build.process.wait()


def take_turns(builds: list[Build], frames: int) -> None:
    """Time one cell: peers in random order, and for each peer a frame of each build in random order."""
    chance = random.Random(frames)
    for build in builds:
        build.tell(SETUP)
    for _ in range(WARM_UPS + frames):
        for peer in chance.sample(range(len(PEERS)), len(PEERS)):
            for build in chance.sample(builds, len(builds)):
                build.tell(bytes([peer]))
    for build in builds:
        build.tell(DONE)


def row(task: dict, peer: str, ranks: int, starts: list, number: int) -> dict:
    """The row of one peer, as ``sortlast bench`` writes it: the median over the starts of their medians."""
    walls = [walls[number][WARM_UPS:] for _, walls, _ in starts]
    works = [works[number][WARM_UPS:] for _, _, works in starts]
    return {
        "task": "composite",
        "peer": peer,
        "algorithm": "auto",
        "ranks": ranks,
        **task,
        "frames": sum(map(len, walls)),
        "median_ms": median(map(median, walls)),
        "min_ms": min(map(min, walls)),
        "max_ms": max(map(max, walls)),
        "cpu_ms": median(map(median, works)),
        "max_abs_error": max(errors[number] for errors, _, _ in starts),
        "peak_bytes": None,
    }


def origin(comm) -> dict:
    """The machine and library of the measurement, as in rows; empty if the build does not report them."""
    try:
        from sortlast.bench import origin
    except ImportError:
        return {}
    return asdict(origin(comm))


def rank(folder: Path) -> None:
    """A rank of one build: sleep, make the requested frame, report completion."""
    import numpy as np
    from mpi4py import MPI

    from sortlast.bench import Task, pattern
    from sortlast.bench import peers as made
    from sortlast.bench.oracle import Oracle
    from sortlast.bench.peer import Scene

    comm = MPI.COMM_WORLD
    inbox = open(folder / f"rank-{comm.rank}", "rb", buffering=0)  # noqa: SIM115
    said = open(folder / "said", "wb", buffering=0)  # noqa: SIM115
    made_by = origin(comm)
    report = []
    for fields in json.loads((folder.parent / "plan.json").read_text()):
        # Set up and check all peers.
        task = Task(**fields)
        inbox.read(1)
        scene = Scene(comm, task, pattern.image(task, comm.size, comm.rank))
        oracle = Oracle(comm, task)
        peers, errors = [made.PEERS[name](scene, "auto") for name in PEERS], []
        for peer in peers:
            peer.frame()
            errors.append(peer.error(oracle))
            if not errors[-1] <= peer.bound():
                raise SystemExit(f"{peer.name} is wrong by {errors[-1]:g}: {task.title(comm.size)}")
        oracle.close()
        gc.collect()
        gc.disable()
        said.write(b".")

        # Make the frames.
        wall: list[list[float]] = [[] for _ in PEERS]
        work: list[list[float]] = [[] for _ in PEERS]
        while (told := inbox.read(1)) not in (DONE, b""):
            comm.Barrier()
            begin, worked = time.perf_counter(), time.process_time()
            peers[told[0]].frame()
            wall[told[0]].append(1e3 * (time.perf_counter() - begin))
            work[told[0]].append(1e3 * (time.process_time() - worked))
            said.write(b".")
        slowest = np.array(wall)
        together = np.array(work)
        comm.Allreduce(MPI.IN_PLACE, slowest, op=MPI.MAX)
        comm.Allreduce(MPI.IN_PLACE, together, op=MPI.SUM)
        report.append((errors, slowest.tolist(), together.tolist()))
        for peer in peers:
            peer.close()
        del peers, scene
        gc.enable()
        if comm.rank == 0:
            (folder / "report.json").write_text(json.dumps({"origin": made_by, "cells": report}))
        said.write(b".")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        rank(Path(sys.argv[2]))
    else:
        sys.exit(main())
