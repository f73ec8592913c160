"""The elements of a fabric's picture: boxes, squares, lines, and slots for texts.

A box is a switch and a square, next to its switch's box, a host; either may represent a group, see
:mod:`sortlast.fabric.groups`. Positions are computed by :mod:`sortlast.fabric.arrange`. Units are pixels of a
picture that may be scaled; y points down.

Slots overlap neither each other nor anything except the box that they name, which is empty inside. Drawing
code knows the width of letters: :class:`Slot` gives alternatives for texts that do not fit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

FONT = 9.0  # size of letters
LETTER = 5.6  # approximate width of a letter
MARGIN = 16.0
CELL = 18.0  # max side of a host's square
GROUP = 16.0  # height of the square of a group of hosts
_FEW_LINES, _THINNEST = 200, 0.35  # number of lines up to which they have full width; minimum fraction of it

Box = tuple[float, float, float, float]  # x, y, width, height
Line = tuple[float, float, float, float]  # x1, y1, x2, y2


@dataclass(frozen=True)
class Slot:
    """Space for one line of text, which nothing else overlaps.

    ``texts``: alternatives, best first: the first one that fits into ``box`` is used; if none fits, the last
    one is shortened in the middle. ``upright``: rotated to be read upwards. ``align``: within the box:
    "center", "left" or "right". ``faint``: it names a row or a plane rather than a box. ``group``: the box
    with the worst load that replaces "{}" in the text; -1: the text has no "{}".
    """

    texts: tuple[str, ...]
    box: Box
    upright: bool = False
    align: str = "center"
    faint: bool = False
    group: int = -1


@dataclass(frozen=True)
class Plan:
    """The elements to draw: boxes and squares, numbered from 0.

    ``switch_of``: the box of each square. ``levels``: of each box, from 1; all 0 if it is no tree.
    ``leaves``: the boxes of level 1 in drawing order; omitted ones follow. ``links``: pairs of boxes, one for
    each line. ``names``: the text in each box; empty: no texts. ``counts``: what each box represents, such as
    "324 hosts"; empty: one switch each. ``rows``: names of the rows, from level 1. ``size``, ``places``: for
    a grid, its extent along x, y, ... and the position of each box; empty: no grid. ``block``: switches per
    box along each dimension.
    """

    switch_of: Sequence[int]
    levels: Sequence[int]
    leaves: Sequence[int]
    links: Sequence[tuple[int, int]]
    names: Sequence[str] = ()
    counts: Sequence[str] = ()
    rows: Sequence[str] = ()
    size: Sequence[int] = ()
    places: Sequence[Sequence[int]] = ()
    block: Sequence[int] = ()


@dataclass(frozen=True)
class Layout:
    """A picture of ``width`` x ``height``.

    ``hosts``: the squares; ``switches``: the boxes; ``links``: the pieces of each of the plan's links: one
    line, or the stubs at both of its ends.
    """

    width: float
    height: float
    hosts: list[Box]
    switches: list[Box]
    links: Sequence[tuple[Line, ...]]
    slots: list[Slot]

    def thin(self) -> float:
        """Width of lines as a fraction of the usual width, lower if many lines would hide each other."""
        return max(_THINNEST, min(1.0, math.sqrt(_FEW_LINES / max(1, len(self.links)))))


def squares_by_box(plan: Plan) -> list[list[int]]:
    """The squares of each box."""
    crowd: list[list[int]] = [[] for _ in plan.levels]
    for host, s in enumerate(plan.switch_of):
        crowd[s].append(host)
    return crowd


def square_size(most: int, room: float) -> tuple[float, int]:
    """Side of a host's square and columns of a box's block, for at most ``most`` hosts per box."""
    columns = max(1, min(most, math.ceil(math.sqrt(1.6 * most)), int(room // 5)))
    return min(CELL, room / columns), columns


def block(x: float, y: float, count: int, columns: int, cell: float) -> list[Box]:
    """``count`` squares row by row, centred about ``x``, from ``y`` down."""
    used = min(columns, max(count, 1))
    left = x - used * cell / 2
    return [(left + k % columns * cell, y + k // columns * cell, cell, cell) for k in range(count)]


def short_names(names: Sequence[str]) -> list[str]:
    """Names without their common prefix and suffix, cut at the boundaries of name parts.

    "MF0;leaf-01:X/U1", "MF0;leaf-02:X/U1" -> "leaf-01", "leaf-02".
    """
    if len(set(names)) < 2:
        return list(names)
    begin = _whole_parts(_common_start(names), r"^.*[;:/]")
    end = _whole_parts(_common_start([name[::-1] for name in names])[::-1], r"[;:/].*$")
    return [name[begin : len(name) - end] or name for name in names]


def _common_start(names: Sequence[str]) -> str:
    # The common prefix of the first and the last name in sorted order is common to all.
    low, high = min(names), max(names)
    return low[: next((k for k, letter in enumerate(low) if high[k : k + 1] != letter), len(low))]


def _whole_parts(common: str, pattern: str) -> int:
    found = re.search(pattern, common)
    return len(found[0]) if found else 0


def name_texts(plan: Plan, boxes: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Texts for the inside of some boxes: the name, or the name without common parts."""
    if not plan.names:
        return {}
    names = [plan.names[s] for s in boxes]
    return {
        s: (name,) if name == short else (name, short)
        for s, name, short in zip(boxes, names, short_names(names), strict=True)
    }


def count_texts(count: str) -> tuple[str, ...]:
    """Texts for the load of a group, such as "324 hosts"."""
    return (f"{count}, worst {{}}", f"{count}: {{}}", f"{count.partition(' ')[0]}: {{}}")


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share more than an edge."""
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )
