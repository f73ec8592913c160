"""Partitions from Python: images that are dealt out in blocks, and the ranges of their tiles; over MPI."""

from __future__ import annotations

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
"""


def run(ranks, snippet):
    """Reports of a snippet that ended well on all ranks."""
    job = mpirun.run(ranks, IMAGES + "if True:\n" + snippet)
    assert job.returncode == 0, job
    return job.reports


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_interleaved_tiles_are_where_their_ranges_say(ranks):
    reports = run(
        ranks,
        """
        pictures = images(7)
        depths = list(np.random.default_rng(8).random((size, 60, 41), np.float32))
        oracle, near = sortlast.composite_serial(pictures, depths)
        dealt = []
        for entry in sortlast.schedule.algorithms():
            for nodes in (None, 1):
                comp = sortlast.Compositor(
                    comm, algorithm=entry.name, node_ranks=nodes, partition="interleaved"
                )
                tile = comp.composite(pictures[rank], depths[rank])
                begin = 0
                for first, last in tile.ranges:
                    end = begin + last - first
                    mine = oracle.reshape(-1, 4)[first:last]
                    assert np.abs(tile.pixels[begin:end] - mine).max() <= 1e-6 * size
                    assert np.array_equal(tile.depth[begin:end], near.ravel()[first:last])
                    begin = end
                assert tile.pixels.shape == (begin, 4)
                frame = comp.gather(tile, root=size - 1, with_depth=True)
                if frame is not None:
                    assert np.abs(frame[0] - oracle).max() <= 1e-6 * size
                    assert np.array_equal(frame[1], near)
                dealt.append(max(comm.allgather(len(tile.ranges))))
                assert ("dealt out in blocks" in comp.explain()) == (size > 1)
        report(dealt)
        """,
    )
    for dealt in reports:
        assert min(dealt) > 1 if ranks > 1 else set(dealt) == {1}


def test_begin_and_end_are_refused_where_there_are_many_ranges():
    run(
        2,
        """
        pictures = images(9)
        tile = sortlast.Compositor(comm, "shift", partition="interleaved").composite(pictures[rank])
        for name in ("begin", "end"):
            try:
                getattr(tile, name)
            except sortlast.ArgumentError as error:
                assert f"{len(tile.ranges)} ranges of the image, not one" in str(error)
            else:
                raise AssertionError(name)
        whole = sortlast.Compositor(comm, "shift").composite(pictures[rank])
        assert whole.ranges == [(whole.begin, whole.end)]
        little = sortlast.Compositor(comm, "shift", partition="interleaved").composite(pictures[rank][:1])
        assert little.ranges == [(little.begin, little.end)]
        none = sortlast.Compositor(comm, "shift").composite(pictures[rank][:0])
        assert none.ranges == [] and none.begin == none.end
        """,
    )


def test_auto_stays_contiguous_on_one_machine():
    run(
        3,
        """
        pictures = images(10)
        for nodes in (None, 1):
            comp = sortlast.Compositor(comm, node_ranks=nodes, partition="auto")
            tile = comp.composite(pictures[rank])
            assert len(tile.ranges) <= 1
            frame = comp.gather(tile)
            assert frame is None or np.allclose(frame, sortlast.composite_serial(pictures), atol=1e-5)
        """,
    )


def test_partitions_that_are_none_are_refused():
    run(
        2,
        """
        for partition in ("diagonal", 3, None):
            try:
                sortlast.Compositor(comm, partition=partition if rank == 1 else "contiguous")
            except sortlast.MismatchError as error:
                assert f"partition is {partition!r}; expected 'contiguous', 'interleaved'" in str(error)
            else:
                raise AssertionError(partition)
        """,
    )
