"""Which hosts and switches share a glyph of a picture, where a fabric has too many to be seen one by one.

A tree is drawn whole while its picture has room. Then each leaf's hosts become one glyph; then each pod: what
hangs together without the levels above it, which become the only switches that are drawn. Switches of these
that have the same neighbours are one glyph where they are too many. A grid is cut into blocks. Whatever is
still too wide (a fabric of two levels and a thousand leaves) is cut into runs of neighbours.

The sizes are those at which names can still be read in a picture at full size, and at which its SVG stays
below 5 MB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_HOSTS = 2_000  # drawn one by one
_MOST_LINES = 4_000  # between switches
_MOST_ROW = 100  # boxes of a level
_MOST_BLOCKS = 512  # boxes of a grid
_FEW = 48  # boxes of a row after it was cut into runs

Array = NDArray[np.intp]


@dataclass(frozen=True)
class Fabric:
    """What is grouped: switches numbered from 0.

    ``switch_of``: the switch of each host. ``levels``: of each switch, from 1; all 0 if it is no tree.
    ``links``: (L, 2), pairs of switches. ``leaves``: switches with hosts in the order in which they stand.
    ``size``, ``places``: of a grid, its extent along x, y, ... and the place of each switch in it.
    """

    switch_of: Array
    levels: Array
    links: Array
    leaves: Sequence[int]
    size: Sequence[int] = ()
    places: Sequence[Sequence[int]] = ()


@dataclass(frozen=True)
class Groups:
    """The boxes and squares of a picture.

    ``box_of``: of each switch; ``square_of``: of each host; ``levels``: of each box, from 1; ``rows``: what
    the levels are called, from 1 (none: as usual); ``whole``: every host, switch and cable is drawn by
    itself; ``block``: of a grid, switches of a box along x, y, ...
    """

    box_of: Array
    square_of: Array
    levels: Array
    whole: bool
    rows: tuple[str, ...] = ()
    block: tuple[int, ...] = ()

    def members(self) -> list[list[int]]:
        """Switches of each box."""
        return _members(self.box_of)

    def hosts(self) -> list[list[int]]:
        """Hosts of each square."""
        return _members(self.square_of)


def group(fabric: Fabric) -> Groups:
    """The finest grouping whose picture has room."""
    alone = np.arange(len(fabric.levels))
    few_hosts = len(fabric.switch_of) <= _MOST_HOSTS
    if fabric.size:
        return _blocks(fabric, few_hosts)
    if few_hosts and len(fabric.links) <= _MOST_LINES and _fits(fabric, alone, fabric.levels):
        return Groups(alone, np.arange(len(fabric.switch_of)), fabric.levels, True)
    coarser = _coarser(fabric, alone)
    fitting = (each for each in coarser if _fits(fabric, *each[:2]))
    box_of, levels, rows = next(fitting, coarser[-1])
    if not _fits(fabric, box_of, levels):
        box_of, levels = _runs(fabric, box_of, levels)
    return Groups(box_of, _numbered(box_of[fabric.switch_of]), levels, False, rows)


def _coarser(fabric: Fabric, alone: Array) -> list[tuple[Array, Array, tuple[str, ...]]]:
    """Groupings of switches, ever coarser: leaves, then pods of ever more levels, with upper twins joined."""
    found: list[tuple[Array, Array, tuple[str, ...]]] = [(alone, fabric.levels, ())]
    top = int(fabric.levels.max(initial=0))
    for cut in range(1, top):
        pods = _connected(fabric, fabric.levels <= cut)
        rows = ("pods", *(f"level {level}" for level in range(cut + 1, top + 1))) if cut > 1 else ()
        upper = fabric.levels > cut
        for merged in (alone, _twins(fabric, upper)):
            box_of = _numbered(np.where(upper, len(alone) + merged, pods))
            levels = np.zeros(box_of.max(initial=-1) + 1, np.intp)
            np.maximum.at(levels, box_of, np.maximum(fabric.levels - cut + 1, 1))
            found.append((box_of, levels, rows))
    return found


def _fits(fabric: Fabric, box_of: Array, levels: Array) -> bool:
    """Whether all boxes and the lines between them have room."""
    ends = np.sort(box_of[fabric.links].reshape(-1, 2), axis=1)
    lines = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    return bool(np.bincount(levels).max(initial=0) <= _MOST_ROW) and len(lines) <= _MOST_LINES


def _connected(fabric: Fabric, inside: NDArray[np.bool_]) -> Array:
    """The lowest switch that each one of ``inside`` is connected to within it; itself for others."""
    parent = list(range(len(inside)))

    def root(s: int) -> int:
        while parent[s] != s:
            parent[s] = s = parent[parent[s]]
        return s

    for a, b in fabric.links[inside[fabric.links].all(axis=1)].tolist():
        one, other = root(a), root(b)
        parent[max(one, other)] = min(one, other)
    return np.array([root(s) for s in range(len(parent))])


def _twins(fabric: Fabric, among: NDArray[np.bool_]) -> Array:
    """The lowest switch with the same neighbours as each one of ``among``; itself for others."""
    neighbours: list[list[int]] = [[] for _ in among]
    for a, b in fabric.links.tolist():
        neighbours[a].append(b)
        neighbours[b].append(a)
    first: dict[tuple[int, ...], int] = {}
    return np.array(
        [first.setdefault(tuple(sorted(neighbours[s])), s) if among[s] else s for s in range(len(among))]
    )


def _runs(fabric: Fabric, box_of: Array, levels: Array) -> tuple[Array, Array]:
    """Boxes of a wide row joined with those beside them: the box of each switch, and the levels."""
    order = {int(box_of[s]): place for place, s in reversed([*enumerate(fabric.leaves)])}
    joined = np.arange(len(levels))
    for level in np.unique(levels):
        row = sorted(
            np.flatnonzero(levels == level).tolist(), key=lambda box: (order.get(box, len(order)), box)
        )
        length = -(-len(row) // _FEW) if len(row) > _MOST_ROW else 1
        for place, box in enumerate(row):
            joined[box] = row[place - place % length]
    return _numbered(joined[box_of]), levels[np.unique(joined)]


def _blocks(fabric: Fabric, few_hosts: bool) -> Groups:
    """A grid cut into blocks, halved along its longest dimension until there are few enough."""
    count, block = [*fabric.size], [1] * len(fabric.size)
    while np.prod(count, dtype=float) > _MOST_BLOCKS:
        longest = count.index(max(count))
        block[longest] *= 2
        count[longest] = -(-fabric.size[longest] // block[longest])
    places = np.array(fabric.places) // block
    box_of = np.ravel_multi_index(tuple(places.T[::-1]), tuple(count[::-1]))
    whole = few_hosts and max(block) == 1
    squares = np.arange(len(fabric.switch_of)) if whole else _numbered(box_of[fabric.switch_of])
    return Groups(box_of, squares, np.zeros(int(np.prod(count)), np.intp), whole, block=tuple(block))


def _numbered(keys: Array) -> Array:
    """Keys replaced by 0, 1, ... in the order of their numbers."""
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


def _members(group_of: Array) -> list[list[int]]:
    groups: list[list[int]] = [[] for _ in range(int(group_of.max(initial=-1)) + 1)]
    for member, number in enumerate(group_of.tolist()):
        groups[number].append(member)
    return groups
