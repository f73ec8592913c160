"""Views: the blocks of a volume, the directions from which it is seen, and the depth orders that they give.

The volume is a cube of edge 1 around the origin, cut into a regular grid of p blocks; rank r holds block
(x, y, z) with r = x + X (y + Y z), as codes on regular grids number their ranks. The eye stands where VTK and
ParaView put it when they reset the camera: so far away that a sphere around the volume fills their angle of
view. Grids have many orders that are right for the same eye. Two ways to choose one are compared:

- lowest rank first: what :func:`sortlast.visibility_order` gives: of the blocks that nothing hides any more,
  the one with the lowest rank goes next;
- k-d tree: the blocks are the leaves of a k-d tree, and at every cut the side of the eye goes first, so that
  the ranks of a branch always stand together.
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

SEED = 2026  # of the directions
VIEW_ANGLE = 30  # degrees, of VTK's camera
DISTANCE = math.sqrt(3) / 2 / math.sin(math.radians(VIEW_ANGLE / 2))  # of the eye from the centre, in edges
INCLINATION, NODE = (
    60,
    20,
)  # degrees of the orbit: against the plane of x and y, and where it goes up through it
TURN = 360  # steps of the orbit
LOWEST, TREE = "lowest rank first", "k-d tree"
SORTINGS = (LOWEST, TREE)

Order = tuple[int, ...]  # ranks from front to back
Corner = tuple[int, int, int]


# --- blocks -------------------------------------------------------------------------------------------


@cache
def factors(n: int, count: int) -> tuple[int, ...]:
    """So many factors of n, as equal as possible, the greatest first; some are 1 if n has too few."""
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
    """The box of each rank's block: its least and greatest x, y and z."""
    return [
        [k / count - 0.5 for at, count in zip(cell(rank, p), grid(p), strict=True) for k in (at, at + 1)]
        for rank in range(p)
    ]


# --- directions ---------------------------------------------------------------------------------------


def directions(count: int) -> NDArray[np.float64]:
    """Directions drawn uniformly on the sphere: (count, 3), the first of which are those of a lower count."""
    drawn = np.random.default_rng(SEED).normal(size=(count, 3))
    found: NDArray[np.float64] = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return found


def orbit() -> NDArray[np.float64]:
    """Directions of an inclined circle around the volume, a degree after the other: (360, 3)."""
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
    """The order that the compositor's own function gives."""
    return tuple(visibility_order(boxes(p), list(eye), False))


def by_tree(p: int, eye: Sequence[float]) -> Order:
    """The walk of a k-d tree that halves the longest side, of equal ones that along the last axis."""
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
    """The different orders of some views, sorted one way.

    Attributes:
        different: each once, in the order in which the views have them, those of the orbit last.
        of_view: the number among them of each direction's.
        of_orbit: of each degree's.
    """

    different: tuple[Order, ...]
    of_view: tuple[int, ...]
    of_orbit: tuple[int, ...]


_lock = Lock()


def orders(p: int, count: int, sorting: str) -> Orders:
    """Those of ``count`` views and of the orbit; made once, whichever thread asks first."""
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
    """How many different orders :func:`sortlast.visibility_order` gives from another distance."""
    return len({lowest_first(p, tuple(distance * each)) for each in directions(count)})
