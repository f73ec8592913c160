"""The traffic that ``sortlast simulate`` is asked for: a pattern, a schedule, or a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from sortlast import Error
from sortlast.cli import _parse

if TYPE_CHECKING:
    from sortlast.simulate import Traffic

MESSAGE_BYTES = 1000
MESSAGES = 10


@dataclass(frozen=True)
class Wanted:
    """What the options say; None: not given."""

    pattern: str
    ranks: int | None
    message_bytes: int | None
    messages: int | None
    stages: str | None
    size: str | None
    pixel_bytes: int
    seed: int

    def pixels(self) -> int | None:
        """Of the image that is composited, or None: no image is."""
        if self.size is None:
            return None
        width, height = _parse.size(self.size)
        return width * height

    def is_file(self) -> bool:
        """Whether the traffic lies in a file."""
        return Path(self.pattern).is_file()


def make(wanted: Wanted, places: int) -> Traffic:
    """The traffic, among as many ranks as asked for or as there are ``places``."""
    _check(wanted)
    traffic = _read(wanted.pattern) if wanted.is_file() else _built(wanted, wanted.ranks or places)
    if traffic.tasks > places:
        raise Error(f"{traffic.name} has {traffic.tasks} tasks, and there are {places} hosts for them")
    return traffic


def _check(wanted: Wanted) -> None:
    """Refuse options that mean nothing for this traffic."""
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
        own = {"shift": {"--stages"}, "uniform": {"--messages"}}.get(wanted.pattern, set())
        meant, what = {"--ranks", "--bytes"} | own, f"{wanted.pattern} has none"
    for option, value in given.items():
        if value is not None and option not in meant:
            raise typer.BadParameter(what, param_hint=option)


def _built(wanted: Wanted, ranks: int) -> Traffic:
    """A pattern, or the schedule of a frame."""
    from sortlast import schedule, simulate

    pixels = wanted.pixels()
    if pixels is not None:
        made = schedule.make(wanted.pattern, p=ranks, n=pixels)
        return simulate.from_schedule(made, pixel_bytes=wanted.pixel_bytes)
    size = wanted.message_bytes or MESSAGE_BYTES
    patterns = [name for name, _ in simulate.patterns()]
    if wanted.pattern in patterns:
        return simulate.pattern(wanted.pattern, ranks, size)
    if wanted.pattern == "all-to-all":
        return simulate.all_to_all(ranks, size)
    if wanted.pattern == "uniform":
        return simulate.uniform(ranks, size, wanted.messages or MESSAGES, wanted.seed)
    if wanted.pattern == "shift":
        return simulate.shift(ranks, size, *_stages(wanted.stages, ranks))
    _unknown(wanted.pattern, patterns)


def _unknown(name: str, patterns: list[str]) -> NoReturn:
    from sortlast import schedule

    if name.partition(":")[0] in [entry.name for entry in schedule.algorithms()]:
        raise Error(f"{name} composites an image: give its size, such as --size 1024x768")
    raise Error(
        f"{name} is no file, pattern or algorithm; the patterns are {', '.join(patterns)}, all-to-all, shift"
        " and uniform; `sortlast algorithms` lists the algorithms, which need --size"
    )


def _stages(text: str | None, ranks: int) -> tuple[int, int]:
    """``FIRST:LAST``, without LAST; all stages if None."""
    if text is None:
        return 1, ranks
    found = re.fullmatch(r"(\d+):(\d+)", text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is not FIRST:LAST, for example 1:5", param_hint="--stages")
    return int(found[1]), int(found[2])


def _read(path: str) -> Traffic:
    """Traffic of a file: GOAL if it says num_ranks, else a trace of FSIN."""
    from sortlast import fabric, simulate

    is_goal = re.search(r"^\s*num_ranks\b", fabric.text_of(path), re.MULTILINE) is not None
    return simulate.read_goal(path) if is_goal else simulate.read_fsin(path)
