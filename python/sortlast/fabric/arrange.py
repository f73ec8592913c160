"""Places the parts of a fabric in a picture.

A tree is drawn by levels (:mod:`sortlast.fabric.tree_layout`), a mesh or torus as a grid
(:mod:`sortlast.fabric.grid_layout`), any other fabric on a circle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sortlast.fabric import grid_layout, tree_layout
from sortlast.fabric.layout import (
    LETTER,
    Box,
    Layout,
    Plan,
    Slot,
    block,
    name_texts,
    overlap,
    square_size,
    squares_by_box,
)


def arrange(plan: Plan) -> Layout:
    """Lay out a fabric by its kind. Costs O(hosts + links) and the sorting of the boxes."""
    if plan.size:
        return grid_layout.arrange(plan)
    return tree_layout.arrange(plan) if any(plan.levels) else _circle(plan)


def _circle(plan: Plan) -> Layout:
    """Boxes on a circle, each with its squares outside and its name outside the squares."""
    count = len(plan.levels)
    crowd = squares_by_box(plan)
    cell, columns = square_size(max(map(len, crowd)), 60)
    block_size = max(columns, max(-(-len(own) // columns) for own in crowd)) * cell
    radius = max(330.0, count * (block_size + 6) / (2 * math.pi))
    names = {**name_texts(plan, range(count))}
    if plan.counts:
        names = {s: tuple(f"{text}, {plan.counts[s]}" for text in texts) for s, texts in names.items()}
    room = min(160.0, LETTER * max((len(texts[0]) for texts in names.values()), default=0) + 6)
    middle, down = radius + block_size + 40 + room, radius + block_size + 60

    hosts: list[Box] = [(0.0, 0.0, 0.0, 0.0)] * len(plan.switch_of)
    switches: list[Box] = []
    slots: list[Slot] = []
    centres = []
    for s, own in enumerate(crowd):
        angle = 2 * math.pi * s / count - math.pi / 2
        out = (math.cos(angle), math.sin(angle))
        x, y = middle + radius * out[0], down + radius * out[1]
        centres.append((x, y))
        switches.append((x - 8, y - 6, 16, 12))
        x, y = x + (14 + block_size / 2) * out[0], y + (14 + block_size / 2) * out[1]
        squares = block(x, y - -(-len(own) // columns) * cell / 2, len(own), columns, cell)
        for host, square in zip(own, squares, strict=True):
            hosts[host] = square
        if s in names:
            x, y = x + (block_size / 2 + 8) * out[0], y + (block_size / 2 + 8) * out[1]
            align, left = ("left", x) if out[0] > 0.01 else ("right", x - room)
            if abs(out[0]) <= 0.01:
                align, left = "center", x - room / 2
            slots.append(Slot(names[s], (left, y - 6, room, 12), align=align))
    links = [((*centres[a], *centres[b]),) for a, b in plan.links]
    return Layout(2 * middle, 2 * down, hosts, switches, links, _apart(slots, [*hosts, *switches]))


def _apart(slots: Sequence[Slot], taken: Sequence[Box]) -> list[Slot]:
    """The slots in order, without slots that overlap anything earlier."""
    filled: dict[tuple[int, int], list[Box]] = {}  # by tiles of 64 pixels

    def tiles(box: Box) -> list[tuple[int, int]]:
        x, y, width, height = box
        across = range(int(x // 64), int((x + width) // 64) + 1)
        return [(i, j) for i in across for j in range(int(y // 64), int((y + height) // 64) + 1)]

    def add(box: Box) -> None:
        for tile in tiles(box):
            filled.setdefault(tile, []).append(box)

    for box in taken:
        add(box)
    kept = []
    for slot in slots:
        if not any(overlap(slot.box, other) for tile in tiles(slot.box) for other in filled.get(tile, ())):
            kept.append(slot)
            add(slot.box)
    return kept
