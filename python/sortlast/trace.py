"""Traces: the activities of every rank over time, in the Chrome trace format for Perfetto.

A compositor records events in a block ``with compositor.trace() as events``. :func:`write` gathers the
events of all ranks and writes them as JSON; open the file at https://ui.perfetto.dev. There, a rank is a
process and its lanes are threads: "compositing" (its thread of control), "send" and "receive" (messages in
flight, which overlap and therefore take several lanes). Arrows join a message's two ends. :func:`read` reads
the file back, and :func:`frames` separates the frames of a block, for :func:`sortlast.simulate.lateness`.

Times are from a clock that the processes of a host share; between hosts they are as accurate as the hosts'
clocks, so an arrow between hosts may appear to point back in time.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortlast import ArgumentError, Error, _core
from sortlast.files import write_text

if TYPE_CHECKING:
    from mpi4py import MPI

_MESSAGES = ("send", "receive")
_MOST_RANKS = 2**20  # of a file
_MICROSECONDS = 1e6  # in a second; the unit of time in the format


@dataclass(frozen=True)
class Event:
    """An activity of a rank, from ``begin`` to ``end`` in seconds.

    ``activity`` is send, receive, wait, blend, agree, search or gather; ``peer`` is a rank and ``stage``
    counts from 1, as in the schedule (-1 if they do not apply); ``bytes`` is the amount moved or blended.
    """

    activity: str
    begin: float
    end: float
    peer: int = -1
    stage: int = -1
    bytes: int = 0


@dataclass(frozen=True)
class Message:
    """A message with both ends recorded."""

    source: int
    destination: int
    send: Event
    receive: Event


def gather(comm: MPI.Intracomm, events: Sequence[_core.Event]) -> list[list[Event]] | None:
    """The events of all ranks of ``comm``, by rank, on rank 0; None elsewhere. Communicates.

    ``events`` are this rank's, from ``Compositor.trace``.
    """
    gathered = comm.gather(list(map(_fields, events)), root=0)
    return None if gathered is None else [[Event(*fields) for fields in rank] for rank in gathered]


def write(comm: MPI.Intracomm, events: Sequence[_core.Event], path: str | Path) -> list[list[Event]] | None:
    """Write the events of all ranks of ``comm`` atomically to ``path`` (JSON). Communicates.

    Every rank calls it with its own events, from ``Compositor.trace``. Returns the result of :func:`gather`,
    so that the same events can be drawn. Raises :class:`sortlast.Error` on every rank if rank 0 cannot write.
    """
    gathered = gather(comm, events)
    failure = None
    if gathered is not None:
        try:
            save(gathered, path)
        except Error as error:
            failure = str(error)
    failure = comm.bcast(failure, root=0)
    if failure is not None:
        raise Error(failure)
    return gathered


def save(events: Sequence[Sequence[Event]], path: str | Path) -> None:
    """Write events by rank (``events[rank]``) atomically to ``path`` as Chrome trace JSON."""
    document = {"displayTimeUnit": "ms", "traceEvents": list(_records(events))}
    write_text(path, json.dumps(document, separators=(",", ":")))


def read(path: str | Path) -> list[list[Event]]:
    """The events of each rank in a file that :func:`save` or :func:`write` made, by rank; times begin at 0.

    Raises Error if the file cannot be read, and ArgumentError if it is no such trace.
    """
    try:
        records = json.loads(Path(path).read_text())["traceEvents"]
        found: dict[int, list[Event]] = defaultdict(list)
        for record in records:
            if record["ph"] == "X":
                found[int(record["pid"])].append(_event(record))
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ArgumentError(
            f"{path}: expected a trace that sortlast.trace.write made ({type(error).__name__}: {error})"
        ) from None
    if not found:
        raise ArgumentError(f"{path}: the trace has no events")
    for number in (min(found), max(found)):
        if not 0 <= number < _MOST_RANKS:
            raise ArgumentError(
                f"{path}: a process has the number {number}; expected ranks, 0 to {_MOST_RANKS - 1}"
            )
    return [found[rank] for rank in range(max(found) + 1)]


def frames(events: Sequence[Sequence[Event]]) -> list[list[list[Event]]]:
    """The events of each frame, by rank: ``frames(events)[frame][rank]``.

    The ranks agree on a frame before it starts, so a frame begins at the first "agree" after other work. A
    timeline without agreements is one frame. Raises ArgumentError if ranks recorded different numbers of
    frames.
    """
    separate = [_own_frames(own) for own in events]
    counts = [len(own) for own in separate]
    if len({*counts}) > 1:
        rank = counts.index(min(counts))
        raise ArgumentError(
            f"rank {rank} recorded {counts[rank]} frames and rank {counts.index(max(counts))} {max(counts)};"
            " give the same frames of all ranks"
        )
    return [list(each) for each in zip(*separate, strict=True)]


def lanes(events: Sequence[Event]) -> dict[str, list[Event]]:
    """One rank's events by lane; within a lane they do not overlap, and are ordered by time."""
    placed: dict[str, list[Event]] = {"compositing": []}
    for event in sorted(events, key=lambda event: (event.begin, event.end)):
        kind = event.activity if event.activity in _MESSAGES else "compositing"
        number = 1
        lane = kind
        while placed.get(lane) and placed[lane][-1].end > event.begin:
            number += 1
            lane = f"{kind} {number}"
        placed.setdefault(lane, []).append(event)
    return placed


