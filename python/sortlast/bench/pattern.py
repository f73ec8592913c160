"""The images to composite: random, the same on every machine, with access to any part of any rank's image.

Inactive pixels are empty: all bits of the colour 0, depth +infinity. Active pixels of different ranks never
have the same depth (up to 2^24 ranks), so the right answer is unique.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast.bench.task import CHANNELS, Task

CHUNK = 1 << 16  # pixels that are generated at once

Box = tuple[int, int, int, int]  # (x0, y0, x1, y1): pixels of columns [x0, x1) and rows [y0, y1)

# Alpha of active pixels: all are visible, and the farthest of many images still contributes.
_ALPHA = (0.05, 0.3)
_DEPTHS = 1 << 24  # in [0, 1), all exact in float32


@dataclass(frozen=True)
class Image:
    """Pixels: colour (..., 4), premultiplied, and depth (...) or None; and the box that the peers receive."""

    colour: NDArray[Any]
    depth: NDArray[np.float32] | None
    bounds: Box | None = None


def box(task: Task, ranks: int, rank: int) -> Box:
    """The box of a rank's active pixels; the whole image unless the content is block."""
    if task.content != "block":
        return 0, 0, task.width, task.height
    width = min(task.width, max(1, round(task.width / math.sqrt(ranks))))
    height = min(task.height, max(1, round(task.n / (ranks * width))))
    x0 = math.floor(_radical_inverse(2, rank + 1) * (task.width - width + 1))
    y0 = math.floor(_radical_inverse(3, rank + 1) * (task.height - height + 1))
    return x0, y0, x0 + width, y0 + height


def chunk(task: Task, ranks: int, rank: int, index: int) -> Image:
    """Pixels [index * CHUNK, (index + 1) * CHUNK) of a rank's image, fewer at its end."""
    count = min(CHUNK, task.n - index * CHUNK)
    random = np.random.default_rng((rank, index))
    colour = random.random((count, CHANNELS), np.float32)
    low, high = _ALPHA
    alpha = low + (high - low) * colour[:, 3:]
    colour[:, :3] *= alpha
    colour[:, 3:] = alpha
    if task.format == "uint8":
        colour = np.rint(255 * colour)
    depth = None
    if task.has_depth:
        steps = random.integers(_DEPTHS // ranks, size=count)
        depth = ((ranks * steps + rank) / _DEPTHS).astype(np.float32)

    # Clear inactive pixels.
    if task.content == "block":
        y, x = np.divmod(np.arange(index * CHUNK, index * CHUNK + count), task.width)
        x0, y0, x1, y1 = box(task, ranks, rank)
        empty = (x < x0) | (x >= x1) | (y < y0) | (y >= y1)
    elif task.content == "random":
        empty = random.random(count, np.float32) >= 1 / ranks
    else:
        empty = np.zeros(count, bool)
    colour[empty] = 0
    if depth is not None:
        depth[empty] = np.inf
    return Image(colour.astype(task.dtype, copy=False), depth)


def chunks(task: Task) -> range:
    """Indices of all chunks."""
    return range(-(-task.n // CHUNK))


def image(task: Task, ranks: int, rank: int) -> Image:
    """A rank's image: colour (H, W, 4), depth (H, W)."""
    colour = np.empty((task.n, CHANNELS), task.dtype)
    depth = np.empty(task.n, np.float32) if task.has_depth else None
    for index in chunks(task):
        part = chunk(task, ranks, rank, index)
        place = slice(index * CHUNK, index * CHUNK + len(part.colour))
        colour[place] = part.colour
        if depth is not None and part.depth is not None:
            depth[place] = part.depth
    size = (task.height, task.width)
    return Image(
        colour.reshape(*size, CHANNELS),
        None if depth is None else depth.reshape(size),
        box(task, ranks, rank) if task.bounds else None,
    )


def _radical_inverse(base: int, number: int) -> float:
    """Van der Corput's sequence: the reversed digits of ``number``. Any prefix of it is evenly spread."""
    value, digit = 0.0, 1.0
    while number:
        digit /= base
        number, rest = divmod(number, base)
        value += rest * digit
    return value
