"""Visibility order: random kd-trees against rays, cycles, overlaps, empty boxes, over MPI."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mpirun
from sortlast import _core

Box = list[tuple[float, float]]


def order_of(boxes, eye=None, direction=None):
    """Order of boxes [(low, high)] * 3 (None: no data), all at once."""
    nothing = [1.0, 0.0] * 3
    bounds = [nothing if box is None else [x for pair in box for x in pair] for box in boxes]
    return _core.visibility_order(bounds, eye if direction is None else direction, direction is not None)


def split(box: Box, draw, leaves: int) -> list[Box]:
    """The leaves of a kd-tree with cuts at drawn places."""
    if leaves == 1:
        return [box]
    axis = draw(st.integers(0, 2))
    low, high = box[axis]
    cut = low + (high - low) * draw(st.sampled_from([0.25, 0.4, 0.5, 0.75]))
    first = draw(st.integers(1, leaves - 1))
    below, above = list(box), list(box)
    below[axis], above[axis] = (low, cut), (cut, high)
    return split(below, draw, first) + split(above, draw, leaves - first)


@st.composite
def kd_trees(draw):
    boxes = split([(0.0, 8.0), (0.0, 4.0), (0.0, 4.0)], draw, draw(st.integers(1, 12)))
    return draw(st.permutations(boxes))


coordinates = st.floats(-6.0, 14.0, allow_nan=False).map(lambda x: round(x, 2))
points = st.tuples(coordinates, coordinates, coordinates)


@np.errstate(over="ignore")  # an eye may lie a hair's breadth from a face
def crossing(box: Box, origin, direction):
    """Parameters at which a ray enters and leaves the inside of a box; None if it misses."""
    enter, leave = 0.0, np.inf
    for (low, high), o, d in zip(box, origin, direction, strict=True):
        if d == 0:
            if not low < o < high:
                return None
            continue
        near, far = sorted((np.divide(low - o, d), np.divide(high - o, d)))
        enter, leave = max(enter, near), min(leave, far)
    return (enter, leave) if leave - enter > 1e-9 else None


def expect_rays_agree(boxes, order, rays):
    """Along every ray the boxes come in the order that was found."""
    place = {rank: i for i, rank in enumerate(order)}
    for origin, direction in rays:
        hits = [(crossing(box, origin, direction), rank) for rank, box in enumerate(boxes)]
        along = sorted((hit, rank) for hit, rank in hits if hit is not None)
        for (_, front), (_, back) in itertools.pairwise(along):
            assert place[front] < place[back], (boxes[front], boxes[back])


def targets(boxes, random):
    """A random point inside each box, and one in the whole domain."""
    return [[random.uniform(low, high) for low, high in box] for box in boxes for _ in range(4)]


@given(kd_trees(), points, st.randoms(use_true_random=False))
def test_kd_trees_agree_with_rays_from_the_eye(boxes, eye, random):
    order = order_of(boxes, eye=eye)
    assert sorted(order) == list(range(len(boxes)))
    rays = [(eye, np.subtract(target, eye)) for target in targets(boxes, random)]
    expect_rays_agree(boxes, order, rays)


@given(kd_trees(), points.filter(any), st.randoms(use_true_random=False))
def test_kd_trees_agree_with_parallel_rays(boxes, direction, random):
    order = order_of(boxes, direction=direction)
    assert sorted(order) == list(range(len(boxes)))
    rays = [(np.subtract(target, np.multiply(50, direction)), direction) for target in targets(boxes, random)]
    expect_rays_agree(boxes, order, rays)


@pytest.mark.mpi
@pytest.mark.family
def test_over_mpi_with_a_rank_without_data():
    reports = mpirun.reports(
        4,
        """
        import sortlast
        bounds = None if rank == 1 else (rank, rank + 1, 0, 1, 0, 1)
        report([sortlast.visibility_order(comm, bounds, eye=(9, 0.5, 0.5)),
                sortlast.visibility_order(comm, bounds, direction=(1, 0, 0))])
        """,
    )
    assert reports == [[[3, 2, 0, 1], [0, 2, 3, 1]]] * 4


@pytest.mark.mpi
@pytest.mark.family
def test_a_wrong_argument_on_one_rank_is_told_on_all():
    reports = mpirun.reports(
        3,
        """
        import sortlast
        texts = []
        for wrong in [dict(box=(0, 1)), dict(box="abcdef"), dict(eye=None), dict(eye=(0, 0)),
                      dict(eye=(0, 0, float("nan"))), dict(box=(float("inf"),) * 6),
                      dict(direction=(1, 0, 0)), dict(box=7)]:
            arguments = dict(box=(rank, rank + 1, 0, 1, 0, 1), eye=(9, 9, 9))
            if rank == 1:
                arguments |= wrong
            try:
                texts.append(str(sortlast.visibility_order(comm, **arguments)))
            except (sortlast.ArgumentError, sortlast.MismatchError) as error:
                texts.append(str(error))
        report(texts)
        """,
    )
    assert reports[0] == reports[1] == reports[2]
    assert all(
        text.startswith(("wrong argument on rank 1: ", "the box of rank 1 ")) for text in reports[0]
    ), reports[0]
