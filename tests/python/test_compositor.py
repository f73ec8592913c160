"""The compositor from Python: frames, arrays without copies, tiles, timing, events; over MPI."""

from __future__ import annotations

from functools import partial

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family]

# Every rank makes all images of a frame from a seed.
IMAGES = """
import numpy as np
import sortlast

def images(seed, height=9, width=13, channels=4, dtype="float32"):
    random = np.random.default_rng(seed)
    pictures = random.random((size, height, width, channels), np.float32)
    if channels == 4:
        pictures[..., :3] *= pictures[..., 3:]
    return list(np.round(pictures * 255).astype(np.uint8) if dtype == "uint8" else pictures.astype(dtype))
"""


run = partial(mpirun.reports, head=IMAGES)


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_frames_are_the_oracles(ranks):
    reports = run(
        ranks,
        """
        worst = 0.0
        order = [int(r) for r in np.random.default_rng(1).permutation(size)]
        for entry in sortlast.schedule.algorithms():
            comp = sortlast.Compositor(comm, algorithm=entry.name, ring=order[::-1])
            for dtype in ("float32", "float16", "uint8"):
                pictures = images(2, dtype=dtype)
                background = None if dtype == "uint8" else [0.25, 0.5, 0.75, 1]
                tile = comp.composite(pictures[rank], order=order, background=background)
                assert tile.shape == (9, 13, 4)
                assert tile.pixels.shape == (tile.end - tile.begin, 4)
                assert tile.pixels.dtype == dtype
                assert tile.depth is None
                root = np.int64(size - 1)
                frame = comp.gather(tile, root=root)
                oracle = sortlast.composite_serial(pictures, order=order, background=background).colour
                mine = oracle.reshape(-1, 4)[tile.begin:tile.end]
                scale = {"float32": 1e-6, "float16": 1e-3, "uint8": 2 / size}[dtype] * size
                assert np.abs(tile.pixels.astype(float) - mine.astype(float)).max(initial=0) <= scale
                if rank == root:
                    assert frame.shape == (9, 13, 4)
                    assert np.abs(frame.colour.astype(float) - oracle.astype(float)).max() <= scale
                else:
                    assert frame is None
            assert comp.algorithm.startswith(entry.name)
        report("fine")
        """,
    )
    assert reports == ["fine"] * ranks


def test_depth_and_ranks_without_an_image():
    run(
        4,
        """
        comp = sortlast.Compositor(comm)
        pictures = images(3, channels=3, dtype="uint8")
        depths = list(np.random.default_rng(4).integers(0, 3, (size, 9, 13)).astype(np.float32))
        for without in ([], [0], [1, 2, 3], [0, 1, 2, 3]):
            if rank in without:
                tile = comp.composite(None, op="closest", shape=(9, 13, 3), dtype=np.uint8)
            else:
                tile = comp.composite(pictures[rank], depths[rank], op="closest")
            frame = comp.gather(tile, depth=True)
            plain = comp.gather(tile, root=1)
            if rank == 0 and len(without) < 4:
                present = [None if r in without else image for r, image in enumerate(pictures)]
                oracle = sortlast.composite_serial(present, depths, op="closest")
                assert np.array_equal(frame.colour, oracle.colour)
                assert np.array_equal(frame.depth, oracle.depth)
            elif rank == 0:
                assert (frame.colour == 0).all() and np.isinf(frame.depth).all()
            assert (plain is None) == (rank != 1)
            assert plain is None or plain.shape == (9, 13, 3)
        """,
    )


def test_sub_communicators():
    reports = run(
        5,
        """
        part = comm.Split(rank % 2, -rank)
        comp = sortlast.Compositor(part)
        part.Free()
        image = np.zeros((4, 4, 4), np.float32)
        image[:, rank % 4] = 1
        frame = comp.gather(comp.composite(image, op="max"))
        report(None if frame is None else frame.colour[0, :, 0].tolist())
        """,
    )
    assert reports == [None, None, None, [0, 1, 0, 1], [1, 0, 1, 0]]


def test_inputs_are_not_copied():
    """A rank that sends all and gathers nothing holds no second copy of its 100 MB image."""
    reports = run(
        2,
        """
        import resource
        class Foreign:
            def __init__(self, array): self.array = array
            def __dlpack__(self, **options): return self.array.__dlpack__(**options)
            def __dlpack_device__(self): return (1, 0)
        comp = sortlast.Compositor(comm, algorithm="tree")
        image = np.zeros((2500, 2500, 4), np.float32)
        image[:] = rank + 1
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        comp.composite(image if rank == 0 else Foreign(image), op="max")
        report([comp.timing.peak_bytes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before])
        """,
        alone=True,
    )
    peak_bytes, growth = reports[1]
    assert peak_bytes == 0
    assert growth < 50_000  # kB


