"""Views: the blocks of a volume, the viewing directions, and the resulting depth orders.

The volume is a cube of edge 1 around the origin, cut into a regular grid of p blocks; rank r holds block
(x, y, z) with r = x + X (y + Y z), the usual numbering of codes on regular grids. The eye is where VTK and
ParaView put it when they reset the camera: at the distance where a sphere around the volume fills the view
angle. Grids have many valid orders for the same eye. Two rules to choose one are compared:

- lowest rank first, the rule of :func:`sortlast.visibility_order`: among the blocks that nothing hides any
  more, the one with the lowest rank is next;
- k-d tree: the blocks are the leaves of a k-d tree, and at every cut the side of the eye is first, so that
the
  ranks of a branch stay together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from sortlast._core import visibility_order  # of boxes that are all known here; the public one is collective

SEED = 2026  # for the directions
VIEW_ANGLE = 30  # degrees, VTK's default
DISTANCE = math.sqrt(3) / 2 / math.sin(math.radians(VIEW_ANGLE / 2))  # of the eye from the centre, in edges
INCLINATION, NODE = (
    60,
    20,
)  # degrees: inclination of the orbit to the xy plane, and longitude of its ascending node
TURN = 360  # steps on the orbit
LOWEST, TREE = "lowest rank first", "k-d tree"
SORTINGS = (LOWEST, TREE)

Order = tuple[int, ...]  # ranks from front to back
Corner = tuple[int, int, int]


# --- blocks -------------------------------------------------------------------------------------------


@cache
def factors(n: int, count: int) -> tuple[int, ...]:
    """``count`` factors of n, as equal as possible, in descending order; some are 1 if n has too few."""
    if count == 1:
        return (n,)
    splits = ((k, *factors(n // k, count - 1)) for k in range(1, n + 1) if n % k == 0)
    return tuple(sorted(min(splits, key=lambda split: (max(split), -min(split))), reverse=True))


@cache
def grid(p: int) -> Corner:
    """Blocks along x, y and z."""
    x, y, z = factors(p, 3)
    return x, y, z


def cell(rank: int, p: int) -> Corner:
    """The place of a rank's block in the grid."""
    across, along, _ = grid(p)
    return rank % across, rank // across % along, rank // across // along


@cache
def boxes(p: int) -> list[list[float]]:
    """The box of each rank's block: its minimum and maximum x, y and z."""
    return [
        [k / count - 0.5 for at, count in zip(cell(rank, p), grid(p), strict=True) for k in (at, at + 1)]
        for rank in range(p)
    ]


# --- directions ---------------------------------------------------------------------------------------


def directions(count: int) -> NDArray[np.float64]:
    """Directions drawn uniformly on the sphere: (count, 3); smaller counts give prefixes of larger ones."""
    drawn = np.random.default_rng(SEED).normal(size=(count, 3))
    found: NDArray[np.float64] = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return found


def orbit() -> NDArray[np.float64]:
    """Directions on an inclined circle around the volume, one per degree: (360, 3)."""
    angle, up, turned = np.radians(np.arange(TURN)), math.radians(INCLINATION), math.radians(NODE)
    ahead, aside = np.cos(angle), np.sin(angle) * math.cos(up)
    return np.stack(
        [
            ahead * math.cos(turned) - aside * math.sin(turned),
            ahead * math.sin(turned) + aside * math.cos(turned),
            np.sin(angle) * math.sin(up),
        ],
        axis=1,
    )


# --- orders -------------------------------------------------------------------------------------------


def lowest_first(p: int, eye: Sequence[float]) -> Order:
    """The order given by the compositor's own function."""
    return tuple(visibility_order(boxes(p), list(eye), False))


def by_tree(p: int, eye: Sequence[float]) -> Order:
    """Walk a k-d tree that halves the longest side; among equal sides, the last axis."""
    counts = grid(p)

    def walk(low: Corner, high: Corner) -> list[int]:
        side = [last - first for first, last in zip(low, high, strict=True)]
        if max(side) == 1:
            return [low[0] + counts[0] * (low[1] + counts[1] * low[2])]
        axis = max(range(3), key=lambda k: (side[k], k))
        cut = low[axis] + side[axis] // 2
        below = walk(low, _with(high, axis, cut))
        above = walk(_with(low, axis, cut), high)
        return below + above if eye[axis] < cut / counts[axis] - 0.5 else above + below

    return tuple(walk((0, 0, 0), counts))


def _with(corner: Corner, axis: int, value: int) -> Corner:
    x, y, z = (value if k == axis else each for k, each in enumerate(corner))
    return x, y, z


_SORT = {LOWEST: lowest_first, TREE: by_tree}


@dataclass(frozen=True)
class Orders:
    """The different orders of some views, by one rule.

    Attributes:
        different: distinct orders by first appearance, the orbit after the directions.
        of_view: index of each direction's order.
        of_orbit: index of each degree's order.
    """

    different: tuple[Order, ...]
    of_view: tuple[int, ...]
    of_orbit: tuple[int, ...]


_lock = Lock()


def orders(p: int, count: int, sorting: str) -> Orders:
    """The orders of ``count`` views and of the orbit; computed once, by the first thread to ask."""
    with _lock:
        return _orders(p, count, sorting)


@cache
def _orders(p: int, count: int, sorting: str) -> Orders:
    number: dict[Order, int] = {}
    found = []
    for direction in (*directions(count), *orbit()):
        order = _SORT[sorting](p, tuple(DISTANCE * direction))
        found.append(number.setdefault(order, len(number)))
    return Orders(tuple(number), tuple(found[:count]), tuple(found[count:]))


def count_orders(p: int, count: int, distance: float) -> int:
    """The number of different orders of :func:`sortlast.visibility_order` from another distance."""
    return len({lowest_first(p, tuple(distance * each)) for each in directions(count)})
