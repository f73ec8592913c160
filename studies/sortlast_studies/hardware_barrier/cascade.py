"""The compositing device: units with eight inputs and one output, cascaded up to 512 nodes (section 2).

A unit stores no image. It takes a pixel of each input, joins them in depth order, and passes the result on
while the next pixels arrive. Its inputs are the images of neighbours in depth, so the same *over* that joins
eight nodes joins the outputs of eight units.

This is not a :class:`sortlast.Schedule`, although it is a tree of groups of eight, like radix-k's. In a
schedule every participant starts with an image at a depth position, and fragments move between participants;
a unit has neither image nor position. Also, a schedule's stage ends when its fragment is merged, while the
levels here work on the same image at once, a few pixels apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sortlast import Error, composite_serial
from sortlast_studies.hardware_barrier.paper import INPUTS, MOST_NODES

Depth = tuple[int, int]  # half-open range of depth positions


@dataclass(frozen=True)
class Unit:
    """A unit with the depth ranges of its inputs; levels are counted from 1 next to the nodes."""

    level: int
    inputs: tuple[Depth, ...]

    @property
    def output(self) -> Depth:
        """The depth range of its output."""
        return self.inputs[0][0], self.inputs[-1][1]


def cascade(p: int) -> list[list[Unit]]:
    """The units for p nodes in depth order, level by level; the last level is one unit.

    Raises:
        Error: p is not in [1, 512].
    """
    if not 1 <= p <= MOST_NODES:
        raise Error(f"a cascade of {p} nodes; the device takes 1 to {MOST_NODES}")
    levels: list[list[Unit]] = []
    streams: list[Depth] = [(k, k + 1) for k in range(p)]
    while not levels or len(streams) > 1:
        groups = [tuple(streams[k : k + INPUTS]) for k in range(0, len(streams), INPUTS)]
        levels.append([Unit(len(levels) + 1, group) for group in groups])
        streams = [unit.output for unit in levels[-1]]
    return levels


def cables(levels: Sequence[Sequence[Unit]]) -> int:
    """The number of cables into all units."""
    return sum(len(unit.inputs) for level in levels for unit in level)


def composite(images: Sequence[Any], levels: Sequence[Sequence[Unit]]) -> Any:
    """The result of the cascade for the nodes' images (H, W, 4), front first, like the serial composite.

    Raises:
        Error: a unit's input is not an output of the level below.
    """
    streams = {(k, k + 1): image for k, image in enumerate(images)}
    for level in levels:
        joined = {}
        for unit in level:
            missing = [depth for depth in unit.inputs if depth not in streams]
            if missing:
                raise Error(f"no stream of the images {missing} for a unit of level {unit.level}")
            joined[unit.output] = composite_serial([streams[depth] for depth in unit.inputs]).colour
        streams = joined
    return streams[0, len(images)]
