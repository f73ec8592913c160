"""Where the parts of a fabric stand in a picture: switches by level, roots on top, hosts beside their switch.

The leaf switches stand side by side in the order of routing; a switch further up stands, among those of its
level, at the mean place of the switches below it, so that lines cross little. A fabric without levels (a
torus) stands on a circle. Units are pixels of a picture that may be scaled; y points down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_WIDTH = 1200  # of a picture with few switches
_LEAST_PITCH = 26  # from one leaf switch to the next
_HEIGHT, _LEAST_GAP = 430, 190  # from the leaf switches to the roots, and from one level to the next
_SLOPE = 0.3  # least height of a picture as a part of its width
_MARGIN = 16
_LABELS = 74  # left of the picture, for the names of the levels
_SWITCH = (44, 13)  # most width of a switch's box, and its height
_CELL = 18  # most side of a host's square

Box = tuple[float, float, float, float]  # x, y, width, height
Line = tuple[float, float, float, float]  # x1, y1, x2, y2
Label = tuple[str, float, float]


@dataclass(frozen=True)
class Plan:
    """What is to be drawn: numbers of hosts and switches from 0.

    ``switch_of``: of each host. ``levels``: of each switch, from 1; all 0 if it is no tree. ``leaves``: the
    switches of level 1 in the order in which they stand; those that it leaves out follow. ``links``: pairs of
    switches, as often as there are cables between them.
    """

    switch_of: Sequence[int]
    levels: Sequence[int]
    leaves: Sequence[int]
    links: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Layout:
    """A picture of ``width`` x ``height``; ``hosts``: the upper left corners of squares of side ``cell``."""

    width: float
    height: float
    cell: float
    hosts: list[tuple[float, float]]
    switches: list[Box]
    links: list[Line]  # one each of the plan's
    labels: list[Label]


def arrange(plan: Plan) -> Layout:
    """Lay a fabric out, as the module says. Costs O(hosts + links) and the sorting of the switches."""
    return _tree(plan) if any(plan.levels) else _circle(plan)


def _tree(plan: Plan) -> Layout:
    rows = _rows(plan)
    widest = max(len(row) for row in rows.values())
    span = max(_WIDTH, widest * _LEAST_PITCH)
    crowd = _hosts_by_switch(plan)
    cell, columns = _squares(max(map(len, crowd)), span / widest)
    block = -(-max(map(len, crowd)) // columns) * cell  # height of the tallest block of hosts

    top = max(rows)
    gap = max(max(_HEIGHT, _SLOPE * span) / max(top - 1, 1), _LEAST_GAP)
    head = block if any(crowd[s] for s in rows[top] if top > 1) else 0
    first = _MARGIN + head + 8
    switches: list[Box] = [(0.0, 0.0, 0.0, 0.0)] * len(plan.levels)
    for level, row in rows.items():
        pitch = span / len(row)
        width = min(_SWITCH[0], 0.8 * pitch)
        y = first + (top - level) * gap
        for place, s in enumerate(row):
            switches[s] = (_LABELS + (place + 0.5) * pitch - width / 2, y, width, _SWITCH[1])

    hosts: list[tuple[float, float]] = [(0.0, 0.0)] * len(plan.switch_of)
    for s, own in enumerate(crowd):
        below = plan.levels[s] == 1
        for host, corner in zip(own, _block(switches[s], len(own), columns, cell, below), strict=True):
            hosts[host] = corner
    labels: list[Label] = [(f"level {level}", 4.0, first + (top - level) * gap + 11) for level in rows]
    bottom = first + (top - 1) * gap + _SWITCH[1]
    labels.append(("hosts", 4.0, bottom + 20))
    links = _attached(plan.links, switches)
    return Layout(_LABELS + span, bottom + block + _MARGIN + 8, cell, hosts, switches, links, labels)


def _rows(plan: Plan) -> dict[int, list[int]]:
    """Switches by level in the order in which they stand."""
    rows: dict[int, list[int]] = {}
    for s, level in enumerate(plan.levels):
        rows.setdefault(level, []).append(s)
    rank = {s: place for place, s in enumerate(plan.leaves)}
    place: dict[int, float] = {}
    for level in sorted(rows):
        below: dict[int, list[float]] = {s: [] for s in rows[level]}
        for pair in plan.links:
            for s, other in (pair, pair[::-1]):
                if plan.levels[s] == level and other in place and plan.levels[other] < level:
                    below[s].append(place[other])
        # A switch of the lowest level stands where the order says, another one above its children.
        keys = [
            (rank.get(s, len(rank)), float(np.mean(below[s])) if below[s] else math.inf, s)
            for s in rows[level]
        ]
        rows[level] = [s for *_, s in sorted(keys)]
        for number, s in enumerate(rows[level]):
            place[s] = (number + 0.5) / len(rows[level])
    return rows


def _hosts_by_switch(plan: Plan) -> list[list[int]]:
    crowd: list[list[int]] = [[] for _ in plan.levels]
    for host, s in enumerate(plan.switch_of):
        crowd[s].append(host)
    return crowd


def _squares(most: int, pitch: float) -> tuple[float, int]:
    """Side of a host's square and columns of a switch's block, for at most ``most`` hosts a switch."""
    room = 0.86 * pitch
    columns = max(1, min(most, math.ceil(math.sqrt(1.6 * most)), int(room // 5)))
    return min(_CELL, room / columns), columns


def _block(box: Box, count: int, columns: int, cell: float, below: bool) -> list[tuple[float, float]]:
    """Corners of ``count`` squares, row by row, below or above a switch."""
    x, y, width, height = box
    used = min(columns, max(count, 1))
    left = x + width / 2 - used * cell / 2
    start = y + height + 4 if below else y - 4 - -(-count // columns) * cell
    return [(left + k % columns * cell, start + k // columns * cell) for k in range(count)]


def _attached(links: Sequence[tuple[int, int]], boxes: Sequence[Box]) -> list[Line]:
    """Lines from switch to switch, spread over the edges that face each other."""
    middle = [(x + width / 2, y + height / 2) for x, y, width, height in boxes]
    ends: dict[tuple[int, bool], list[tuple[float, int]]] = {}  # (switch, upper edge): (direction, link)
    for k, (a, b) in enumerate(links):
        for s, other in ((a, b), (b, a)):
            ends.setdefault((s, middle[other][1] < middle[s][1]), []).append((middle[other][0], k))
    spot: dict[tuple[int, int], tuple[float, float]] = {}
    for (s, upper), met in ends.items():
        x, y, width, height = boxes[s]
        for number, (_, k) in enumerate(sorted(met)):
            spot[s, k] = (x + (number + 0.5) / len(met) * width, y if upper else y + height)
    return [(*spot[a, k], *spot[b, k]) for k, (a, b) in enumerate(links)]


def _circle(plan: Plan) -> Layout:
    count = len(plan.levels)
    crowd = _hosts_by_switch(plan)
    cell, columns = _squares(max(map(len, crowd)), 60)
    radius = max(330.0, count * (cell * columns + 6) / (2 * math.pi))
    size = 2 * (radius + cell * columns + 40)
    angles = 2 * np.pi * np.arange(count) / count - np.pi / 2
    centres: NDArray[np.float64] = size / 2 + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    width, height = 16.0, 12.0
    switches: list[Box] = [(float(x) - width / 2, float(y) - height / 2, width, height) for x, y in centres]
    hosts: list[tuple[float, float]] = [(0.0, 0.0)] * len(plan.switch_of)
    for s, own in enumerate(crowd):
        out = (centres[s] - size / 2) / radius
        x, y = centres[s] + out * (14 + cell * columns / 2)
        rows = -(-len(own) // columns)
        for k, host in enumerate(own):
            hosts[host] = (
                float(x) + (k % columns - columns / 2) * cell,
                float(y) + (k // columns - rows / 2) * cell,
            )
    lines = [(*map(float, centres[a]), *map(float, centres[b])) for a, b in plan.links]
    links = [(line[0], line[1], line[2], line[3]) for line in lines]
    return Layout(size, size, cell, hosts, switches, links, [])
