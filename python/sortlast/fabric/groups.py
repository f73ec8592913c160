"""Groups the hosts and switches of a large fabric, so that each group shares one glyph of a picture.

A tree is drawn completely if it fits. Otherwise each leaf's hosts become one glyph; then each pod, which is a
connected component without the upper levels, and only the upper levels' switches are drawn. If these are too
many, switches with the same neighbours become one glyph. A grid is cut into blocks. A row that is still too
wide (two levels and a thousand leaves) is cut into runs of neighbours.

The limits are chosen so that names are readable in a picture at full size, and its SVG stays below 5 MB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_HOSTS = 2_000  # drawn individually
_MOST_LINES = 4_000  # between switches
_MOST_ROW = 100  # boxes per level
_MOST_BLOCKS = 512  # boxes of a grid
_FEW = 48  # boxes of a row after it is cut into runs

Array = NDArray[np.intp]


@dataclass(frozen=True)
class Fabric:
    """The fabric to group, with switches numbered from 0.

    ``switch_of``: the switch of each host. ``levels``: of each switch, from 1; all 0 if it is no tree.
    ``links``: (L, 2), pairs of switches. ``leaves``: switches with hosts, in drawing order. ``size``,
    ``places``: for a grid, its extent along x, y, ... and the position of each switch.
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

    ``box_of``: of each switch; ``square_of``: of each host; ``levels``: of each box, from 1; ``rows``: names
    of the levels, from 1 (empty: default names); ``whole``: every host, switch and cable is drawn
    individually; ``block``: for a grid, switches per box along x, y, ...
    """

    box_of: Array
    square_of: Array
    levels: Array
    whole: bool
    rows: tuple[str, ...] = ()
    block: tuple[int, ...] = ()

    def members(self) -> list[list[int]]:
        """The switches of each box."""
        return _members(self.box_of)

    def hosts(self) -> list[list[int]]:
        """The hosts of each square."""
        return _members(self.square_of)


def group(fabric: Fabric) -> Groups:
    """The finest grouping with a picture that fits."""
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
    """Increasingly coarse groupings: leaves, then pods of more and more levels, with upper twins merged."""
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
    """Whether all boxes and the lines between them fit."""
    ends = np.sort(box_of[fabric.links].reshape(-1, 2), axis=1)
    lines = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    return bool(np.bincount(levels).max(initial=0) <= _MOST_ROW) and len(lines) <= _MOST_LINES


def _connected(fabric: Fabric, inside: NDArray[np.bool_]) -> Array:
    """For each switch ``inside``, the lowest switch connected to it within ``inside``; itself for others."""
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
    """For each switch in ``among``, the lowest switch with the same neighbours; itself for others."""
    neighbours: list[list[int]] = [[] for _ in among]
    for a, b in fabric.links.tolist():
        neighbours[a].append(b)
        neighbours[b].append(a)
    first: dict[tuple[int, ...], int] = {}
    return np.array(
        [first.setdefault(tuple(sorted(neighbours[s])), s) if among[s] else s for s in range(len(among))]
    )


def _runs(fabric: Fabric, box_of: Array, levels: Array) -> tuple[Array, Array]:
    """Merge neighbouring boxes of a wide row: returns the box of each switch, and the levels."""
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
    """Cut a grid into blocks, halved along the longest dimension until there are few enough."""
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
    """Replace keys by 0, 1, ... in ascending order."""
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


def _members(group_of: Array) -> list[list[int]]:
    groups: list[list[int]] = [[] for _ in range(int(group_of.max(initial=-1)) + 1)]
    for member, number in enumerate(group_of.tolist()):
        groups[number].append(member)
    return groups
