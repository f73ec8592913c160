"""Further channels of pixels from Python: ids and normals; over MPI, against NumPy."""

from __future__ import annotations

from functools import partial

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family]

# Every rank makes all images of a frame, with ids and normals; colours are 0 where nothing is drawn.
SCENE = """
import numpy as np
import sortlast

H, W = 19, 31
NOBODY = 2**32 - 1

class Scene:
    def __init__(self, seed, count):
        random = np.random.default_rng(seed)
        shape = (count, H, W)
        drawn = random.random(shape) < 0.6
        self.colours = random.random((*shape, 4), np.float32) * drawn[..., None]
        self.colours[..., :3] *= self.colours[..., 3:]
        self.depths = np.where(drawn, random.integers(0, 4, shape), np.inf).astype(np.float32)
        self.ids = random.integers(0, 2**32, shape, dtype=np.uint32)
        self.normals = random.standard_normal((*shape, 3)).astype(np.float32)
        self.weighed = self.normals * self.colours[..., 3:]
        self.drawn = drawn

    def closest(self, order, values, background):
        # Of equal depths the front one: argmin takes the first.
        winner = self.depths[order].argmin(0)
        shown = np.take_along_axis(values[order], winner.reshape(1, H, W, *[1] * (values.ndim - 3)), 0)[0]
        covered = self.drawn.any(0).reshape(H, W, *[1] * (values.ndim - 3))
        return np.where(covered, shown, np.asarray(background, values.dtype))

    def over(self, order, values, shares, background=0):
        # Front to back, in double; `shares` are let through.
        out = np.zeros(values.shape[1:])
        left = np.ones(values.shape[1:])
        for r in order:
            out += left * values[r]
            left = left * shares[r]
        return out + left * background

    def first(self, order, values, passes, background):
        out = np.full(values.shape[1:], background, values.dtype)
        free = np.ones((H, W), bool)
        for r in order:
            out[free & passes[r]] = values[r][free & passes[r]]
            free &= ~passes[r]
        return out

    def passes(self, order, threshold):
        # The image at which the composited alpha passes the threshold, in float32 as documented.
        passed = np.zeros(self.ids.shape, bool)
        alpha = np.zeros((H, W), np.float32)
        for r in order:
            alpha = alpha + (1 - alpha) * self.colours[r, ..., 3]
            passed[r] = alpha > threshold
        return passed

def near(values, right):
    assert values.shape == right.shape
    assert np.abs(values - right).max(initial=0) <= 1e-6 * max(size, 2)
"""


run = partial(mpirun.reports, head=SCENE)


def test_closest_takes_the_winners():
    run(
        3,
        """
        scene = Scene(1, size)
        order = [int(r) for r in np.random.default_rng(2).permutation(size)]
        for algorithm, node_ranks in (("auto", None), ("radix-k", 1)):
            comp = sortlast.Compositor(comm, algorithm, node_ranks=node_ranks)
            tile = comp.composite(
                scene.colours[rank], scene.depths[rank], "closest", order,
                channels={"id": scene.ids[rank], "normal": scene.normals[rank]},
                channel_background={"id": NOBODY, "normal": (0, 0, 1)},
            )
            assert tile.channels["id"].shape == (len(tile.pixels),)
            assert tile.channels["normal"].shape == (len(tile.pixels), 3)
            gathered = comp.gather(tile, root=size - 1, depth=True, channels=True)
            plain = comp.gather(tile, root=size - 1)
            if rank == size - 1:
                depth, channels = gathered.depth, gathered.channels
                assert np.array_equal(gathered.colour, plain.colour)
                assert plain.depth is None and plain.channels == {}
                assert list(channels) == ["id", "normal"]
                assert np.array_equal(channels["id"], scene.closest(order, scene.ids, NOBODY))
                assert np.array_equal(channels["normal"], scene.closest(order, scene.normals, (0, 0, 1)))
                assert np.array_equal(depth, scene.closest(order, scene.depths, np.inf))
            else:
                assert gathered is None
            comp.close()
        """,
    )


def test_over_blends_and_selects():
    run(
        4,
        """
        scene = Scene(3, size)
        order = [int(r) for r in np.random.default_rng(4).permutation(size)]
        alphas = scene.colours[..., 3:]
        bits = None
        for algorithm, node_ranks in (("auto", None), ("radix-k", 1)):
            comp = sortlast.Compositor(comm, algorithm, node_ranks=node_ranks)
            tile = comp.composite(
                scene.colours[rank], order=order,
                channels={
                    "id": scene.ids[rank], "solid": scene.ids[rank], "median": scene.ids[rank],
                    "normal": scene.weighed[rank], "lit": scene.weighed[rank],
                },
                rules={"solid": ("front", 0.5), "median": ("accumulated", 0.75), "lit": "blend"},
                channel_background={"id": NOBODY, "lit": (1, 2, 3)},
            )
            gathered = comp.gather(tile, channels=True)
            if rank == 0:
                frame, found = gathered.colour, gathered.channels
                near(frame, sortlast.composite_serial(list(scene.colours), order=order).colour)
                first = scene.first
                assert np.array_equal(found["id"], first(order, scene.ids, alphas[..., 0] > 0, NOBODY))
                assert np.array_equal(found["solid"], first(order, scene.ids, alphas[..., 0] > 0.5, 0))
                passes = scene.passes(order, 0.75)
                assert np.array_equal(found["median"], first(order, scene.ids, passes, 0))
                shares = 1 - alphas.astype(float)
                near(found["normal"], scene.over(order, scene.weighed, shares))
                near(found["lit"], scene.over(order, scene.weighed, shares, np.array([1.0, 2, 3])))
                new = [found[name].tobytes() for name in sorted(found)] + [frame.tobytes()]
                assert bits in (None, new), algorithm
                bits = new
            comp.close()
        """,
    )


