"""Lists of fragments from Python, over MPI, against a NumPy oracle that sorts all fragments of each pixel."""

from __future__ import annotations

import pytest

from fragment_scenes import run

pytestmark = [pytest.mark.mpi, pytest.mark.family]


@pytest.mark.parametrize("ranks", [1, 3])
def test_frames_and_lists_are_the_oracles(ranks):
    run(
        ranks,
        """
        for node_ranks in (0, 1):
            for algorithm in ("auto", "binary-swap"):
                comp = sortlast.Compositor(comm, algorithm=algorithm, node_ranks=node_ranks)
                check(comp, scene(1, size, ties=True), root=size - 1)
                check(comp, scene(2, size, opaque=0.3), [0.1, 0.2, 0.3, 1])
                check(comp, scene(3, size, apart=True), keep_lists=False)
                check(comp, scene(4, size, opaque=0.2, ties=True), keep_lists=False)
                comp.close()
        """,
    )


def test_colours_of_uint8_are_blended_as_parts_of_255_and_rounded_once():
    reports = run(
        3,
        """
        def as_bytes(ranks):
            return [Fragments(each.shape, each.counts, np.rint(255 * each.colour).astype(np.uint8),
                              each.depth)
                    for each in ranks]

        def as_floats(ranks):
            return [Fragments(each.shape, each.counts, each.colour * np.float32(1 / 255), each.depth)
                    for each in ranks]

        comp = sortlast.Compositor(comm)
        given = as_bytes(scene(41, size, ties=True, opaque=0.1))
        for keep_lists in (True, False):
            tile = comp.composite_fragments(given[rank], background=[0.1, 0.2, 0.3, 1], keep_lists=keep_lists)
            frame = comp.gather(tile)
            exact = 255 * flattened(as_floats(given), [0.1, 0.2, 0.3, 1])
            assert tile.pixels.dtype == np.uint8
            assert frame is None or (frame.colour == np.rint(exact)).all()
        lists = comp.gather(comp.composite_fragments(given[rank]), fragments=True)
        if lists is not None:
            check_lists(lists, given)
        out = np.zeros((11, 17, 4), np.uint8)
        tile = comp.composite_fragments(given[rank], out=out)
        assert (out.reshape(-1, 4)[tile.begin : tile.end] == tile.pixels).all()
        # A surface, and a rank without anything.
        surface = np.full((11, 17, 3), 51, np.uint8)
        with_surface = dict(image=surface, depth=np.full((11, 17), 0.5, np.float32)) if rank == 0 else {}
        frame = comp.gather(comp.composite_fragments(
            Fragments.empty((11, 17), np.uint8), mode="depth-blend", **with_surface))
        assert frame is None or (frame.colour == [51, 51, 51, 255]).all()
        try:
            comp.composite_fragments(scene(41, size)[rank] if rank == 1 else given[rank])
        except sortlast.MismatchError as error:
            report(str(error))
        """,
    )
    assert len(reports) == 3
    assert all("format: RGBA uint8" in text and "RGBA float32 on rank 1" in text for text in reports)


def test_fragments_are_read_where_they_lie():
    reports = run(
        3,
        """
        comp = sortlast.Compositor(comm)
        parts = scene(13, size, most=9, shape=(45, 60))
        own = parts[rank]
        told = []
        for keep_lists in (True, False):
            check(comp, parts, keep_lists=keep_lists)
            told.append(comp.explain().split("This rank read")[1])
        parts[rank] = Fragments(
            own.shape, own.counts, comp.allocate(own.colour.shape, "float32"),
            comp.allocate((*own.depth.shape, 1), "float32").reshape(-1))
        parts[rank].colour[:] = own.colour
        parts[rank].depth[:] = own.depth
        for keep_lists in (True, False):
            check(comp, parts, keep_lists=keep_lists)
            told.append(comp.explain().split("This rank read")[1])
        comp.composite_fragments(own)
        assert comp.timing.bytes_sent == 0
        check(comp, parts)
        report(told)
        """,
    )
    assert len(reports) == 3
    for told in reports:
        assert len(told) == 4
        assert all("what 2 ranks of its node gave it where it lies, and 0 " in text for text in told[2:])


def test_surfaces_hide_what_lies_behind():
    run(
        4,
        """
        random = np.random.default_rng(9)
        parts = scene(10, size)
        images = random.random((size, 11, 17, 4), np.float32)
        depths = random.random((size, 11, 17), np.float32)
        depths[random.random(depths.shape) < 0.4] = np.inf
        together = []
        for part, image, z in zip(parts, images, depths):
            there = np.isfinite(z)
            counts = part.counts + there
            ends = np.cumsum(part.counts).reshape(there.shape)[there]
            solid = image[there].copy()
            solid[:, 3] = 1
            together.append(Fragments(
                part.shape, counts.astype(np.int32),
                np.insert(part.colour, ends, solid, axis=0), np.insert(part.depth, ends, z[there])))
        expected = flattened(together, [0, 0, 0.5, 1])
        comp = sortlast.Compositor(comm)
        options = {"mode": "depth-blend", "background": [0, 0, 0.5, 1]}
        for keep in (None, True):
            tile = comp.composite_fragments(
                parts[rank], image=images[rank], depth=depths[rank], keep_lists=keep, **options)
            frame = comp.gather(tile)
            assert frame is None or frame.colour.tobytes() == expected.tobytes()
        lists = comp.gather(tile, fragments=True)
        if lists is not None:
            check_lists(lists, together)

        # RGB, ranks without a surface, without fragments and without both.
        alone = [Fragments.empty((11, 17))] * size
        solid = np.dstack([images[1][..., :3], np.ones((11, 17), np.float32)])
        alone[0], alone[1] = parts[0], Fragments.from_layers([solid], [depths[1]])
        expected = flattened(alone)
        given = [
            {"image": None, "fragments": parts[0]},
            {"image": np.ascontiguousarray(images[1][..., :3]), "depth": depths[1]},
            {"image": None, "fragments": Fragments.empty((11, 17))},
            {"image": None, "shape": (11, 17)},
        ][rank]
        tile = comp.composite_fragments(mode="depth-blend", **given)
        frame = comp.gather(tile)
        assert frame is None or frame.colour.tobytes() == expected.tobytes()
        """,
    )


