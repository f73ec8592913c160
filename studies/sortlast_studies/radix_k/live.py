"""Frames measured on this machine: Figure 1 with MPI's reductions, Figures 4 and 5 as far as possible.

All pixels travel as messages (``nodes=1``), as on Blue Gene/P; otherwise the library would let ranks of one
machine read each other's images. The reductions use `over` as a non-commutative operator, built from this
library's kernels (section 2.2). Started as a module, this is the program of each rank.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from sortlast import bench, launch
from sortlast.bench import Row, Task
from sortlast.provenance import Provenance
from sortlast_studies.steps import Json, Step, on_ranks

if TYPE_CHECKING:
    from mpi4py import MPI

MESSAGES = "sortlast-messages"
REDUCTIONS = {
    "mpi-reduce": "MPI_Reduce",
    "mpi-allreduce": "MPI_Allreduce",
    "mpi-reduce-scatter": "MPI_Reduce_scatter",
}
ALGORITHMS = ("binary-swap", "radix-k", "direct-send")
_WIDTH = {1: 1024, 2: 2048, 4: 2048, 8: 4096}  # of the images, by megapixels; they are wider than high
_TIMEOUT = 300.0  # per measurement [s]


@dataclass(frozen=True)
class Plan:
    """Numbers of ranks, sizes [megapixels], and frames per measurement."""

    reductions: tuple[int, ...]  # numbers of ranks with MPI's reductions
    others: tuple[int, ...]  # numbers of ranks without them
    sizes_ranks: int
    sizes: tuple[float, ...]
    frames: int


WHOLE = Plan((2, 4, 8, 16), (3, 6, 9, 12), 4, (1, 2, 4, 8), 5)
QUICK = Plan((2, 4), (3,), 2, (0.5, 1), 3)


def steps(quick: bool) -> list[Step]:
    """The steps: one per number of ranks, one for the sizes, and one for active pixels."""
    plan = QUICK if quick else WHOLE
    size = 1 if quick else 2
    every, own = [MESSAGES, *REDUCTIONS], [MESSAGES]
    counts = [(p, every) for p in plan.reductions] + [(p, own) for p in plan.others]
    sizes = [_task(each) for each in plan.sizes]
    contents = [_task(size, content) for content in ("dense", "block")]
    p = plan.reductions[-2]
    return [
        *(_frames(f"live/p{p}-{size}", p, [_task(size)], peers, plan.frames) for p, peers in sorted(counts)),
        _frames(f"live/sizes-p{plan.sizes_ranks}", plan.sizes_ranks, sizes, every, plan.frames),
        _frames(f"live/active-p{p}", p, contents, own, 3 * plan.frames),
    ]


def rows(found: Mapping[str, Json]) -> list[Row]:
    """The rows reported by the ranks of one step."""
    return [Row(**row) for row in found["rows"]]


def name(row: Row) -> str:
    """Name of the measured algorithm or reduction."""
    return REDUCTIONS.get(row.peer, row.algorithm)


def _task(megapixels: float, content: str = "dense") -> Task:
    width = _WIDTH.get(int(megapixels), 1024)
    return Task(width, round(megapixels * (1 << 20)) // width, "float32", "over", False, content)


def _frames(name: str, p: int, tasks: list[Task], peers: list[str], frames: int) -> Step:
    asked: Mapping[str, Json] = {
        "tasks": [asdict(task) for task in tasks],
        "algorithms": list(ALGORITHMS),
        "peers": peers,
        "frames": frames,
    }
    return on_ranks(name, __name__, asked, p, _TIMEOUT, work=1000 * p * len(tasks))


def measure(comm: MPI.Intracomm, asked: Json) -> Json:
    """The report of :func:`sortlast.bench.run` as JSON, with the number of cores; on all ranks. Collective.

    Its rows lack the provenance, which is in the file of the step.
    """
    tasks = [Task(**task) for task in asked["tasks"]]
    settings = bench.Settings(**{**asked, "tasks": tasks})
    report = asdict(bench.run(comm, settings, lambda what, done, total: None))
    report["cores"] = len(os.sched_getaffinity(0))
    for row in report["rows"]:
        for field in fields(Provenance):
            del row[field.name]
    return report


if __name__ == "__main__":
    launch.serve(measure)
