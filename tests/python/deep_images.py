"""Small random deep images for the tests of files."""

from __future__ import annotations

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
    return Fragments((WIDTH, HEIGHT), counts, colour, depth.astype(np.float32))
