"""Ranks front to back by the boxes of their data, and places of many boxes a rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sortlast import _arrays, _native
from sortlast._errors import ArgumentError

if TYPE_CHECKING:
    from mpi4py import MPI


def visibility_order(
    comm: MPI.Intracomm,
    box: Sequence[float] | None,
    eye: Sequence[float] | None = None,
    direction: Sequence[float] | None = None,
    *,
    timeout: float = 60.0,
) -> list[int]:
    """Ranks from front to back, from the axis-aligned box that holds each rank's data. Collective.

    Args:
        comm: an mpi4py communicator.
        box: (xmin, xmax, ymin, ymax, zmin, zmax) of this rank's data; None if it has none.
            A minimum above its maximum, as of an empty VTK dataset, says the same. Such ranks come last.
        eye: position of the eye, the same on every rank.
        direction: for a parallel projection, the direction in which the viewer looks, instead of ``eye``.
        timeout: longest wait without any progress, in seconds.

    Raises:
        ArgumentError: on every rank, if boxes overlap or cover each other in a cycle (the message names
            it), or an argument is wrong on some rank.
        MismatchError: on every rank, if eye or direction differ.
        TimeoutError: a rank did not come.
    """
    native, handle = _native.joining(comm)
    problem = ""
    corners, point = [1.0, 0.0] * 3, [0.0, 0.0, 0.0]
    limit = 60.0
    try:
        if (eye is None) == (direction is None):
            raise ArgumentError("expected either eye or direction")
        if box is not None:
            corners = _arrays.numbers(box, "box", 6)
        point = _arrays.numbers(eye if direction is None else direction, "eye or direction", 3)
        limit = _arrays.number(timeout, "timeout")
    except Exception as error:
        # The others must not wait for this rank: all raise what is wrong here.
        problem = str(error)
    return native.visibility_order(  # type: ignore[no-any-return]
        handle, corners, point, direction is not None, limit, problem
    )


class BoxPositions(NamedTuple):
    """What a rank renders of its boxes, and where each stands: n boxes, or parts of some.

    Sorted by source, and front to back among the parts of one.
    """

    positions: NDArray[np.int64]
    """Shape (n,): places front to back over all ranks, from 0; no two are the same."""
    boxes: NDArray[np.float64]
    """Shape (n, 6): (xmin, xmax, ymin, ymax, zmin, zmax) of each, in the units of the scene."""
    sources: NDArray[np.int32]
    """Shape (n,): index among this rank's boxes of the one that it is, or is a part of."""


class SplitTree(NamedTuple):
    """A k-d tree, quadtree or octree of m nodes whose leaves name boxes. Node 0 is the root.

    Boxes are numbered over all ranks: rank 0's first.
    """

    axes: ArrayLike
    """Shape (m,): 1, 2 or 4 for a plane across x, y or z; sums of them for several (an octree: 7)."""
    planes: ArrayLike
    """Shape (m, 3): where the planes across x, y and z are, in scene units; others are not read."""
    children: ArrayLike
    """Shape (m, 8): by 1, 2, 4 or their sum for the sides above the planes across x, y and z. A number is
    a node, -1 - i the box i, and -2**31 a part of space without data."""


