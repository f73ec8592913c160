"""Frames that leave late ranks out, from Python: who is in them, what they show, and what is refused."""

from __future__ import annotations

from functools import partial

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family]

# Rank r's image has alpha 1/2 everywhere; without some ranks, shown(left_out) is what a frame holds.
SCENE = """
import math, time
import numpy as np
import sortlast

image = np.full((6, 8, 4), 0.5, np.float32)

def shown(left_out):
    return 1 - 0.5 ** (size - len(left_out))

def check(tile, frame, left_out):
    assert (tile.frame, tile.left_out) == (frame, left_out), (tile.frame, tile.left_out)
    assert np.allclose(tile.pixels, shown(left_out))

def error_of(kind, action):
    try:
        action()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")
"""


run = partial(mpirun.reports, head=SCENE)


@pytest.mark.parametrize("node_ranks", [None, 1])
def test_a_late_rank_is_left_out_and_its_image_is_in_the_next_frame(node_ranks):
    run(
        3,
        f"""
with sortlast.Compositor(comm, deadline=0.1, node_ranks={node_ranks}) as comp:
    if rank != 2:
        for frame in 1, 2:
            tile = comp.composite(image)
            check(tile, frame, [2])
            whole = comp.gather(tile)
            assert (whole is None) == (rank != 0)
            if rank == 0:
                assert np.allclose(whole.colour, shown([2]))
            assert "root 2 was left out of frame" in error_of(
                sortlast.ArgumentError, lambda: comp.gather(tile, root=2)
            )
    comm.barrier()
    check(comp.composite(image, deadline=math.inf), 3, [])
""",
    )


def test_frames_are_numbered_where_all_wait_too():
    reports = run(
        2,
        """
comp = sortlast.Compositor(comm)
tiles = [comp.composite(image) for _ in range(3)]
report([[tile.frame, tile.left_out] for tile in tiles])
""",
    )
    assert reports == [[[1, []], [2, []], [3, []]]] * 2


def test_arguments_of_leaving_out_that_are_wrong_or_differ():
    reports = run(
        2,
        """
def made(**options):
    return error_of(sortlast.Error, lambda: sortlast.Compositor(comm, **options))

texts = [
    made(deadline="never"),
    made(deadline=-1),
    made(deadline=5, timeout=2),
    made(deadline=0.1 if rank else None),
    made(deadline=0.1 + rank),
]
comp = sortlast.Compositor(comm, deadline=10)
texts.append(error_of(sortlast.ArgumentError, lambda: comp.composite(image, deadline=-2)))
texts.append(error_of(sortlast.ArgumentError, lambda: comp.composite_layers([], [], (6, 8))))
texts.append(error_of(sortlast.MismatchError, lambda: comp.composite(image, op="max" if rank else "over")))
texts.append(error_of(sortlast.MismatchError, lambda: comp.composite(image if rank else "none")))
check(comp.composite(image), 4, [])
report(texts)
""",
    )
    assert reports[0] == reports[1]
    parts = [
        "deadline is 'never'",
        "deadline is -1 s",
        "deadline is 5 s; expected 0 to timeout, 2 s",
        "deadline: none on rank 0; 0.1 on rank 1",
        "deadline: 0.1 on rank 0; 1.1 on rank 1",
        "deadline is -2 s",
        "one image a rank",
        "op: over on rank 0; max on rank 1",
        "wrong argument on rank 0",
    ]
    for text, part in zip(reports[0], parts, strict=True):
        assert part in text
