"""The measurement, run by every rank: check every peer, then let them take turns."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sortlast import provenance
from sortlast._errors import Error
from sortlast.bench import memory, pattern, turns
from sortlast.bench.oracle import Oracle
from sortlast.bench.peer import Peer, Scene
from sortlast.bench.peers import PEERS
from sortlast.bench.task import Row, Task
from sortlast.provenance import Provenance

if TYPE_CHECKING:
    from mpi4py import MPI

WARM_UPS = 2  # untimed frames of each peer before its memory is read and before it is timed
_MEASURED = 3  # frames during which memory is read, because the number of pieces in flight varies
_LOOKS = 2  # frames of a peer's first look; the faster one counts
_LAPS = 3  # over the groups of peers, if they do not all fit into memory

Progress = Callable[[str, int, int], None]  # current activity, steps done, total steps


@dataclass(frozen=True)
class Settings:
    """The measurements to make: each task by all peers.

    ``algorithms``: of sortlast. ``frames``: number of timed frames. ``installed``: paths of peers that are
    not part of sortlast, by name.
    """

    tasks: list[Task]
    algorithms: list[str]
    peers: list[str]
    frames: int = 10
    installed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """Measurements, with notes on peers left out and parameters chosen."""

    rows: list[Row]
    notes: list[str]

    def note(self, line: str) -> None:
        """Add a line, unless it is already present."""
        if line not in self.notes:
            self.notes.append(line)


@dataclass(frozen=True)
class _Entry:
    """A peer with one of its algorithms, not set up yet."""

    peer: type[Peer]
    algorithm: str


@dataclass(frozen=True)
class _Checked:
    """An entry with a right answer: its error, and the seconds of its first look if it had one."""

    entry: _Entry
    error: float
    look: float


def run(comm: MPI.Intracomm, settings: Settings, progress: Progress) -> Report:
    """Measure everything on the ranks of ``comm``; the same report on every rank. Communicates.

    ``progress`` is called on rank 0 only. Raises sortlast.Error on every rank if an answer is wrong.
    """
    report = Report([], [])
    show = progress if comm.rank == 0 else lambda what, done, total: None
    made_by = origin(comm)
    total = 1000 * len(settings.tasks)
    for k, task in enumerate(settings.tasks):

        def part(what: str, share: float, k: int = k, task: Task = task) -> None:
            show(f"{task.title(comm.size)}: {what}", round(1000 * (k + share)), total)

        _measure(comm, task, settings, part, report, made_by)
    show("done", 1, 1)
    return report


def origin(comm: MPI.Intracomm) -> Provenance:
    """Provenance of a measurement on the ranks of ``comm``, with all cores they may use. Communicates."""
    cores = set[int]().union(*comm.allgather(os.sched_getaffinity(0)))
    here = replace(provenance.here(), cores=len(cores)) if comm.rank == 0 else None
    found: Provenance = comm.bcast(here)
    return found


def _measure(
    comm: MPI.Intracomm,
    task: Task,
    settings: Settings,
    progress: Callable[[str, float], None],
    report: Report,
    made_by: Provenance,
) -> None:
    """Measure one task and add it to the report."""
    # Make the images and the right answer.
    progress("serial composite", 0.0)
    image = pattern.image(task, comm.size, comm.rank)
    scene = Scene(comm, task, image, settings.algorithms, settings.installed)
    entries = _entries(scene, settings.peers, report)
    oracle = Oracle(comm, task)

    # Check every answer.
    checked = []
    for k, entry in enumerate(entries):
        progress(f"checking {entry.peer.name} {entry.algorithm}", 0.3 * k / len(entries))
        checked.append(_check(scene, entry, oracle))
    oracle.close()
    checked = _shortlist(checked, comm.size, report)

    # Measure the memory of each while no other peer is set up.
    peaks = []
    for k, entry in enumerate(one.entry for one in checked):
        progress(f"memory of {entry.peer.name} {entry.algorithm}", 0.3 + 0.2 * k / len(checked))
        peaks.append(_peak(scene, entry))

    # Time the peers in turns.
    timed = _time_all(
        scene,
        [one.entry for one in checked],
        [(peak or 0) + given for peak, given in peaks],
        settings.frames,
        lambda share: progress("timing", 0.5 + 0.5 * share),
    )
    for (seconds, chosen), one, (peak, _) in zip(timed, checked, peaks, strict=True):
        times, work = 1e3 * seconds
        algorithm = one.entry.algorithm
        report.rows.append(
            Row(
                task="composite",
                peer=one.entry.peer.name,
                algorithm=algorithm,
                ranks=comm.size,
                **asdict(task),
                frames=settings.frames,
                median_ms=float(np.median(times)),
                min_ms=float(times.min()),
                max_ms=float(times.max()),
                cpu_ms=float(np.median(work)),
                max_abs_error=one.error,
                peak_bytes=peak,
                **asdict(made_by),
            )
        )
        if chosen != algorithm:
            report.note(f"{comm.size} ranks, {task.width}x{task.height}: {algorithm} is {chosen}")


def _entries(scene: Scene, names: Sequence[str], report: Report) -> list[_Entry]:
    """The peers that can do the task, with all their algorithms."""
    entries = []
    for name in names:
        peer = PEERS[name]
        obstacle = peer.obstacle(scene)
        if obstacle is not None:
            report.note(f"{name} is left out: {obstacle}")
            continue
        entries += [_Entry(peer, algorithm) for algorithm in peer.algorithms(scene)]
    return entries


def _check(scene: Scene, entry: _Entry, oracle: Oracle) -> _Checked:
    """Difference to the right answer; raises Error on every rank if it is too large."""
    peer = entry.peer(scene, entry.algorithm)
    peer.frame()
    error, bound = peer.error(oracle), peer.bound()
    look = 0.0
    if error <= bound and peer.shortlist is not None:
        look = float(turns.time_frames(scene.comm, [peer], _LOOKS, lambda share: None, warm_ups=0)[0].min())
    peer.close()
    if not error <= bound:
        raise Error(
            f"{peer.name} ({peer.algorithm}) is wrong: {scene.task.title(scene.comm.size)}: differs from the"
            f" serial composite by {error:g}, more than {bound:g}"
        )
    return _Checked(entry, error, look)


def _shortlist(checked: Sequence[_Checked], ranks: int, report: Report) -> list[_Checked]:
    """Keep only the fastest algorithms, by the first look, of each peer with a shortlist."""
    kept = list(checked)
    for peer in dict.fromkeys(one.entry.peer for one in checked):
        own = sorted((one for one in checked if one.entry.peer is peer), key=lambda one: one.look)
        if peer.shortlist is not None and len(own) > peer.shortlist:
            report.note(
                f"{ranks} ranks: {peer.name} has {len(own)} settings; the {peer.shortlist} fastest of a first"
                " look are timed"
            )
            kept = [one for one in kept if one not in own[peer.shortlist :]]
    return kept


def _peak(scene: Scene, entry: _Entry) -> tuple[int | None, int]:
    """Maximum memory of warm frames on any rank, and of the peer's own copy of the image, in bytes.

    See :mod:`sortlast.bench.memory`; None if not known.
    """
    peer = entry.peer(scene, entry.algorithm)
    for _ in range(WARM_UPS):
        peer.frame()
    memory.reset_peak()
    for _ in range(_MEASURED):
        scene.comm.Barrier()
        peer.frame()
    scene.comm.Barrier()  # shared pages are divided among their users, so no rank may free them earlier
    peak, given = memory.peak(), peer.input_bytes()
    scene.comm.Barrier()
    peer.close()
    del peer  # frees the result too
    scene.comm.Barrier()
    after = memory.resident()
    taken = None if after is None or peak is None else max(0, peak - after - given)
    ranks = [bytes_ for bytes_ in scene.comm.allgather(taken) if bytes_ is not None]
    return max(ranks, default=None), given


def _time_all(
    scene: Scene,
    entries: Sequence[_Entry],
    needs: Sequence[int],
    frames: int,
    progress: Callable[[float], None],
) -> list[tuple[NDArray[np.float64], str]]:
    """Time the frames of each entry; returns their seconds and the algorithm used, for each entry.

    The seconds are (2, frames), as in :func:`turns.time_frames`. ``needs``: bytes that each entry takes. All
    entries take turns, unless they do not fit into memory together. Then they are timed in groups, repeated
    several times, so that the frames of a peer are spread over time.
    """
    groups = memory.groups(needs, memory.room(scene.comm))
    laps = min(_LAPS, frames) if len(groups) > 1 else 1
    seconds = np.zeros((2, len(entries), frames))
    chosen = [""] * len(entries)
    for lap, group in itertools.product(range(laps), range(len(groups))):
        begin, end = frames * lap // laps, frames * (lap + 1) // laps
        members = groups[group]
        peers = [entries[k].peer(scene, entries[k].algorithm) for k in members]
        part = lap * len(groups) + group

        def show(share: float, part: int = part) -> None:
            progress((part + share) / (laps * len(groups)))

        seconds[:, members, begin:end] = turns.time_frames(
            scene.comm, peers, end - begin, show, WARM_UPS, seed=lap
        )
        for k, peer in zip(members, peers, strict=True):
            chosen[k] = peer.chosen()
            peer.close()
    return list(zip(seconds.swapaxes(0, 1), chosen, strict=True))
