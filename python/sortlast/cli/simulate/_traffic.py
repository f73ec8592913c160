"""The traffic of ``sortlast simulate``: a pattern, a schedule, or a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from sortlast import Error
from sortlast.cli import _parse

if TYPE_CHECKING:
    from sortlast.fabric import Pattern
    from sortlast.schedule import Schedule
    from sortlast.simulate import Traffic

MESSAGE_BYTES = 1000
MESSAGES = 10
_MOST_PIXELS = 2**40


@dataclass(frozen=True)
class Wanted:
    """The values of the options; None: not given."""

    pattern: str
    ranks: int | None
    message_bytes: int | None
    messages: int | None
    stages: str | None
    size: str | None
    frame: dict[str, Any]  # settings, as keyword arguments of simulate.frame()
    seed: int

    def is_file(self) -> bool:
        """Whether the traffic is read from a file."""
        from sortlast import fabric

        return fabric.is_file(self.pattern)


@dataclass(frozen=True)
class Made:
    """The requested traffic; ``schedule`` is the schedule of a frame, or None."""

    tasks: int
    schedule: Schedule | None
    make_traffic: Callable[[], Traffic]

    @cached_property
    def traffic(self) -> Traffic:
        """All messages."""
        return self.make_traffic()


def make(wanted: Wanted, places: int, *, rendezvous: bool) -> Made:
    """The traffic, for the requested number of ranks, by default the number of ``places``.

    ``rendezvous``: a transfer of a frame waits until its receiver has begun the stage, as in the flow
    simulator. In the packet simulator the receiver's notification would wait in its injection queue behind
    whole messages, a delay that real networks do not have.
    """
    check(wanted)
    if wanted.size is not None:
        made = _frame(wanted, wanted.ranks or places, rendezvous)
    else:
        from sortlast import simulate

        ranks = wanted.ranks or places
        traffic = simulate.read(wanted.pattern) if wanted.is_file() else _pattern(wanted, ranks)
        made = Made(traffic.tasks, None, lambda: traffic)
    if made.tasks > places:
        raise Error(f"{wanted.pattern} has {made.tasks} tasks, and there are {places} hosts for them")
    return made


def parse(text: str, ranks: int, like: Wanted, option: str) -> Wanted:
    """Traffic as one word: ``PATTERN@BYTES``, ``ALGORITHM@WIDTHxHEIGHT``, or a file.

    Settings of frames and the seed are taken from ``like``; ``option`` is named in errors.
    """
    from sortlast import fabric
    from sortlast.fabric.patterns import bytes_of

    if fabric.is_file(text):
        return replace(
            like, pattern=text, ranks=None, message_bytes=None, messages=None, stages=None, size=None
        )
    pattern, at, size = text.rpartition("@")
    if not at or not pattern:
        raise typer.BadParameter(
            f"{text!r} is no file, and has no size: write it as PATTERN@BYTES or ALGORITHM@WIDTHxHEIGHT",
            param_hint=option,
        )
    image = size if "x" in size else None
    given = None if image else bytes_of(size)
    return Wanted(pattern, ranks, given, None, None, image, like.frame, like.seed)


def check(wanted: Wanted) -> None:
    """Reject options that have no effect on this traffic."""
    given = {
        "--ranks": wanted.ranks,
        "--bytes": wanted.message_bytes,
        "--messages": wanted.messages,
        "--stages": wanted.stages,
        "--size": wanted.size,
    }
    if wanted.is_file():
        meant, what = set[str](), "the file says it"
    elif wanted.size is not None:
        meant, what = {"--ranks", "--size"}, "--size makes it the compositing of an image"
    else:
        own = {"uniform": {"--messages"}}.get(wanted.pattern, set())
        if wanted.pattern == "shift" or _is_staged(wanted.pattern):
            own = {"--stages"}
        meant, what = {"--ranks", "--bytes"} | own, f"{wanted.pattern} has none"
    for option, value in given.items():
        if value is not None and option not in meant:
            raise typer.BadParameter(what, param_hint=option)


def _frame(wanted: Wanted, ranks: int, rendezvous: bool) -> Made:
    """The schedule of a frame, and its traffic."""
    from sortlast import schedule, simulate

    width, height = _parse.size(wanted.size or "")
    if width * height < 1:
        raise typer.BadParameter(f"{wanted.size} has no pixels", param_hint="--size")
    if width * height > _MOST_PIXELS:
        raise typer.BadParameter(f"more than {_MOST_PIXELS:,} pixels", param_hint="--size")
    made = schedule.make(wanted.pattern, p=ranks, n=width * height)
    return Made(ranks, made, lambda: simulate.frame_traffic(made, rendezvous=rendezvous, **wanted.frame))


def _pattern(wanted: Wanted, ranks: int) -> Traffic:
    """A pattern by name."""
    from sortlast import simulate

    size = wanted.message_bytes or MESSAGE_BYTES
    block = MESSAGE_BYTES if wanted.message_bytes is None else -(-wanted.message_bytes // ranks)
    patterns = [name for name, _ in simulate.patterns()]
    if wanted.pattern in patterns:
        return simulate.pattern(wanted.pattern, ranks, size)
    if wanted.pattern == "all-to-all":
        return simulate.all_to_all(ranks, block)
    if wanted.pattern == "uniform":
        return simulate.uniform(ranks, size, wanted.messages or MESSAGES, wanted.seed)
    if wanted.pattern == "shift":
        return simulate.shift(ranks, block, *_stages(wanted.stages, ranks))
    if _is_staged(wanted.pattern):
        from sortlast import fabric

        rank_bytes = wanted.message_bytes or MESSAGE_BYTES * ranks
        staged = fabric.pattern(wanted.pattern, ranks, rank_bytes=rank_bytes)
        return simulate.from_pattern(staged, *_stages(wanted.stages, staged.steps + 1))
    _unknown(wanted.pattern, patterns)


def lab_pattern(wanted: Wanted, ranks: int) -> Pattern | None:
    """The same pattern for ``sortlast fabric check``; None: it has none, or only some stages are wanted."""
    from sortlast import fabric

    if wanted.is_file() or wanted.size is not None or wanted.stages is not None:
        return None
    if wanted.pattern not in ("shift", "all-to-all") and not _is_staged(wanted.pattern):
        return None
    size = MESSAGE_BYTES * ranks if wanted.message_bytes is None else wanted.message_bytes
    return fabric.pattern(wanted.pattern, ranks, rank_bytes=size)


def _is_staged(pattern: str) -> bool:
    """Whether it is a collective or groups of the fabric lab."""
    from sortlast.fabric.patterns import is_collective

    return pattern != "all-to-all" and is_collective(pattern)


def _unknown(name: str, patterns: list[str]) -> NoReturn:
    from sortlast import fabric, schedule

    collectives = [each.name for each in fabric.collectives() if each.name != "all-to-all"]
    if name.partition(":")[0] in [entry.name for entry in schedule.algorithms()]:
        raise Error(f"{name} composites an image: give its size, such as --size 1024x768")
    raise Error(
        f"{name} is no file, pattern or algorithm; the patterns are {', '.join(patterns)}, all-to-all, shift,"
        f" uniform, {', '.join(collectives)} and groups KIND=SIZE,..; `sortlast schedule --list`"
        " lists the algorithms, which need --size"
    )


def _stages(text: str | None, end: int) -> tuple[int, int]:
    """``FIRST:LAST``, without LAST; all stages up to ``end`` if None."""
    if text is None:
        return 1, end
    found = re.fullmatch(r"(\d+):(\d+)", text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is not FIRST:LAST, for example 1:5", param_hint="--stages")
    return int(found[1]), int(found[2])
