"""What communicates: a shift, a schedule, a permutation or traffic, as one kind of value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import _fabric, schedule
from sortlast._errors import ArgumentError
from sortlast._fabric import Pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast.schedule import Schedule

    Stages = Sequence[Sequence[Sequence[int]]]
    Communication = str | Schedule | Pattern | Sequence[int] | Stages | NDArray[Any]

PIXELS = 2**24  # of the image of an algorithm that is given by name: enough that no transfer is empty


def pattern(what: Communication, p: int, pixel_bytes: int = 1) -> Pattern:
    """The pattern of ``p`` participants that ``what`` stands for.

    Args:
        what: "shift" (all its permutations), "all-to-all" (everybody to everybody at once), or an algorithm
            such as "radix-k:12,12"; a Schedule; a permutation, as one destination a participant (-1: sends
            nothing); traffic, as a list of stages, each of (source, destination) or (source, destination,
            bytes); or a Pattern.
        p: participants.
        pixel_bytes: of a Schedule and of an algorithm, whose messages count pixels.

    Raises:
        ArgumentError: it is for another number of participants, or nothing of these.
    """
    made = _made(what, p, pixel_bytes)
    if made.participants != p:
        raise ArgumentError(
            f"{made.name} is a pattern of {made.participants} participants, and the nodes are {p};"
            " give as many nodes as participants"
        )
    return made


def _made(what: Communication, p: int, pixel_bytes: int) -> Pattern:
    if isinstance(what, Pattern):
        return what
    if isinstance(what, schedule.Schedule):
        return _fabric.schedule_pattern(what, pixel_bytes)
    if isinstance(what, str):
        if what == "shift":
            return _fabric.shift_pattern(p)
        if what == "all-to-all":
            return _fabric.all_to_all_pattern(p)
        return _fabric.schedule_pattern(schedule.make(what, p=p, n=PIXELS), pixel_bytes)
    if all(isinstance(each, int | np.integer) for each in what):
        return _fabric.permutation_pattern([int(destination) for destination in what])  # type: ignore[arg-type]
    stages = [[_flow(flow) for flow in stage] for stage in what]  # type: ignore[union-attr]
    return _fabric.traffic_pattern("traffic", p, stages)


def _flow(flow: Any) -> tuple[int, int, int]:
    """A flow with its bytes, 1 if there are none."""
    if len(flow) not in (2, 3):
        raise ArgumentError(
            f"flow {tuple(flow)} is not (source, destination) or (source, destination, bytes)"
        )
    source, destination, *size = (int(part) for part in flow)
    return source, destination, size[0] if size else 1