def test_layers_become_fragments():
    run(
        1,
        """
        near = np.zeros((2, 3, 4), np.float32)
        near[0] = 0.5
        far = np.full((2, 3, 4), 0.25, np.float32)
        z = np.full((2, 3), 4, np.float32)
        z[1, 2] = np.inf
        made = Fragments.from_layers([far, near], [z, 1])
        assert made.counts.tolist() == [[2, 2, 2], [1, 1, 0]]
        assert made.depth.tolist() == [4, 1, 4, 1, 4, 1, 4, 4]
        comp = sortlast.Compositor(comm)
        frame = comp.gather(comp.composite_fragments(made))
        assert frame.colour[0, 0].tolist() == [0.625] * 4
        assert frame.colour[1].tolist() == [[0.25] * 4, [0.25] * 4, [0] * 4]
        wrong = ([], []), ([near], [1, 2]), ([near, near[0]], [1, 2]), ([near], [np.zeros(5)])
        for images, depths in wrong:
            try:
                Fragments.from_layers(images, depths)
            except sortlast.ArgumentError:
                continue
            raise AssertionError(images)
        """,
    )


WRONG = {
    "f.shape, -f.counts, f.colour, f.depth": "expected 0 or more",
    "f.shape, f.counts, f.colour[1:], f.depth[1:]": "expected one a fragment",
    "f.shape, f.counts, f.colour[1:], f.depth": "colour of the fragments",
    "f.shape, f.counts.astype(np.int64), f.colour, f.depth": "counts is int64",
    "f.shape, f.counts.T, f.colour, f.depth": "counts is int32 (17, 11)",
    "f.shape, f.counts, f.colour[:, ::-1], f.depth": "not C-contiguous",
    "(-1, 17), f.counts, f.colour, f.depth": "shape of the fragments",
    "f.shape, f.counts, f.colour, None": "depth of the fragments",
}


def test_wrong_fragments_of_one_rank_are_every_ranks_error():
    reports = run(
        3,
        f"""
        comp = sortlast.Compositor(comm, timeout=30)
        parts = scene(11, size)
        f = parts[rank]
        told = []
        for make in [{", ".join(f"lambda: Fragments({change})" for change in WRONG)}]:
            try:
                comp.composite_fragments(make() if rank == 1 else f)
            except (sortlast.ArgumentError, sortlast.MismatchError) as error:
                told.append(str(error))
        check(comp, parts)
        report(told)
        """,
    )
    assert len(reports) == 3
    for told in reports:
        for text, expected in zip(told, WRONG.values(), strict=True):
            assert expected in text


def test_wrong_calls_are_every_ranks_error():
    reports = run(
        2,
        """
        comp = sortlast.Compositor(comm, timeout=30)
        parts = scene(12, size)
        image = np.zeros((11, 17, 4), np.float32)
        calls = [
            lambda: comp.composite(parts[rank]),
            lambda: comp.composite_fragments(parts[rank], shape=(11, 17)),
            lambda: comp.composite_fragments(parts[rank], background=[1, 1, 1]),
            lambda: comp.composite_fragments(parts[rank], background=[1, 1, 1, rank]),
            lambda: comp.composite_fragments(parts[rank], keep_lists=rank == 0),
            lambda: comp.composite_fragments(parts[rank], max_bytes=100),
            lambda: comp.composite_fragments(parts[rank], max_bytes=0),
            lambda: comp.composite_fragments(parts[rank], mode="depth"),
            lambda: comp.composite_fragments(parts[rank], image=image),
            lambda: comp.composite_fragments(parts[rank], image=image, mode="depth-blend"),
            lambda: comp.composite_fragments(image),
            lambda: comp.composite_fragments(parts[rank] if rank else scene(12, 1, shape=(5, 5))[0]),
            lambda: comp.gather(comp.composite(image), fragments=True),
            lambda: comp.gather(comp.composite_fragments(parts[rank], keep_lists=False), fragments=True),
            lambda: comp.gather(comp.composite_fragments(parts[rank]), depth=True, fragments=True),
            lambda: comp.gather(comp.composite_fragments(parts[rank]), channels=True, fragments=True),
        ]
        told = []
        for number, call in enumerate(calls):
            try:
                call()
            except (sortlast.ArgumentError, sortlast.MismatchError) as error:
                told.append([number, str(error)])
        check(comp, parts, max_bytes=10**6)
        report(told)
        """,
    )
    for told in reports:
        assert [number for number, _ in told] == list(range(16))
    texts = dict(reports[0])
    assert "image is a sortlast.Fragments; expected an array (H, W, C), or composite_fragments()" in texts[0]
    assert 'shape was passed without a mode; expected mode="depth-blend" with it' in texts[1]
    assert "max_bytes is 0; expected a number of bytes above 0, or None" in texts[6]
    assert "_bytes is 100" in texts[5]
    assert "rank" in texts[5]
    assert 'image was passed without a mode; expected mode="depth-blend" with it' in texts[8]
    assert "fragments is a ndarray; expected sortlast.Fragments" in texts[10]
    assert "keep_lists" in texts[13]
    assert "depth was passed with fragments=True; leave it out" in texts[14]