def visibility_positions(
    comm: MPI.Intracomm,
    boxes: ArrayLike,
    eye: Sequence[float] | None = None,
    direction: Sequence[float] | None = None,
    *,
    split: bool = False,
    tree: SplitTree | None = None,
    timeout: float = 60.0,
) -> BoxPositions:
    """Places front to back of the boxes of all ranks, any number a rank. Collective.

    Without ``split``, box i of this rank stands at ``positions[i]``; boxes without data come last. Of several
    right orders it is a walk of the k-d tree whose planes halve the boxes and cross none. Every rank learns
    all boxes and sorts them: time and memory grow with the boxes of all ranks, not with the pairs of them.

    Args:
        comm: an mpi4py communicator.
        boxes: shape (n, 6), each (xmin, xmax, ymin, ymax, zmin, zmax), of this rank's data; ``[]`` if it has
            none. A minimum above its maximum says that a box holds no data.
        eye: position of the eye, the same on every rank.
        direction: for a parallel projection, the direction in which the viewer looks, instead of ``eye``.
        split: split boxes that overlap or cover each other in cycles, until there is an order. What several
            hold goes to the smallest of them, and of equal ones to that of the lowest rank and index; a box
            that smaller ones fill has no part. Cycles are cut by few planes: by the fewest where one is
            enough for up to 32 boxes on cycles with each other, or where all ways can be tried.
        tree: the order is a walk of this tree, whose leaves hold all boxes with data.
        timeout: longest wait without any progress, in seconds.

    Raises:
        ArgumentError: on every rank, if boxes overlap or cover each other in a cycle without ``split`` (the
            message names them), the tree is wrong, or an argument is wrong on some rank.
        MismatchError: on every rank, if eye, direction, split or tree differ.
        TimeoutError: a rank did not come.
    """
    native, handle = _native.joining(comm)
    problem = ""
    corners, point, limit = np.empty((0, 6)), [0.0, 0.0, 0.0], 60.0
    nodes = _nodes(None)
    try:
        if (eye is None) == (direction is None):
            raise ArgumentError("expected either eye or direction")
        point = _arrays.numbers(eye if direction is None else direction, "eye or direction", 3)
        limit = _arrays.number(timeout, "timeout")
        corners = _rows(boxes, "boxes", np.float64, 6)
        nodes = _nodes(tree)
    except Exception as error:
        # The others must not wait for this rank: all raise what is wrong here.
        problem = str(error)
    found = native.visibility_positions(
        handle, corners, point, direction is not None, bool(split), *nodes, limit, problem
    )
    return BoxPositions(*found)


def _rows(values: ArrayLike, what: str, dtype: type[np.generic], length: int) -> NDArray[Any]:
    expected = f"expected an array of shape (n, {length})"
    whole = np.issubdtype(dtype, np.integer)
    try:
        rows = np.asarray(values)
        converted = np.ascontiguousarray(rows, dtype)
    except (OverflowError, TypeError, ValueError):
        raise ArgumentError(f"{what} cannot be read; {expected}") from None
    if rows.size == 0 and rows.ndim <= 2:
        return np.empty((0, length), dtype)
    if rows.dtype.kind not in ("iu" if whole else "iuf"):
        raise ArgumentError(f"{what} are {rows.dtype}; expected {'whole ' if whole else ''}numbers")
    if whole and not np.array_equal(converted, rows):
        raise ArgumentError(f"{what} are out of the range of {np.dtype(dtype)}")
    if converted.ndim != 2 or converted.shape[1] != length:
        raise ArgumentError(f"{what} have shape {converted.shape}; {expected}")
    return converted


def _nodes(tree: SplitTree | None) -> tuple[list[int], NDArray[Any], NDArray[Any]]:
    if tree is None:
        return [], np.empty((0, 3)), np.empty((0, 8), np.int32)
    try:
        axes, planes, children = tree
    except (TypeError, ValueError):
        raise ArgumentError("tree is no SplitTree(axes, planes, children)") from None
    rows = _rows(children, "children", np.int32, 8)
    places = _rows(planes, "planes", np.float64, 3)
    column = _rows(np.asarray(axes).reshape(-1, 1), "axes", np.int32, 1).ravel()
    if not len(rows) == len(places) == len(column) > 0:
        raise ArgumentError(
            f"tree has {len(column)} axes, {len(places)} planes and {len(rows)} children; "
            "expected as many of each, and one node at least"
        )
    if (column < 0).any():
        raise ArgumentError("axes of the tree are negative; expected 1 to 7")
    return column.tolist(), places, rows
