"""The images that are composited: random, the same on every machine, any part of any rank's at will."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast.bench.task import CHANNELS, Task

CHUNK = 1 << 16  # pixels that are made at once

# Alpha of all pixels: none is inactive, and the farthest of many images still shows.
_ALPHA = (0.05, 0.3)


@dataclass(frozen=True)
class Image:
    """Pixels: colour (..., 4), premultiplied, and depth (...) or None."""

    colour: NDArray[Any]
    depth: NDArray[np.float32] | None


def chunk(task: Task, rank: int, index: int) -> Image:
    """Pixels [index * CHUNK, (index + 1) * CHUNK), or as many as there are, of a rank's image."""
    count = min(CHUNK, task.n - index * CHUNK)
    random = np.random.default_rng((rank, index))
    colour = random.random((count, CHANNELS), np.float32)
    low, high = _ALPHA
    alpha = low + (high - low) * colour[:, 3:]
    colour[:, :3] *= alpha
    colour[:, 3:] = alpha
    if task.format == "uint8":
        colour = np.rint(255 * colour)
    depth = random.random(count, np.float32) if task.has_depth else None
    return Image(colour.astype(task.dtype, copy=False), depth)


def chunks(task: Task) -> range:
    """Indices of all chunks."""
    return range(-(-task.n // CHUNK))


def image(task: Task, rank: int) -> Image:
    """A rank's image: colour (H, W, 4), depth (H, W)."""
    colour = np.empty((task.n, CHANNELS), task.dtype)
    depth = np.empty(task.n, np.float32) if task.has_depth else None
    for index in chunks(task):
        part = chunk(task, rank, index)
        place = slice(index * CHUNK, index * CHUNK + len(part.colour))
        colour[place] = part.colour
        if depth is not None and part.depth is not None:
            depth[place] = part.depth
    size = (task.height, task.width)
    return Image(colour.reshape(*size, CHANNELS), None if depth is None else depth.reshape(size))
