"""Fragments that are intervals of depth and hold channels, from Python over MPI."""

from __future__ import annotations

from pathlib import Path

import pytest

from fragment_scenes import run

pytestmark = [pytest.mark.mpi, pytest.mark.family]


@pytest.mark.parametrize("ranks", [1, 3])
def test_intervals_are_mixed_and_channels_kept(ranks):
    """Colours against OpenEXR's document in float64, lists against NumPy; one frame of all algorithms."""
    reports = run(
        ranks,
        """
        import hashlib, sys
        from dataclasses import replace
        sys.path.insert(0, TESTS)
        import openexr_pixels

        def further(seed):
            made = []
            for part in scene(seed, size, ties=True):
                random = np.random.default_rng([seed, len(made)])
                n = len(part.depth)
                thick = np.where(np.isfinite(part.depth), random.integers(0, 4, n) / 2, 0)
                channels = {
                    "normal": random.random((n, 3), np.float32),
                    "id": (10000 * len(made) + np.arange(n)).astype(np.uint32)}
                made.append(replace(
                    part, depth_back=(part.depth + thick).astype(np.float32), channels=channels))
            return made

        parts = further(51)
        def bounded(depth):
            return np.nan_to_num(depth, nan=9, posinf=8, neginf=-8)

        finite = [replace(part, depth=bounded(part.depth), depth_back=bounded(part.depth_back))
                  for part in parts]
        expected = openexr_pixels.flattened(finite, [0.1, 0.2, 0.3, 1])
        seen = set()
        for node_ranks in (0, 1):
            for algorithm in ("auto", "binary-swap"):
                comp = sortlast.Compositor(comm, algorithm=algorithm, node_ranks=node_ranks)
                for keep_lists in (True, False):
                    tile = comp.composite_fragments(
                        finite[rank], background=[0.1, 0.2, 0.3, 1], keep_lists=keep_lists)
                    frame = comp.gather(tile)
                    if frame is not None:
                        assert np.abs(frame.colour - expected).max() < 2e-6
                        seen.add(hashlib.sha256(frame.colour.tobytes()).hexdigest())
                gathered = comp.gather(comp.composite_fragments(parts[rank]), fragments=True)
                if gathered is not None:
                    lists = gathered.fragments
                    check_lists(gathered, parts)
                    ids = lists.channels["id"]
                    assert sorted(lists.channels) == ["id", "normal"]
                    assert sorted(ids) == sorted(np.concatenate([each.channels["id"] for each in parts]))
                    for values, own in (
                        (lists.depth, [each.depth for each in parts]),
                        (lists.depth_back, [each.depth_back for each in parts]),
                        (lists.channels["normal"], [each.channels["normal"] for each in parts]),
                    ):
                        listed = [own[each // 10000][each % 10000] for each in ids.tolist()]
                        assert values.tobytes() == np.array(listed, np.float32).tobytes()
                comp.close()
        if rank == 0:
            assert len(seen) == 1

        # What differs between ranks, and what is wrong, is every rank's error; then all goes on.
        comp = sortlast.Compositor(comm, timeout=30)
        own = parts[rank]
        wrong = [
            replace(own, channels={"id": own.channels["id"][1:]}),
            replace(own, channels={"id": own.channels["id"].astype(np.int64)}),
            replace(own, depth_back=own.depth - 1),
            replace(own, depth_back=own.depth[1:]),
        ]
        if size > 1:
            wrong += [
                replace(own, depth_back=None if rank == 1 else own.depth_back),
                replace(own, channels=own.channels if rank == 1 else {}),
            ]
        told = []
        for each in wrong:
            try:
                comp.composite_fragments(each)
            except (sortlast.ArgumentError, sortlast.MismatchError) as error:
                told.append(str(error))
        # A rank without any, and a surface among them.
        absent = Fragments.empty(
            (11, 17), intervals=True, channels={"id": np.uint32, "normal": (np.float32, 3)})
        given = [absent if number == 0 else part for number, part in enumerate(parts)]
        surface = {}
        if rank == 0:
            surface = dict(image=np.ones((11, 17, 4), np.float32), depth=np.full((11, 17), 1.5, np.float32))
        tile = comp.composite_fragments(given[rank], mode="depth-blend", keep_lists=True, **surface)
        gathered = comp.gather(tile, fragments=True)
        if gathered is not None:
            lists = gathered.fragments
            ours = lists.depth == 1.5
            assert ours.sum() == 11 * 17
            assert (lists.depth_back[ours] == 1.5).all()
            assert not lists.channels["id"][ours].any()
        report(told)
        """.replace("TESTS", repr(str(Path(__file__).parent))),
    )
    for told in reports:
        assert len(told) == (6 if ranks > 1 else 4)
        assert "channel 'id' has shape" in told[0]
        assert "channel 'id' is int64" in told[1]
        assert "reaches from depth" in told[2]
        assert "depth_back of the fragments" in told[3]
        assert ranks == 1 or "depth_back: yes" in told[4]
        assert ranks == 1 or "id (1 x uint32), normal (3 x float32) on rank 1" in told[5]
