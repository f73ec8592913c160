"""What is large: images of more than 2^31 pixels, and loops of a hundred thousand frames."""

from __future__ import annotations

import pytest

import mpirun

pytestmark = [pytest.mark.mpi, pytest.mark.family, pytest.mark.slow]

FRAMES = 100_000


@pytest.mark.parametrize("node_ranks", [0, 1], ids=["shared memory", "messages"])
def test_more_pixels_than_a_32_bit_number_counts(node_ranks):
    """6.4 GB a rank, of which only the rows that are drawn take memory; the tiles take 6.4 GB."""
    reports = mpirun.reports(
        2,
        f"""
        import numpy as np, sortlast
        height, width = 2**15 + 1, 2**16
        assert height * width > 2**31
        image = np.zeros((height, width, 3), np.uint8)
        drawn = [0, height // 2, height - 2, height - 1]
        for row in drawn:
            image[row, rank::2] = row % 7 + rank + 1
        comp = sortlast.Compositor(comm, "shift", node_ranks={node_ranks}, timeout=200)
        tile = comp.composite(image, op="max")
        right = 0
        for row in drawn:
            begin, end = max(row * width, tile.begin), min((row + 1) * width, tile.end)
            columns = np.arange(begin, end) % width
            found = tile.pixels[max(begin - tile.begin, 0) : max(end - tile.begin, 0)]
            right += int((found == (row % 7 + columns % 2 + 1)[:, None]).all(axis=1).sum())
        report([tile.begin, tile.end, right, int(np.count_nonzero(tile.pixels))])
        """,
        timeout=400,
        alone=True,
    )
    (begin, middle, first, drawn_first), (following, end, second, drawn_second) = reports
    assert (begin, following, end) == (0, middle, (2**15 + 1) * 2**16)
    assert first + second == 4 * 2**16
    assert drawn_first + drawn_second == 3 * 4 * 2**16


@pytest.mark.parametrize("node_ranks", [0, 1], ids=["shared memory", "messages"])
def test_a_hundred_thousand_frames(node_ranks):
    """Neither memory nor descriptors grow, nor communicators: 5,000 compositors are made meanwhile."""
    reports = mpirun.reports(
        2,
        f"""
        import os
        import numpy as np, sortlast

        def resident():
            pages = int(open("/proc/self/statm").read().split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE")

        image = np.full((16, 16, 4), (rank + 1) / 64, np.float32)
        comp = sortlast.Compositor(comm, "shift", node_ranks={node_ranks})
        found, wrong = [], 0
        for number in range({FRAMES}):
            if number % 10_000 == 5_000:
                found.append([resident(), len(os.listdir("/proc/self/fd"))])
            if number % 20 == 0:
                comp.close()
                comp = sortlast.Compositor(comm, "shift", node_ranks={node_ranks})
            tile = comp.composite(image, op="add")
            wrong += not (tile.pixels == 3 / 64).all()
        report([wrong, found])
        """,
        timeout=900,
        alone=True,
    )
    for wrong, found in reports:
        assert wrong == 0
        memory, descriptors = zip(*found, strict=True)
        assert max(descriptors) <= descriptors[0] + 2
        # After the first frames of each half, so that what is kept for reuse does not count.
        assert memory[-1] - memory[1] < 4 << 20, [each >> 10 for each in memory]