def test_ranks_without_an_image_bounds_and_straight_colours():
    run(
        4,
        """
        scene = Scene(6, size)
        comp = sortlast.Compositor(comm, "binary-swap")
        # Rank 1 has none, and rank 2 only a box; rank 3 brings straight colours of uint8.
        scene.drawn[1] = False
        outside = np.ones((H, W), bool)
        outside[3:9, 5:20] = False
        scene.drawn[2][outside] = False
        pictures = np.round(scene.colours * scene.drawn[..., None] * 255).astype(np.uint8)
        pictures[..., :3] = np.minimum(pictures[..., :3], pictures[..., 3:])
        order = [3, 1, 0, 2]
        kinds = {"id": np.uint32, "normal": (np.float32, 3)}
        more = {"bounds": (5, 3, 20, 9)} if rank == 2 else {}
        if rank == 1:
            tile = comp.composite(None, order=order, shape=(H, W, 4), dtype="uint8", channels=kinds)
        else:
            picture = pictures[rank].copy()
            if rank == 3:
                picture[..., :3] = 0  # black, whatever the alpha
                more = {"premultiplied": False}
            tile = comp.composite(
                picture, order=order, channels={"normal": scene.weighed[rank], "id": scene.ids[rank]}, **more
            )
        gathered = comp.gather(tile, root=1, channels=True)
        if rank == 1:
            alphas = pictures[..., 3:].astype(float) / 255 * scene.drawn[..., None]
            drawn = scene.drawn[..., None]
            near(gathered.channels["normal"], scene.over(order, scene.weighed * drawn, 1 - alphas))
            right = scene.first(order, scene.ids, alphas[..., 0] > 0, 0)
            assert np.array_equal(gathered.channels["id"], right)

        # Nobody has an image.
        tile = comp.composite(
            None, shape=(H, W, 4), dtype="uint8", channels=kinds, channel_background={"id": 7}
        )
        gathered = comp.gather(tile, channels=True)
        if rank == 0:
            assert (gathered.channels["id"] == 7).all() and (gathered.channels["normal"] == 0).all()
            assert gathered.channels["normal"].shape == (H, W, 3)
        """,
    )


def test_every_rank_hears_of_what_is_wrong():
    run(
        3,
        """
        scene = Scene(8, size)
        comp = sortlast.Compositor(comm, timeout=20)

        def fails(error, parts, *, op="over", image=scene.colours[rank], **options):
            try:
                comp.composite(image, scene.depths[rank] if image is not None else True, op, **options)
            except error as found:
                for part in parts:
                    assert part in str(found), found
            else:
                raise AssertionError(parts)

        ids, normals = scene.ids[rank], scene.normals[rank]
        mismatch, argument = sortlast.MismatchError, sortlast.ArgumentError
        odd = rank == 1
        # Ranks differ.
        fails(mismatch, ["channel id", "1 x float32", "rank 1"],
              op="closest", channels={"id": normals[..., 0].copy() if odd else ids})
        fails(mismatch, ["channel id", "background 3"],
              channels={"id": ids}, channel_background={"id": 3 if odd else 4})
        # One rank is wrong.
        fails(mismatch, ["wrong argument on rank 1: channel 'id' is int64"],
              channels={"id": ids.astype(np.int64) if odd else ids})
        # All are.
        fails(argument, ["channel 'id' has shape (2, 2)"], channels={"id": np.zeros((2, 2), np.uint32)})
        fails(argument, ["channel 'id' is not C-contiguous"], channels={"id": np.asfortranarray(ids)})
        fails(argument, ["channels is a list"], channels=[ids])
        fails(argument, ["channels has the key 3"], channels={3: ids})
        fails(argument, ["the rule of channel 'id' is 'nearest'"],
              channels={"id": ids}, rules={"id": "nearest"})
        fails(argument, ["the threshold of channel 'id' is 'x'"],
              channels={"id": ids}, rules={"id": ("front", "x")})
        fails(argument, ["rules has 'x'"], channels={"id": ids}, rules={"x": "front"})
        fails(argument, ["channel_background has 'x'"], channels={"id": ids}, channel_background={"x": 1})
        fails(argument, ["the background of channel 'v' is (1, 2)"], channels={"v": normals},
              channel_background={"v": (1, 2)})
        fails(argument, ["background that uint32 does not hold"], channels={"id": ids},
              channel_background={"id": -1})
        fails(argument, ["but image is None"], image=None, shape=(H, W, 4), dtype="float32",
              channels={"id": ids})
        # A tile without channels has none to gather.
        tile = comp.composite(scene.colours[rank])
        try:
            comp.gather(tile, channels=True)
        except argument as found:
            assert "channels were asked for" in str(found)
        else:
            raise AssertionError
        # It is as good as new.
        tile = comp.composite(scene.colours[rank], channels={"id": ids})
        assert (comp.gather(tile, channels=True) is None) == (rank > 0)
        """,
    )
