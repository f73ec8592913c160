"""Measure: check every peer, then let them take turns. What each rank runs."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sortlast._errors import Error
from sortlast.bench import memory, pattern
from sortlast.bench.oracle import Oracle
from sortlast.bench.peer import Peer
from sortlast.bench.peers import PEERS
from sortlast.bench.task import Row, Task

if TYPE_CHECKING:
    from mpi4py import MPI

WARM_UPS = 2  # frames of each peer that are not timed, before its memory is read and before it is timed
_MEASURED = 3  # frames during which its memory is read: how many pieces are under way at once varies
_SEED = 2012  # of the orders of turns

Progress = Callable[[str, int, int], None]  # what is done now, steps done, steps in all


@dataclass(frozen=True)
class Settings:
    """What to measure: each size (width, height), with each of ``gather``, by all peers.

    ``algorithms``: of sortlast. ``frames``: how many are timed.
    """

    sizes: list[tuple[int, int]]
    algorithms: list[str]
    peers: list[str]
    format: str = "float32"
    op: str = "over"
    gather: list[bool] = field(default_factory=lambda: [True])
    frames: int = 10

    def tasks(self) -> list[Task]:
        """All tasks, in the order in which they are measured."""
        return [
            Task(width, height, self.format, self.op, gather)
            for width, height in self.sizes
            for gather in self.gather
        ]


@dataclass(frozen=True)
class Report:
    """What was measured, and lines on what was left out and which parameters were chosen."""

    rows: list[Row]
    notes: list[str]


@dataclass(frozen=True)
class _Entry:
    """A peer with one of its algorithms, before it is set up."""

    peer: type[Peer]
    algorithm: str


def run(comm: MPI.Intracomm, settings: Settings, progress: Progress) -> Report:
    """Measure everything on the ranks of ``comm``; the same report on every rank. Communicates.

    ``progress`` is called on rank 0 alone. Raises sortlast.Error on every rank if an answer is wrong.
    """
    report = Report([], [])
    tasks = settings.tasks()
    show = progress if comm.rank == 0 else lambda what, done, total: None
    for k, task in enumerate(tasks):
        title = f"{comm.size} ranks, {task.width}x{task.height}{', gather' if task.gather else ''}"

        def part(what: str, share: float, k: int = k, title: str = title) -> None:
            show(f"{title}: {what}", round(1000 * (k + share)), 1000 * len(tasks))

        _measure(comm, task, settings, part, report)
    show("done", 1, 1)
    return report


def _measure(
    comm: MPI.Intracomm,
    task: Task,
    settings: Settings,
    progress: Callable[[str, float], None],
    report: Report,
) -> None:
    """Measure one task and add it to the report."""
    entries = _entries(comm, task, settings, report.notes)

    # Make the images and the right answer.
    progress("serial composite", 0.0)
    image = pattern.image(task, comm.rank)
    oracle = Oracle(comm, task)

    # Check every answer.
    errors = []
    for entry in entries:
        progress(f"checking {entry.peer.name} {entry.algorithm}", 0.1)
        errors.append(_check(comm, task, image, entry, oracle))
    oracle.close()

    # Find what memory each takes while no other is set up.
    peaks = []
    for entry in entries:
        progress(f"memory of {entry.peer.name} {entry.algorithm}", 0.2)
        peaks.append(_peak(comm, task, image, entry))

    # Set all up and let them take turns.
    peers = [entry.peer(comm, task, image, entry.algorithm) for entry in entries]
    seconds = _time(
        comm, peers, settings.frames, lambda frame: progress("timing", 0.3 + 0.7 * frame / settings.frames)
    )
    for peer, times, error, peak in zip(peers, 1e3 * seconds, errors, peaks, strict=True):
        report.rows.append(
            Row(
                task="composite",
                peer=peer.name,
                algorithm=peer.algorithm,
                ranks=comm.size,
                **asdict(task),
                frames=settings.frames,
                median_ms=float(np.median(times)),
                min_ms=float(times.min()),
                max_ms=float(times.max()),
                max_abs_error=error,
                peak_bytes=peak,
            )
        )
        if peer.chosen() != peer.algorithm:
            note = f"{comm.size} ranks, {task.width}x{task.height}: {peer.algorithm} is {peer.chosen()}"
            if note not in report.notes:
                report.notes.append(note)
        peer.close()


def _entries(comm: MPI.Intracomm, task: Task, settings: Settings, notes: list[str]) -> list[_Entry]:
    entries = []
    for name in settings.peers:
        peer = PEERS[name]
        obstacle = peer.obstacle(comm, task)
        if obstacle is not None:
            line = f"{name} is left out: {obstacle}"
            if line not in notes:
                notes.append(line)
            continue
        entries += [_Entry(peer, algorithm) for algorithm in peer.algorithms(settings.algorithms)]
    return entries


def _check(comm: MPI.Intracomm, task: Task, image: pattern.Image, entry: _Entry, oracle: Oracle) -> float:
    """Difference to the right answer; an Error on every rank if it is too great."""
    peer = entry.peer(comm, task, image, entry.algorithm)
    peer.frame()
    error, bound = peer.error(oracle), peer.bound()
    peer.close()
    if not error <= bound:
        raise Error(
            f"{peer.name} ({peer.algorithm}) is wrong: {task.op} of {comm.size} images,"
            f" {task.width}x{task.height} {task.format}, differs from the serial composite by {error:g},"
            f" more than {bound:g}"
        )
    return error


def _peak(comm: MPI.Intracomm, task: Task, image: pattern.Image, entry: _Entry) -> int | None:
    """Most memory that warm frames take on any rank, in bytes; see :mod:`sortlast.bench.memory`."""
    peer = entry.peer(comm, task, image, entry.algorithm)
    for _ in range(WARM_UPS):
        peer.frame()
    memory.reset_peak()
    for _ in range(_MEASURED):
        comm.Barrier()
        peer.frame()
    peak = memory.peak()
    peer.close()
    del peer  # and with it the result
    after = memory.resident()
    taken = None if after is None or peak is None else max(0, peak - after)
    ranks = [bytes_ for bytes_ in comm.allgather(taken) if bytes_ is not None]
    return max(ranks, default=None)


def turns(peers: int, frames: int) -> list[list[int]]:
    """Who follows whom: for each frame the peers in an order of its own, the same on every rank.

    A frame finds the caches, the memory and the ranks' delays as the one before it left them. In random
    orders every peer follows every other equally often in the long run, and none pays for the same one.
    """
    random = np.random.default_rng(_SEED)
    return [random.permutation(peers).tolist() for _ in range(frames)]


def _time(
    comm: MPI.Intracomm, peers: Sequence[Peer], frames: int, progress: Callable[[int], None]
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Seconds (peers, frames): of each frame those of the slowest rank. WARM_UPS rounds come before."""
    from mpi4py import MPI

    seconds = np.zeros((len(peers), frames))
    with _no_garbage_collection():
        for frame, order in enumerate(turns(len(peers), WARM_UPS + frames), -WARM_UPS):
            progress(max(frame, 0))
            for k in order:
                comm.Barrier()
                begin = time.perf_counter()
                peers[k].frame()
                if frame >= 0:
                    seconds[k, frame] = time.perf_counter() - begin
    comm.Allreduce(MPI.IN_PLACE, seconds, op=MPI.MAX)
    return seconds


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
