"""A tree in a picture: boxes by level, roots on top, the squares of hosts below their leaf switch.

The leaves are side by side in routing order; a switch on a higher level is placed, within its level, at the
mean position of the switches below it, so that few lines cross. If a level has many switches, their boxes and
the names in them are upright: 48 names side by side fit in no other way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sortlast.fabric.layout import (
    GROUP,
    LETTER,
    MARGIN,
    Box,
    Layout,
    Line,
    Plan,
    Slot,
    block,
    count_texts,
    name_texts,
    square_size,
    squares_by_box,
)

_WIDTH, _LEAST_WIDTH = 1200, 540  # of a picture; larger if the minimum pitch requires it
_PITCH, _LEAST_PITCH = 100, 26  # between switches of the widest level
_LEAST_GAP = 190  # between levels
_SLOPE = 0.46  # ratio of the height from the leaf switches to the roots to the width
_LABELS = 74  # left of the picture, for the names of the levels
_LEAST_LYING = 62  # minimum pitch for horizontal names
_FLAT = 15.0  # height of a box with a horizontal name, width of one with an upright name
_LONGEST = 118.0  # length of a box with an upright name
_COUNT = 100.0  # length of upright texts below the squares of a group


class _Row:
    """The boxes of a level: their distance and size."""

    def __init__(self, plan: Plan, boxes: Sequence[int], span: float) -> None:
        self.boxes = boxes
        self.pitch = span / len(boxes)
        self.texts = name_texts(plan, boxes)
        self.counts = {s: count_texts(plan.counts[s]) for s in boxes} if plan.counts else {}
        hosts = set(plan.switch_of)
        for s in self.counts:
            if s not in hosts:  # nothing is below the box to write the count under
                self.texts[s] = self.counts[s]
        longest = max((len(texts[-1]) for texts in self.texts.values()), default=0)
        whole = max((len(texts[0]) for texts in self.texts.values()), default=0)
        counts_inside = any(self.texts.get(s) is text for s, text in self.counts.items())
        least = LETTER * whole + 12 if counts_inside else _LEAST_LYING
        self.upright = self.pitch < least
        if self.upright:
            self.width = min(_FLAT, 0.8 * self.pitch)
            self.height = min(_LONGEST, max(30.0, LETTER * (whole if counts_inside else longest) + 10))
        else:
            self.width = min(max(44.0, LETTER * whole + 12), 0.88 * self.pitch)
            self.height = _FLAT


def arrange(plan: Plan) -> Layout:
    """Lay out a tree."""
    rows = _rows(plan)
    widest = max(len(row) for row in rows.values())
    span = float(max(_LEAST_WIDTH, min(_WIDTH, widest * _PITCH), widest * _LEAST_PITCH))
    made = {level: _Row(plan, row, span) for level, row in rows.items()}
    crowd = squares_by_box(plan)
    cell, columns = square_size(max(map(len, crowd)), 0.86 * span / widest)
    below = (
        GROUP if plan.counts else -(-max(map(len, crowd)) // columns) * cell
    )  # height of the tallest block

    # Place the boxes level by level, from the roots down.
    top = max(rows)
    gap = max(_SLOPE * span / max(top - 1, 1), _LEAST_GAP)
    y = MARGIN + 8 + (below if any(crowd[s] for s in rows[top] if top > 1) else 0)
    switches: list[Box] = [(0.0, 0.0, 0.0, 0.0)] * len(plan.levels)
    slots: list[Slot] = []
    for level in sorted(rows, reverse=True):
        row = made[level]
        for place, s in enumerate(row.boxes):
            x = _LABELS + (place + 0.5) * row.pitch - row.width / 2
            switches[s] = (x, y, row.width, row.height)
            if s in row.texts:
                group = s if row.texts[s] is row.counts.get(s) else -1
                slots.append(Slot(row.texts[s], _inside(switches[s]), row.upright, group=group))
        name = plan.rows[level - 1] if plan.rows else f"level {level}"
        slots.append(Slot((name,), (4, y + row.height / 2 - 6, _LABELS - 8, 12), align="left", faint=True))
        y += row.height + gap
    bottom = y - gap

    hosts, counts = _hosts(plan, crowd, switches, (cell, columns), made)
    slots.append(Slot(("hosts",), (4, bottom + 5, _LABELS - 8, 12), align="left", faint=True))
    end = max([bottom + below + 8, *(slot.box[1] + slot.box[3] for slot in counts)])
    links = [(line,) for line in _attached(plan.links, switches)]
    return Layout(_LABELS + span, end + MARGIN, hosts, switches, links, slots + counts)


def _inside(box: Box) -> Box:
    x, y, width, height = box
    return (x + 1.5, y + 1.5, width - 3, height - 3)


def _rows(plan: Plan) -> dict[int, list[int]]:
    """Boxes by level, in drawing order."""
    rows: dict[int, list[int]] = {}
    for s, level in enumerate(plan.levels):
        rows.setdefault(level, []).append(s)
    rank = {s: place for place, s in enumerate(plan.leaves)}
    place: dict[int, float] = {}
    for level in sorted(rows):
        under: dict[int, list[float]] = {s: [] for s in rows[level]}
        for pair in plan.links:
            for s, other in (pair, pair[::-1]):
                if plan.levels[s] == level and other in place and plan.levels[other] < level:
                    under[s].append(place[other])
        # Order the lowest level by `leaves`; place other switches above their children.
        keys = [
            (rank.get(s, len(rank)), float(np.mean(under[s])) if under[s] else math.inf, s)
            for s in rows[level]
        ]
        rows[level] = [s for *_, s in sorted(keys)]
        for number, s in enumerate(rows[level]):
            place[s] = (number + 0.5) / len(rows[level])
    return rows


def _hosts(
    plan: Plan,
    crowd: Sequence[Sequence[int]],
    switches: Sequence[Box],
    size: tuple[float, int],
    rows: dict[int, _Row],
) -> tuple[list[Box], list[Slot]]:
    """Squares below the boxes of level 1 and above others, with the texts below groups."""
    cell, columns = size
    hosts: list[Box] = [(0.0, 0.0, 0.0, 0.0)] * len(plan.switch_of)
    counts: list[Slot] = []
    for s, own in enumerate(crowd):
        if not own:
            continue
        x, y, width, height = switches[s]
        low = plan.levels[s] == 1
        if plan.counts:
            start = y + height + 4 if low else y - 4 - GROUP
            hosts[own[0]] = (x, start, width, GROUP)
            if low:
                row = rows[1]
                middle, start = x + width / 2, start + GROUP + 3
                room = (_FLAT - 1, _COUNT) if row.upright else (0.96 * row.pitch, 12.0)
                box = (middle - room[0] / 2, start, *room)
                counts.append(Slot(row.counts[s], box, row.upright, group=s))
            continue
        start = y + height + 4 if low else y - 4 - -(-len(own) // columns) * cell
        for host, square in zip(own, block(x + width / 2, start, len(own), columns, cell), strict=True):
            hosts[host] = square
    return hosts, counts


def _attached(links: Sequence[tuple[int, int]], boxes: Sequence[Box]) -> list[Line]:
    """Lines from box to box, distributed over the facing edges."""
    middle = [(x + width / 2, y + height / 2) for x, y, width, height in boxes]
    ends: dict[tuple[int, bool], list[tuple[float, int]]] = {}  # (box, upper edge): (direction, link)
    for k, (a, b) in enumerate(links):
        for s, other in ((a, b), (b, a)):
            ends.setdefault((s, middle[other][1] < middle[s][1]), []).append((middle[other][0], k))
    spot: dict[tuple[int, int], tuple[float, float]] = {}
    for (s, upper), met in ends.items():
        x, y, width, height = boxes[s]
        for number, (_, k) in enumerate(sorted(met)):
            spot[s, k] = (x + (number + 0.5) / len(met) * width, y if upper else y + height)
    return [(*spot[a, k], *spot[b, k]) for k, (a, b) in enumerate(links)]
