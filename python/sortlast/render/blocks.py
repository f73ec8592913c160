"""Splitting a volume into p convex blocks with shared faces.

The blocks are the leaves of a kd-tree: each step cuts the longest axis in proportion to the ranks
on either side. A kd-tree has a visibility order from every eye point, for any p.

A block is a box of grid points. Neighbours share the points of their common face, so that no ray
and no surface falls between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sortlast import Error

Index = tuple[int, int, int]
Spacing = tuple[float, float, float]
Bounds = tuple[float, float, float, float, float, float]

GHOSTS = 1  # grid points beyond each face: central differences on the face need one


@dataclass(frozen=True)
class Block:
    """Grid points lower..upper of a volume, both ends included."""

    lower: Index
    upper: Index

    def bounds(self, spacing: Spacing) -> Bounds:
        """(xmin, xmax, ymin, ymax, zmin, zmax) in the units of `spacing`; point (0,0,0) is the origin."""
        low = [i * s for i, s in zip(self.lower, spacing, strict=True)]
        high = [i * s for i, s in zip(self.upper, spacing, strict=True)]
        return (low[0], high[0], low[1], high[1], low[2], high[2])


def split(shape: Index, spacing: Spacing, p: int) -> list[Block]:
    """Cut a volume of `shape` grid points into p blocks that share their faces and cover it.

    Raises sortlast.Error if p < 1 or if a block would be thinner than one cell.
    """
    if p < 1:
        raise Error(f"cannot split a volume into {p} blocks: at least 1 is needed")
    whole = Block((0, 0, 0), (shape[0] - 1, shape[1] - 1, shape[2] - 1))
    return _split(whole, spacing, p)


def _split(block: Block, spacing: Spacing, p: int) -> list[Block]:
    if p == 1:
        return [block]

    # Choose the longest axis.
    cells = [last - first for first, last in zip(block.lower, block.upper, strict=True)]
    lengths = [c * s if c > 1 else 0.0 for c, s in zip(cells, spacing, strict=True)]
    axis = int(np.argmax(lengths))
    if cells[axis] < 2:
        raise Error(
            f"cannot split a block of {'x'.join(map(str, cells))} cells among {p} ranks: "
            "use fewer ranks or a larger volume"
        )

    # Cut it in proportion to the ranks on either side.
    front = p // 2
    cut_at = block.lower[axis] + min(max(round(cells[axis] * front / p), 1), cells[axis] - 1)
    upper, lower = list(block.upper), list(block.lower)
    upper[axis] = lower[axis] = cut_at
    low = Block(block.lower, (upper[0], upper[1], upper[2]))
    high = Block((lower[0], lower[1], lower[2]), block.upper)
    return _split(low, spacing, front) + _split(high, spacing, p - front)


def cut(voxels: npt.NDArray[np.float32], block: Block) -> npt.NDArray[np.float32]:
    """The voxels of `block` with GHOSTS points around it, indexed [x, y, z], x fastest in memory.

    Beyond the volume the ghosts repeat its border.
    """
    ranges = [
        np.clip(np.arange(first - GHOSTS, last + GHOSTS + 1), 0, n - 1)
        for first, last, n in zip(block.lower, block.upper, voxels.shape, strict=True)
    ]
    return np.asfortranarray(voxels[np.ix_(*ranges)], dtype=np.float32)