def messages(events: Sequence[Sequence[Event]]) -> list[Message]:
    """Pair sends with receives: the k-th send of a stage between two ranks with the k-th receive."""
    arrivals: dict[tuple[int, int, int], deque[Event]] = defaultdict(deque)
    for rank, own in enumerate(events):
        for event in own:
            if event.activity == "receive":
                arrivals[event.peer, rank, event.stage].append(event)
    paired = []
    for rank, own in enumerate(events):
        for event in own:
            waiting = arrivals.get((rank, event.peer, event.stage))
            if event.activity == "send" and waiting:
                paired.append(Message(rank, event.peer, event, waiting.popleft()))
    return paired


def _own_frames(events: Sequence[Event]) -> list[list[Event]]:
    """One rank's events, frame by frame; one frame even if there are none."""
    separate: list[list[Event]] = [[]]
    worked = False
    for event in sorted(events, key=lambda event: (event.begin, event.end)):
        if event.activity == "agree" and worked:
            separate.append([])
            worked = False
        worked = worked or event.activity not in ("agree", "search")
        separate[-1].append(event)
    return separate


def _event(record: dict[str, Any]) -> Event:
    """The event of a slice."""
    begin, about = record["ts"] / _MICROSECONDS, record.get("args", {})
    return Event(
        str(record["name"]),
        begin,
        begin + record["dur"] / _MICROSECONDS,
        int(about.get("peer", -1)),
        int(about.get("stage", -1)),
        int(about.get("bytes", 0)),
    )


def _fields(event: Event | _core.Event) -> tuple[str, float, float, int, int, int]:
    return event.activity, event.begin, event.end, event.peer, event.stage, event.bytes


def _records(events: Sequence[Sequence[Event]]) -> Iterator[dict[str, Any]]:
    """Generate the format's records: names of tracks, slices, and the two ends of every message's arrow."""
    zero = min((event.begin for own in events for event in own), default=0.0)
    thread: dict[tuple[int, tuple[Any, ...]], int] = {}

    # Name the tracks and write every event as a separate slice.
    for rank, own in enumerate(events):
        yield _name("process_name", rank, 0, name=f"rank {rank}")
        yield _name("process_sort_index", rank, 0, sort_index=rank)
        for number, (lane, placed) in enumerate(sorted(lanes(own).items(), key=lambda item: _place(item[0]))):
            yield _name("thread_name", rank, number, name=lane)
            yield _name("thread_sort_index", rank, number, sort_index=number)
            for event in placed:
                thread[rank, _fields(event)] = number
                yield _slice(rank, number, event, zero)

    # Join the ends of every message.
    for number, message in enumerate(messages(events)):
        for phase, rank, event, when in (
            ("s", message.source, message.send, message.send.begin),
            ("f", message.destination, message.receive, _just_before_the_end(message.receive)),
        ):
            yield {
                "ph": phase,
                "id": number,
                "name": "message",
                "cat": "message",
                "bp": "e",  # bind to the enclosing slice
                "pid": rank,
                "tid": thread[rank, _fields(event)],
                "ts": (when - zero) * _MICROSECONDS,
            }


def _slice(rank: int, thread: int, event: Event, zero: float) -> dict[str, Any]:
    about = {"stage": event.stage, "peer": event.peer, "bytes": event.bytes}
    return {
        "ph": "X",
        "name": event.activity,
        "cat": event.activity,
        "pid": rank,
        "tid": thread,
        "ts": (event.begin - zero) * _MICROSECONDS,
        "dur": (event.end - event.begin) * _MICROSECONDS,
        "args": {key: value for key, value in about.items() if value > 0 or (key == "peer" and value == 0)},
    }


def _name(kind: str, rank: int, thread: int, **value: str | int) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": rank, "tid": thread, "args": value}


def _place(lane: str) -> tuple[int, int]:
    """Sort key of lanes from top to bottom: compositing, sends, receives, each by number."""
    kind, _, number = lane.partition(" ")
    return ("compositing", *_MESSAGES).index(kind), int(number or 1)


def _just_before_the_end(event: Event) -> float:
    """A time within the event, because a viewer looks for the slice around an arrow's end."""
    return event.end - 1e-3 * (event.end - event.begin)
