"""A mesh or torus in a picture, drawn as a grid.

x runs to the right and y down. A third dimension puts planes side by side (in rows if there are many), a
fourth puts rows of planes below each other, and so on in alternation. A link to a neighbour in x or y is a
line. A link that wraps around or leads to another plane would cross many others as a line; it is a pair of
stubs that leave the boxes in the link's direction. Stubs of the third dimension point to the upper right and
lower left, stubs of the fourth to the lower right and upper left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

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

_WIDTH = 1000  # width up to which a small grid is enlarged
_NAME = 14.0  # height of a box
_LEAST_BOX, _MOST_BOX = 44.0, 84.0
_GAP = 28.0  # between boxes
_PLANES = 36.0  # between planes
_TITLE = 18.0  # height above a plane
_STUB = 11.0
_SHAPE = 1.7  # target ratio of width to height for a picture of many planes
_CORNERS = ((1, -1), (1, 1), (1, -0.4), (1, 0.4))  # directions of stubs up along dimensions 3, 4, ...


def arrange(plan: Plan) -> Layout:
    """Lay out a grid."""
    size = [*plan.size, 1, 1][: max(2, len(plan.size))]
    places = [[*place, 0][: len(size)] for place in plan.places]
    crowd = squares_by_box(plan)
    texts = name_texts(plan, range(len(plan.levels)))

    # Compute the size of a box with its squares, and of a plane.
    longest = max((len(each[0]) for each in texts.values()), default=0)
    box = min(max(_LEAST_BOX, LETTER * longest + 10), _MOST_BOX)
    cell, columns = square_size(max(map(len, crowd)), box)
    rows = -(-max(map(len, crowd)) // columns)
    depth = GROUP + 15 if plan.counts else rows * cell
    footprint = (box, _NAME + (4 + depth if any(crowd) else 0))
    gap = _gap(size, footprint)
    pitch = (footprint[0] + gap, footprint[1] + gap)
    plane = (size[0] * pitch[0] + _PLANES, size[1] * pitch[1] + _PLANES)
    corners, across, down = _planes(size, plane)

    hosts: list[Box] = [(0.0, 0.0, 0.0, 0.0)] * len(plan.switch_of)
    switches: list[Box] = []
    slots = _titles(plan, corners, gap, plane[0])
    for s, place in enumerate(places):
        left, top = corners[tuple(place[2:])]
        x, y = left + gap / 2 + place[0] * pitch[0], top + gap / 2 + place[1] * pitch[1]
        switches.append((x, y, box, _NAME))
        if s in texts:
            slots.append(Slot(texts[s], (x + 1.5, y + 1, box - 3, _NAME - 2)))
        if plan.counts and crowd[s]:
            hosts[crowd[s][0]] = (x, y + _NAME + 4, box, GROUP)
            below = (x, y + _NAME + 6 + GROUP, box, 12.0)
            slots.append(Slot(count_texts(plan.counts[s]), below, group=s))
            continue
        for host, square in zip(
            crowd[s], block(x + box / 2, y + _NAME + 4, len(crowd[s]), columns, cell), strict=True
        ):
            hosts[host] = square
    around = [(x, y, *footprint) for x, y, *_ in switches]
    links = _pieces(plan.links, places, around)
    return Layout(across + MARGIN, down + MARGIN, hosts, switches, links, slots)


def _gap(size: Sequence[int], footprint: tuple[float, float]) -> float:
    """Distance between boxes; larger for a small grid, to enlarge the picture."""
    spread = (_WIDTH - size[0] * footprint[0]) / size[0] if len(size) == 2 else _GAP
    return min(max(_GAP, spread), 2.2 * _GAP)


def _planes(
    size: Sequence[int], plane: tuple[float, float]
) -> tuple[dict[tuple[int, ...], tuple[float, float]], float, float]:
    """Upper left corner of each plane by its further coordinates, and the lower right corner of all."""
    title = _TITLE if len(size) > 2 else 0.0
    wide, high = plane[0], plane[1] + title

    def badness(columns: int) -> float:
        rows = -(-size[2] // columns)
        return abs(math.log(columns * wide / (rows * high) / _SHAPE)) + columns * rows / size[2]

    corners: dict[tuple[int, ...], tuple[float, float]] = {}
    if len(size) == 3:
        columns = size[2] if size[2] <= 3 else min(range(1, size[2] + 1), key=badness)
        for z in range(size[2]):
            corners[(z,)] = (MARGIN + z % columns * wide, MARGIN + z // columns * high + title)
    else:
        for place in product(*(range(extent) for extent in size[2:])):
            column = row = 0
            for number, (at, extent) in enumerate(zip(place, size[2:], strict=True)):
                if number % 2 == 0:
                    column = column * extent + at
                else:
                    row = row * extent + at
            corners[place] = (MARGIN + column * wide, MARGIN + row * high + title)
    ends = corners.values()
    return corners, max(x for x, _ in ends) + wide - _PLANES, max(y for _, y in ends) + high - title - _PLANES


def _titles(
    plan: Plan, corners: dict[tuple[int, ...], tuple[float, float]], gap: float, wide: float
) -> list[Slot]:
    """Titles above each plane, such as "z = 2"."""
    further = len(plan.size) - 2
    letters = "zwvu" if further <= 4 else ""
    block = [*plan.block, *[1] * len(plan.size)][2 : len(plan.size)]
    slots = []
    for place, (x, y) in corners.items() if further > 0 else ():
        parts = []
        for i, (at, each) in enumerate(zip(place, block, strict=True)):
            values = f"{at}" if each == 1 else f"{at * each} to {at * each + each - 1}"
            parts.append(f"{letters[i] if letters else f'x{i + 3}'} = {values}")
        box = (x + gap / 2, y - _TITLE, min(130.0, wide - gap), 12.0)
        slots.append(Slot((", ".join(parts),), box, align="left", faint=True))
    return slots


def _pieces(
    links: Sequence[tuple[int, int]], places: Sequence[Sequence[int]], around: Sequence[Box]
) -> list[tuple[Line, ...]]:
    """The lines and stubs of links; parallel ones are drawn side by side."""
    ways: dict[tuple[int, int], int] = {}
    found: list[tuple[Line, ...]] = []
    for a, b in links:
        number = ways[min(a, b), max(a, b)] = ways.get((min(a, b), max(a, b)), -1) + 1
        dimension = next(i for i, (p, q) in enumerate(zip(places[a], places[b], strict=True)) if p != q)
        step = places[b][dimension] - places[a][dimension]
        # If two switches form a whole ring, their second cable is the one that wraps around.
        wraps = abs(step) > 1 or number > 0
        up = (step > 0) != wraps  # whether it leaves a upward
        if dimension < 2 and not wraps:
            found.append((_between(around[a], around[b], dimension, up),))
        else:
            found.append((_stub(around[a], dimension, up), _stub(around[b], dimension, not up)))
    return found


def _between(a: Box, b: Box, dimension: int, up: bool) -> Line:
    """A line from the edge of one box to the facing edge of its neighbour."""
    (x1, y1), (x2, y2) = _edge(a, dimension, up), _edge(b, dimension, not up)
    return (x1, y1, x2, y2)


def _edge(box: Box, dimension: int, up: bool) -> tuple[float, float]:
    x, y, width, height = box
    if dimension == 0:
        return (x + width if up else x), y + min(height, _NAME) / 2
    return x + width / 2, (y + height if up else y)


def _stub(box: Box, dimension: int, up: bool) -> Line:
    """A short line out of a box."""
    if dimension < 2:
        x, y = _edge(box, dimension, up)
        out: tuple[float, float] = (1, 0) if dimension == 0 else (0, 1)
    else:
        out = _CORNERS[(dimension - 2) % len(_CORNERS)]
        x = box[0] + (box[2] if up else 0)
        y = box[1] + (0 if (out[1] < 0) == up else _NAME)
    sign = 1 if up else -1
    return (x, y, x + sign * _STUB * out[0], y + sign * _STUB * out[1])
