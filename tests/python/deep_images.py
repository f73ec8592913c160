"""Small random deep images for the tests of files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sortlast import Fragments

WIDTH, HEIGHT = 13, 7


def fragments(seed, most=4, depths=None):
    """0 to ``most`` fragments a pixel, of ``depths`` different depths if some are to share theirs."""
    random = np.random.default_rng(seed)
    counts = random.integers(0, most + 1, (HEIGHT, WIDTH)).astype(np.int32)
    n = int(counts.sum())
    colour = random.random((n, 4), np.float32)
    colour[:, :3] *= colour[:, 3:]
    depth = random.random(n, np.float32) if depths is None else random.integers(0, depths, n)
    return Fragments((HEIGHT, WIDTH), counts, colour, depth.astype(np.float32))


def further(seed, most=4, depths=5):
    """The same, as intervals of 0 to 2 with ids."""
    made = fragments(seed, most, depths)
    random = np.random.default_rng(seed + 1000)
    n = len(made.depth)
    return replace(
        made,
        depth_back=made.depth + random.integers(0, 5, n).astype(np.float32) / 2,
        channels={"id": random.integers(0, 2**32, n, np.uint32)},
    )
