"""Frames measured on this machine: Figure 1 beside MPI's reductions, Figures 4 and 5 as far as it goes.

All pixels travel as messages (``nodes=1``), as they did on Blue Gene/P; the library would otherwise let ranks
of one machine read each other's images. The reductions get `over` as an operator that does not commute, made
of this library's kernels (section 2.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from sortlast import launch
from sortlast.bench import Row, Task
from sortlast.study.steps import Json, PartDone, Step
from sortlast.study.study import Results

MESSAGES = "sortlast-messages"
REDUCTIONS = {
    "mpi-reduce": "MPI_Reduce",
    "mpi-allreduce": "MPI_Allreduce",
    "mpi-reduce-scatter": "MPI_Reduce_scatter",
}
_ALGORITHMS = ("binary-swap", "radix-k", "direct-send")
_WIDTH = {1: 1024, 2: 2048, 4: 2048, 8: 4096}  # of the images, by megapixels; they are wider than high
_TIMEOUT = 300.0  # of one measurement [s]


@dataclass(frozen=True)
class Plan:
    """What is measured: numbers of ranks, sizes [megapixels], and frames of each."""

    reductions: tuple[int, ...]  # numbers of ranks beside MPI's reductions
    others: tuple[int, ...]  # and those without
    sizes_ranks: int
    sizes: tuple[float, ...]
    frames: int


WHOLE = Plan((2, 4, 8, 16), (3, 6, 9, 12), 4, (1, 2, 4, 8), 5)
QUICK = Plan((2, 4), (3,), 2, (0.5, 1), 3)


def steps(quick: bool) -> list[Step]:
    """One a number of ranks, the sizes, and the active pixels."""
    plan = QUICK if quick else WHOLE
    size = 1 if quick else 2
    every, own = [MESSAGES, *REDUCTIONS], [MESSAGES]
    counts = [(p, every) for p in plan.reductions] + [(p, own) for p in plan.others]
    return [
        *(_frames(f"live/p{p}-{size}", p, [_task(size)], peers, plan.frames) for p, peers in sorted(counts)),
        _frames(
            f"live/sizes-p{plan.sizes_ranks}",
            plan.sizes_ranks,
            [_task(each) for each in plan.sizes],
            every,
            plan.frames,
        ),
        _frames(
            f"live/active-p{plan.reductions[-2]}",
            plan.reductions[-2],
            [_task(size, content) for content in ("dense", "block")],
            own,
            3 * plan.frames,
        ),
    ]


def by_ranks(results: Results) -> dict[int, dict[str, float]]:
    """Milliseconds of a frame by number of ranks and by name, an algorithm's or a reduction's."""
    found = {
        int(key.removeprefix("live/p").partition("-")[0]): _medians(_rows(value))
        for key, value in results.items()
        if key.startswith("live/p")
    }
    return dict(sorted(found.items()))


def by_size(results: Results) -> dict[float, dict[str, float]]:
    """The same by megapixels."""
    rows = _rows(_found(results, "sizes"))
    return {n / (1 << 20): _medians([row for row in rows if row.task_of().n == n]) for n in _sizes(rows)}


def by_content(results: Results) -> dict[str, dict[str, float]]:
    """The same by content of the image, "dense" or "block"; see :class:`sortlast.bench.Task`."""
    rows = _rows(_found(results, "active"))
    return {each: _medians([row for row in rows if row.content == each]) for each in ("dense", "block")}


def ranks_of(results: Results, what: str) -> int:
    """How many ranks the measurement of "sizes" or of "active" pixels had."""
    return _rows(_found(results, what))[0].ranks


def worst_error(results: Results) -> float:
    """Greatest difference of any answer to the serial composite, in units of a channel."""
    return max(
        row.max_abs_error for key, found in results.items() if key.startswith("live/") for row in _rows(found)
    )


def _found(results: Results, what: str) -> Json:
    return next(found for name, found in results.items() if name.startswith(f"live/{what}"))


def _sizes(rows: list[Row]) -> list[int]:
    return sorted({row.task_of().n for row in rows})


def _rows(found: Mapping[str, Json]) -> list[Row]:
    return [Row(**row) for row in found["rows"]]


def _medians(rows: list[Row]) -> dict[str, float]:
    return {REDUCTIONS.get(row.peer, row.algorithm): row.median_ms for row in rows}


def _task(megapixels: float, content: str = "dense") -> Task:
    width = _WIDTH.get(int(megapixels), 1024)
    return Task(width, round(megapixels * (1 << 20)) // width, "float32", "over", False, content)


def _frames(name: str, p: int, tasks: list[Task], peers: list[str], frames: int) -> Step:
    asked: Mapping[str, Json] = {
        "tasks": [asdict(task) for task in tasks],
        "algorithms": list(_ALGORITHMS),
        "peers": peers,
        "frames": frames,
    }

    def compute(part_done: PartDone) -> Json:
        return launch.ranks("sortlast.study.radix_k._bench_ranks", asked, p, _TIMEOUT)

    return Step(name, compute, work=1000 * p * len(tasks), alone=True)
