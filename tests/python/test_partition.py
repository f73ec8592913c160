"""Images that are dealt out in blocks, as they will be gathered, and the ranges of their tiles; over MPI."""

from __future__ import annotations

from functools import partial

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family]

# Every rank makes all images from a seed: what each has drawn lies in the middle.
IMAGES = """
import numpy as np
import sortlast

def images(seed, height=60, width=41):
    random = np.random.default_rng(seed)
    pictures = random.random((size, height, width, 4), np.float32)
    pictures[..., :3] *= pictures[..., 3:]
    pictures[:, : height // 3] = pictures[:, height * 2 // 3 :] = 0
    return list(pictures)

def dealt_out(picture):
    return sortlast.Compositor(comm, "shift", node_ranks=1).composite(picture, root=0)
"""


run = partial(mpirun.reports, head=IMAGES)


def test_interleaved_tiles_are_where_their_ranges_say():
    reports = run(
        4,
        """
        pictures = images(7)
        depths = np.random.default_rng(8).random((size, 60, 41), np.float32)
        depths[:, :20] = depths[:, 40:] = np.inf
        depths = list(depths)
        serial = sortlast.composite_serial(pictures, depths)
        oracle, near = serial.colour, serial.depth
        dealt = []
        for algorithm in ("auto", "radix-k"):
            for nodes in (2, 1):
                comp = sortlast.Compositor(comm, algorithm=algorithm, node_ranks=nodes)
                tile = comp.composite(pictures[rank], depths[rank], root=size - 1)
                begin = 0
                for first, last in tile.ranges:
                    end = begin + last - first
                    mine = oracle.reshape(-1, 4)[first:last]
                    assert np.abs(tile.pixels[begin:end] - mine).max() <= 1e-6 * size
                    assert np.array_equal(tile.depth[begin:end], near.ravel()[first:last])
                    begin = end
                assert tile.pixels.shape == (begin, 4)
                frame = comp.gather(tile, root=size - 1, depth=True)
                if frame is not None:
                    assert np.abs(frame.colour - oracle).max() <= 1e-6 * size
                    assert np.array_equal(frame.depth, near)
                dealt.append(max(comm.allgather(len(tile.ranges))))
                assert "dealt out in blocks" in comp.explain()
        report(dealt)
        """,
    )
    assert all(min(dealt) > 1 for dealt in reports)


def test_begin_and_end_are_refused_where_there_are_many_ranges():
    run(
        2,
        """
        pictures = images(9)
        tile = dealt_out(pictures[rank])
        for name in ("begin", "end"):
            try:
                getattr(tile, name)
            except sortlast.ArgumentError as error:
                assert f"{len(tile.ranges)} ranges of the image, not one" in str(error)
            else:
                raise AssertionError(name)
        whole = sortlast.Compositor(comm, "shift").composite(pictures[rank])
        assert whole.ranges == [(whole.begin, whole.end)]
        little = dealt_out(pictures[rank][:1])
        assert little.ranges == [(little.begin, little.end)]
        none = sortlast.Compositor(comm, "shift").composite(pictures[rank][:0])
        assert none.ranges == [] and none.begin == none.end
        """,
    )
