"""Places of many boxes a rank: grids, overlaps, cycles, trees, ranks without boxes, errors."""

from __future__ import annotations

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family]


reports = mpirun.reports


def test_a_row_dealt_out_in_turn():
    ranks = 3
    found = reports(
        ranks,
        """
        import sortlast
        boxes = [(i, i + 1, 0, 1, 0, 1) for i in range(rank, 30, comm.size)]
        near = sortlast.visibility_positions(comm, boxes, eye=(-1, 0.5, 0.5))
        far = sortlast.visibility_positions(comm, boxes, direction=(-1, 0, 0))
        assert near.boxes.tolist() == [list(map(float, box)) for box in boxes]
        assert near.sources.tolist() == list(range(len(boxes)))
        report([near.positions.tolist(), far.positions.tolist()])
        """,
    )
    for rank, (near, far) in enumerate(found):
        assert near == list(range(rank, 30, ranks))
        assert far == [29 - i for i in near]


def test_ranks_and_boxes_without_data():
    found = reports(
        4,
        """
        import sortlast
        boxes = [[], [(1, 0, 1, 0, 1, 0), (5, 6, 0, 1, 0, 1)], [(0, 1, 0, 1, 0, 1)], []][rank]
        nothing = sortlast.visibility_positions(comm, [], eye=(9, 0.5, 0.5))
        split = sortlast.visibility_positions(comm, boxes, eye=(9, 0.5, 0.5), split=True)
        report([sortlast.visibility_positions(comm, boxes, eye=(9, 0.5, 0.5)).positions.tolist(),
                nothing.positions.shape, nothing.boxes.shape, split.positions.tolist(), split.boxes.shape])
        """,
    )
    assert [report[0] for report in found] == [[], [2, 0], [1], []]
    assert [report[1:3] for report in found] == [[[0], [0, 6]]] * 4
    assert [report[3] for report in found] == [[], [2, 0], [1], []]
    assert [report[4] for report in found] == [[0, 6], [2, 6], [1, 6], [0, 6]]


def test_an_octree_and_a_kd_tree_of_the_caller():
    found = reports(
        2,
        """
        import itertools
        import sortlast
        cells = [(x, x + 1, y, y + 1, z, z + 1) for z, y, x in itertools.product((0, 1), repeat=3)]
        mine = cells[4 * rank : 4 * rank + 4]
        octree = sortlast.SplitTree([7], [(1, 1, 1)], [[-1, -2, -3, -4, -5, -6, -7, -8]])
        along = sortlast.visibility_positions(comm, mine, direction=(1, 2, 3), tree=octree)
        nothing = -2**31
        halves = sortlast.SplitTree([1], [(1, 0, 0)], [[-1, -2] + [nothing] * 6])
        two = sortlast.visibility_positions(comm, [cells[rank]], eye=(5, 0.5, 0.5), tree=halves)
        texts = []
        for wrong in [dict(tree=halves), dict(tree=octree, split=True), dict(tree=7),
                      dict(tree=sortlast.SplitTree([7], [(1, 1, 1)] * 2, [[-1] * 8])),
                      dict(tree=sortlast.SplitTree([7], [(1, 1, 1)], [[2**40] * 8]))]:
            try:
                sortlast.visibility_positions(comm, mine, eye=(9, 9, 9), **wrong)
            except sortlast.ArgumentError as error:
                texts.append(str(error))
        report([along.positions.tolist(), two.positions.tolist(), texts])
        """,
    )
    assert [report[0] for report in found] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [report[1] for report in found] == [[1], [0]]
    assert found[0][2] == found[1][2]
    parts = ["in no leaf", "both split and tree", "no SplitTree", "as many of each", "out of the range"]
    for text, part in zip(found[0][2], parts, strict=True):
        assert part in text


def test_what_is_wrong_on_one_rank_is_told_on_all():
    found = reports(
        3,
        """
        import sortlast
        texts = []
        tree = sortlast.SplitTree([1], [(1, 0, 0)], [[-1, -2] + [-2**31] * 6])
        for wrong in [dict(boxes=(0, 1)), dict(boxes="abcdef"), dict(boxes=[[0, 1]]), dict(eye=None),
                      dict(eye=(0, 0, float("nan"))), dict(boxes=[(0, float("inf"), 0, 1, 0, 1)]),
                      dict(direction=(1, 0, 0)), dict(boxes=[object()]), dict(boxes=[[1, 2], [3]]),
                      dict(split=True), dict(eye=(1, 1, 1)), dict(tree=tree), dict(timeout=-1)]:
            arguments = dict(boxes=[(rank, rank + 1, 0, 1, 0, 1)], eye=(9, 9, 9))
            if rank == 1:
                arguments |= wrong
            try:
                texts.append(str(sortlast.visibility_positions(comm, **arguments)))
            except sortlast.Error as error:
                texts.append(f"{type(error).__name__}: {error}")
        report(texts)
        """,
    )
    assert found[0] == found[1] == found[2]
    assert all("rror: " in text and "rank 1" in text for text in found[0]), found[0]
    assert sum(text.startswith("MismatchError: ranks disagree: ") for text in found[0]) == 3, found[0]
