"""Communication as one kind of value: a shift, a schedule, a collective, groups, traffic."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import _fabric, schedule
from sortlast._errors import ArgumentError
from sortlast._fabric import GroupKind, Pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast.schedule import Schedule

    Stages = Sequence[Sequence[Sequence[int]]]
    Communication = str | Schedule | Pattern | Sequence[int] | Stages | NDArray[Any]

RAIL_ALIGNED = ("rail", "rail-ring")  # collectives for nodes whose ranks are on one rail each
PIXELS = 2**24  # default pixels of an algorithm's image, and bytes per rank: no transfer is empty

# Default collectives of groups.
_USUAL = {"tensor": "ring", "context": "ring", "data": "ring", "pipeline": "chain", "expert": "pairwise"}
_UNITS = {"": 1} | {
    unit + binary: (1024 if binary else 1000) ** power
    for power, unit in enumerate("KMGT", 1)
    for binary in ("", "i")
}
_MOST_BYTES = 2**62


def pattern(
    what: Communication,
    p: int,
    pixel_bytes: int = 1,
    rank_bytes: int | None = None,
    ranks_per_node: int | None = None,
) -> Pattern:
    """The pattern that ``what`` denotes, for ``p`` participants.

    Args:
        what: "shift" (all its permutations), "all-to-all" (everyone to everyone at once), a collective of
            :func:`collectives` such as "ring" or "rail-ring:8", groups such as "tensor=8,data=4"
            (:func:`group_kinds`), or an algorithm such as "radix-k:12,12"; a Schedule; a permutation, as one
            destination per participant (-1: sends nothing); traffic, as a list of stages, each of (source,
            destination) or (source, destination, bytes); or a Pattern.
        p: participants.
        pixel_bytes: bytes per pixel, for a Schedule and an algorithm, which count pixels.
        rank_bytes: bytes that each participant holds, for all named patterns; an algorithm composites an
            image of that size. None: 2**24; messages of "shift" and "all-to-all" then have one byte.
        ranks_per_node: the number of "rail" and "rail-ring" if it is left out.

    Raises:
        ArgumentError: it is for a different number of participants, or not one of these.
    """
    if isinstance(what, str) and what in RAIL_ALIGNED and ranks_per_node is not None:
        what = f"{what}:{ranks_per_node}"
    made = _made(what, p, pixel_bytes, rank_bytes)
    if made.participants != p:
        raise ArgumentError(
            f"{made.name} is a pattern of {made.participants} participants, and the nodes are {p};"
            " give as many nodes as participants"
        )
    return made


def _made(what: Communication, p: int, pixel_bytes: int, rank_bytes: int | None) -> Pattern:
    if isinstance(what, Pattern):
        return what
    if isinstance(what, schedule.Schedule):
        return _fabric.schedule_pattern(what, pixel_bytes)
    if isinstance(what, str):
        return _named(what, p, pixel_bytes, rank_bytes)
    if all(isinstance(each, int | np.integer) for each in what):
        return _fabric.permutation_pattern([int(destination) for destination in what])  # type: ignore[arg-type]
    stages = [[_flow(flow) for flow in stage] for stage in what]  # type: ignore[union-attr]
    return _fabric.traffic_pattern("traffic", p, stages)


def _named(name: str, p: int, pixel_bytes: int, rank_bytes: int | None) -> Pattern:
    size = PIXELS if rank_bytes is None else rank_bytes
    if "=" in name:
        return _fabric.groups_pattern(p, group_kinds(name, size))
    if name == "shift":
        return _fabric.shift_pattern(p, 1 if rank_bytes is None else -(-rank_bytes // p))
    if name == "all-to-all" and rank_bytes is None:
        return _fabric.all_to_all_pattern(p)
    if is_collective(name):
        return _fabric.collective_pattern(name, p, size)
    _check_algorithm(name)
    pixels = size if rank_bytes is None else max(1, size // pixel_bytes)
    return _fabric.schedule_pattern(schedule.make(name, p=p, n=pixels), pixel_bytes)


def _check_algorithm(name: str) -> None:
    """Raise an ArgumentError that lists all names if it is none of an algorithm."""
    algorithms = sorted({"auto", *(each.name for each in schedule.algorithms()), *schedule._functions})
    if name.partition(":")[0] in algorithms:
        return
    collectives = ["shift", *(each.name for each in _fabric.collectives())]
    names = [each.partition(":")[0] for each in (*collectives, *algorithms)]
    near = difflib.get_close_matches(name.partition(":")[0].lower().removeprefix("mpi_"), names, 1)
    meant = f" (did you mean {near[0]!r}?)" if near else ""
    raise ArgumentError(
        f"pattern {name!r} is not known{meant}; expected a collective: {', '.join(collectives)};"
        f" an algorithm that composites: {', '.join(algorithms)}; groups of ranks, such as tensor=8,data=4;"
        " or an existing file of traffic"
    )


def is_collective(name: str) -> bool:
    """Whether a name is one of :func:`collectives`, with or without its number, or of groups with some."""
    known = [each.name.partition(":")[0] for each in _fabric.collectives()]
    return "=" in name or name.partition(":")[0] in known


def group_kinds(text: str, rank_bytes: int = PIXELS) -> list[GroupKind]:
    """Kinds of groups, the innermost first, from text such as ``tensor=8,pipeline=2:chain,data=4:ring@1G``.

    Args:
        text: NAME=SIZE, optionally with the collective after a colon and the bytes of each rank after @. The
            collective "none" makes groups silent. By default tensor, context and data do "ring", pipeline
            "chain" and expert "pairwise".
        rank_bytes: of kinds without their own bytes.

    Raises:
        ArgumentError: text of another form.
    """
    return [_kind(part.strip(), rank_bytes) for part in text.split(",")]


def _kind(text: str, rank_bytes: int) -> GroupKind:
    found = re.fullmatch(r"([^=:@\s]+)=(\d{1,9})(?::([^@\s]+))?(?:@(\S+))?", text)
    if found is None:
        raise ArgumentError(f"{text!r} is no kind of groups; expected NAME=SIZE, NAME=SIZE:COLLECTIVE@BYTES")
    name, size, collective, own = found.groups()
    collective = collective or _USUAL.get(name)
    if collective is None:
        usual = ", ".join(_USUAL)
        raise ArgumentError(
            f"groups {text}: what {name} groups do is not known, only of {usual}; say it, as in {text}:ring"
        )
    size_of_rank = rank_bytes if own is None else bytes_of(own)
    return GroupKind(name, int(size), "" if collective == "none" else collective, size_of_rank)


def bytes_of(text: str) -> int:
    """Bytes of text such as "4096", "1.5G" (10**9) or "256Mi" (2**20). Raises ArgumentError."""
    found = re.fullmatch(r"(\d{1,19}(?:\.\d{1,9})?)([KMGT]i?|)B?", text)
    value = 0 if found is None else round(float(found[1]) * _UNITS[found[2]])
    if not 1 <= value <= _MOST_BYTES:
        raise ArgumentError(f"{text!r} are no bytes; expected 1 or more, such as 4096, 1.5G or 256Mi")
    return value


def _flow(flow: Any) -> tuple[int, int, int]:
    """A flow with its bytes; 1 if none are given."""
    if len(flow) not in (2, 3):
        raise ArgumentError(
            f"flow {tuple(flow)} is not (source, destination) or (source, destination, bytes)"
        )
    source, destination, *size = (int(part) for part in flow)
    return source, destination, size[0] if size else 1
