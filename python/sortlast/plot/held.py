"""The pixels that every rank holds after every stage of a schedule, for its picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortlast.schedule import Schedule


@dataclass(frozen=True)
class Part:
    """Pixels [begin, end) with the composite of the images at depth positions [first, last)."""

    begin: int
    end: int
    first: int
    last: int


@dataclass(frozen=True)
class Move:
    """A part sent from rank ``source`` to rank ``destination``."""

    source: int
    destination: int
    part: Part


def moves(schedule: Schedule) -> list[list[Move]]:
    """The transfers of each stage; index 0 is stage 1. Costs O(all steps of the schedule)."""
    return [
        [
            Move(transfer.source, transfer.destination, part)
            for transfer in stage
            for part in _on_the_line(Part(*transfer.pixels, *transfer.depth), schedule.p)
        ]
        for stage in schedule.stages()
    ]


def held(schedule: Schedule, stages: Sequence[Sequence[Move]]) -> list[list[list[Part]]]:
    """Parts that each rank holds: ``held(...)[s][rank]`` after stage s, and ``[0]`` at the start.

    ``stages`` are the schedule's :func:`moves`. A rank starts with all pixels of its own image; it loses the
    parts that it sends and keeps the parts that it receives. A complete schedule ends with depth positions
    [0, p) for every pixel held.
    """
    now = []
    for rank in range(schedule.p):
        own = schedule.program(rank).values[0]
        now.append(_on_the_line(Part(*own.pixels, *own.depth), schedule.p))
    states = [now]
    for stage in stages:
        now = [list(parts) for parts in now]
        for move in stage:
            now[move.source] = [rest for part in now[move.source] for rest in _without(part, move.part)]
        for move in stage:
            now[move.destination].append(move.part)
        states.append(now)
    return states


def _without(part: Part, gone: Part) -> list[Part]:
    """The remainder of ``part`` without ``gone``: pixels before and pixels after."""
    apart = gone.end <= part.begin or part.end <= gone.begin
    if apart or not (gone.first <= part.first and part.last <= gone.last):
        return [part]
    rest = [
        Part(part.begin, gone.begin, part.first, part.last),
        Part(gone.end, part.end, part.first, part.last),
    ]
    return [each for each in rest if each.begin < each.end]


def _on_the_line(part: Part, p: int) -> list[Part]:
    """Cut a part at depth position p if it wraps around, as with commutative operators on a ring."""
    if part.last <= p:
        return [part]
    if part.first >= p:
        return [Part(part.begin, part.end, part.first - p, part.last - p)]
    return [Part(part.begin, part.end, part.first, p), Part(part.begin, part.end, 0, part.last - p)]
