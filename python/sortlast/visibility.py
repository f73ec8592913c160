"""Ranks front to back by the boxes of their data, and positions for several boxes per rank."""

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
    """Ranks from front to back, by the axis-aligned box that contains each rank's data. Collective.

    Args:
        comm: an mpi4py communicator.
        box: (xmin, xmax, ymin, ymax, zmin, zmax) of this rank's data; None if it has none, or a box with a
            minimum above its maximum on every axis, as of an empty VTK dataset. Such ranks are last. A box
            with this on some axes only is an error: its numbers are probably in another order.
        eye: position of the eye, the same on every rank.
        direction: for a parallel projection, the viewing direction, instead of ``eye``.
        timeout: longest wait without any progress, in seconds.

    Raises:
        ArgumentError: on every rank, if boxes overlap or cover each other in a cycle (the message names
            it), or an argument is invalid on some rank.
        MismatchError: on every rank, if eye or direction differ.
        TimeoutError: a rank did not arrive.
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
        # The others must not wait for this rank: all ranks raise the error below.
        problem = str(error)
    return native.visibility_order(  # type: ignore[no-any-return]
        handle, corners, point, direction is not None, limit, problem
    )


class BoxPositions(NamedTuple):
    """The boxes, or parts of boxes, that a rank renders, with their positions: n of them.

    Sorted by source; parts of one box are sorted front to back.
    """

    positions: NDArray[np.int64]
    """Unique places front to back over all ranks, from 0; shape (n,)."""
    boxes: NDArray[np.float64]
    """(xmin, xmax, ymin, ymax, zmin, zmax) of each, in the units of the scene; shape (n, 6)."""
    sources: NDArray[np.int32]
    """Index among this rank's boxes of the box that it is, or is a part of; shape (n,)."""


class SplitTree(NamedTuple):
    """A k-d tree, quadtree or octree of m nodes, with boxes as leaves. Node 0 is the root.

    Boxes are numbered over all ranks: rank 0's first.
    """

    axes: ArrayLike
    """Shape (m,): 1, 2 or 4 for a plane across x, y or z; sums of them for several (an octree: 7)."""
    planes: ArrayLike
    """Shape (m, 3): positions of the planes across x, y and z, in scene units; unused ones are not read."""
    children: ArrayLike
    """Shape (m, 8): children, indexed by the sum of 1, 2, 4 for the sides above the planes across x, y and
    z. A number is a node, -1 - i the box i, and -2**31 a part of space without data."""


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
    """Places front to back of the boxes of all ranks, any number per rank. Collective.

    Without ``split``, box i of this rank has place ``positions[i]``; boxes without data are last. If several
    orders are right, the result is a walk of the k-d tree with planes that halve the boxes without crossing
    any. Every rank receives and sorts all boxes: time and memory grow with their number, not with the number
    of pairs.

    Args:
        comm: an mpi4py communicator.
        boxes: shape (n, 6), each (xmin, xmax, ymin, ymax, zmin, zmax), of this rank's data; ``[]`` if it has
            none. A box with a minimum above its maximum on every axis contains no data.
        eye: position of the eye, the same on every rank.
        direction: for a parallel projection, the viewing direction, instead of ``eye``.
        split: split boxes that overlap or cover each other in cycles, until there is an order. A region in
            several boxes goes to the smallest of them, or, if equal, to the one with the lowest rank and
            index; a box that is filled by smaller ones has no part. Cycles are cut by few planes: by the
            minimum number if one plane is enough for up to 32 boxes on cycles with each other, or if all
            possibilities can be tried.
        tree: the order is a walk of this tree, which must contain all boxes with data.
        timeout: longest wait without any progress, in seconds.

    Raises:
        ArgumentError: on every rank, if boxes overlap or cover each other in a cycle without ``split`` (the
            message names them), the tree is invalid, or an argument is invalid on some rank.
        MismatchError: on every rank, if eye, direction, split or tree differ.
        TimeoutError: a rank did not arrive.
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
        # The others must not wait for this rank: all ranks raise the error below.
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