def test_pixels_share_the_tiles_memory_and_outlive_it():
    run(
        2,
        """
        import gc
        comp = sortlast.Compositor(comm)
        frames = [images(seed) for seed in range(4)]
        tiles = [comp.composite(pictures[rank]) for pictures in frames]
        arrays = [tile.pixels for tile in tiles]
        for tile, array in zip(tiles, arrays):
            assert tile.pixels.ctypes.data == array.ctypes.data
        ranges = [(tile.begin, tile.end) for tile in tiles]
        kept = comp.gather(tiles[2])
        del tiles, tile, comp
        gc.collect()
        more = sortlast.Compositor(comm)
        for seed in range(10, 14):
            more.composite(images(seed)[rank])
        for pictures, array, (begin, end) in zip(frames, arrays, ranges):
            oracle = sortlast.composite_serial(pictures).colour
            assert np.allclose(array, oracle.reshape(-1, 4)[begin:end], atol=1e-5)
        if rank == 0:
            assert np.allclose(kept.colour, sortlast.composite_serial(frames[2]).colour, atol=1e-5)
        """,
    )


def test_timing_and_events():
    run(
        4,
        """
        comp = sortlast.Compositor(comm, algorithm="binary-swap", node_ranks=1)
        pictures = images(6, 64, 64)
        with comp.trace() as events:
            tile = comp.composite(pictures[rank])
            timing = comp.timing
            comp.gather(tile)
            assert events == []
            try:
                with comp.trace():
                    raise AssertionError
            except sortlast.UsageError as error:
                assert "expected one trace() at a time" in str(error)
        assert isinstance(timing, sortlast.Timing)
        assert timing.stages == 2 and timing.messages_sent == timing.messages_received == 2
        assert timing.bytes_sent == timing.bytes_received == 64 * 64 * 16 * 3 // 4
        assert timing.gather == 0 and timing.blend > 0
        assert 0 < timing.agree + timing.wait + timing.blend <= timing.total
        assert comp.timing.gather > 0 and comp.timing.total > timing.total
        assert {event.activity for event in events} >= {"agree", "send", "receive", "blend", "gather"}
        assert all(event.begin <= event.end for event in events)
        for name in ("send", "receive"):
            some = [event for event in events if event.activity == name]
            assert sorted(event.stage for event in some) == [1, 2]
            assert {event.peer for event in some} == {rank ^ 1, rank ^ 2}
            assert sum(event.bytes for event in some) == timing.bytes_sent
        comp.composite(pictures[rank])
        with comp.trace() as others:
            pass
        assert others == [] and events
        try:
            with comp.trace() as others:
                comp.composite(pictures[rank])
                raise KeyError
        except KeyError:
            assert "blend" in {event.activity for event in others}
        """,
    )


def test_images_in_shared_memory_with_bounds_on_real_and_pretended_nodes():
    """However pixels travel, the frame is the same."""
    run(
        4,
        """
        pictures = [np.zeros((40, 60, 4), np.float32) for _ in range(size)]
        boxes = []
        for other, picture in enumerate(pictures):
            x0, y0 = 7 * other, 5 * other
            boxes.append((x0, y0, x0 + 20, y0 + 9))
            picture[y0:y0 + 9, x0:x0 + 20] = images(8 + other, 9, 20)[other]
        order = [2, 0, 3, 1]
        expected = sortlast.composite_serial(pictures, order=order).colour
        for nodes in (None, 0, 1, 2, 3):
            for options in ({}, {"check": False}):
                comp = sortlast.Compositor(comm, algorithm="direct-send", node_ranks=nodes, **options)
                shared = comp.allocate((40, 60, 4), "float32")
                assert shared.shape == (40, 60, 4) and shared.dtype == np.float32 and not shared.any()
                shared[:] = pictures[rank]
                bounds = boxes[rank] if rank % 3 else None
                tile = comp.composite(shared if rank % 2 else pictures[rank], order=order, bounds=bounds)
                shared[:] = 7
                frame = comp.gather(tile, root=1)
                if rank == 1:
                    assert np.abs(frame.colour - expected).max() < 1e-5
                del comp, tile
                assert (shared == 7).all()
        """,
    )


def test_half_the_bytes_of_float32():
    run(
        3,
        """
        pictures = images(9, 64, 48)
        exact = sortlast.Compositor(comm, algorithm="shift", node_ranks=1)
        half = sortlast.Compositor(comm, algorithm="shift", node_ranks=1, wire="float16")
        expected, tile = exact.composite(pictures[rank]), half.composite(pictures[rank])
        assert half.timing.bytes_sent == exact.timing.bytes_sent // 2 > 0
        assert 0 < np.abs(tile.pixels - expected.pixels).max() <= 2.0**-10
        """,
    )


def test_auto_tells_what_it_chose():
    run(
        3,
        """
        comp = sortlast.Compositor(comm)
        comp.composite(images(7)[rank])
        assert comp.algorithm != "auto"
        assert sortlast.schedule.make(comp.algorithm, size, 9 * 13).name == comp.algorithm
        """,
    )
