"""Images with several layers: ranks draw interlocking regions of a volume; and their composite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CONTENTS = ("volume", "full")
FRAGMENT_BYTES = 20  # RGBA and depth, float32
PIXEL_BYTES = 16
_PATCH = 16  # side in pixels of an area in which rays meet the same pieces in the same order
_RADIUS = 0.45  # of the volume on the screen, relative to the frame's height


@dataclass(frozen=True)
class Scene:
    """The scene that every rank draws: up to ``layers`` fragments per pixel.

    ``content``: "volume" is a ball that covers part of the frame, in which a ray meets more of a rank's
    pieces in the middle than at the edge; "full" has ``layers`` fragments of every rank in every pixel.
    """

    width: int
    height: int
    layers: int
    content: str

    @property
    def n(self) -> int:
        """Pixels of the frame."""
        return self.width * self.height


@dataclass(frozen=True)
class Drawn:
    """Fragments of a rank in some pixels, pixel by pixel and front to back.

    ``counts`` (n,) int32; ``colour`` (N, 4) uint8, premultiplied; ``depth`` (N,) float32 in (0, 1).
    """

    counts: np.ndarray
    colour: np.ndarray
    depth: np.ndarray

    @property
    def floats(self) -> np.ndarray:
        """The colours as float32, (N, 4)."""
        return self.colour.astype(np.float32) / np.float32(255)


def draw(scene: Scene, ranks: int, rank: int, begin: int, end: int) -> Drawn:
    """A rank's drawing of the pixels [begin, end): deterministic, with distinct depths in each pixel."""
    pixel = np.arange(begin, end)
    y, x = np.divmod(pixel, scene.width)
    patch = x // _PATCH + 4096 * (y // _PATCH)
    order = _hash(patch)

    # Choose the number of fragments of each pixel: rounded at random, patch by patch.
    if scene.content == "full":
        counts = np.full(len(pixel), scene.layers, np.int32)
    else:
        shift = 0.05 * np.cos(2.4 * rank)
        away = np.hypot(x / scene.height - (0.5 * scene.width / scene.height + shift), y / scene.height - 0.5)
        chance = _hash(patch * 64 + rank) / 2.0**32
        thickness = np.maximum(0, 1 - (away / _RADIUS) ** 2)
        counts = np.minimum(scene.layers, np.floor(scene.layers * thickness + chance)).astype(np.int32)
        counts[away >= _RADIUS] = 0

    # Alternate the ranks in depth, in a separate order for each patch.
    of_pixel = np.repeat(np.arange(len(pixel)), counts)
    layer = np.arange(len(of_pixel)) - np.repeat(np.cumsum(counts) - counts, counts)
    turn = (rank + order[of_pixel]) % ranks
    depth = ((layer + (turn + 0.5) / ranks) / scene.layers).astype(np.float32)

    # Colour them: thin, so that fragments at the back are visible.
    chance = _hash((pixel[of_pixel] * 64 + rank) * 32 + layer)
    colour = np.empty((len(of_pixel), 4), np.uint8)
    colour[:, 3] = 8 + chance % 56
    for channel in range(3):
        colour[:, channel] = colour[:, 3] * ((chance >> (8 * channel + 6)) % 256) // 255
    return Drawn(counts, colour, depth)


def composite(scene: Scene, ranks: int, begin: int, end: int) -> np.ndarray:
    """The pixels [begin, end) of the correct result, (m, 4) float64: all fragments sorted, then blended."""
    answer = np.zeros((end - begin, 4))
    step = max(1, 2_000_000 // (ranks * scene.layers))
    for first in range(begin, end, step):
        last = min(end, first + step)
        drawn = [draw(scene, ranks, rank, first, last) for rank in range(ranks)]
        pixel = np.concatenate([np.repeat(np.arange(last - first), one.counts) for one in drawn])
        colour = np.concatenate([one.floats for one in drawn]).astype(np.float64)
        sorted_ = np.lexsort((np.concatenate([one.depth for one in drawn]), pixel))
        pixel, colour = pixel[sorted_], colour[sorted_]
        counts = np.bincount(pixel, minlength=last - first)
        place = np.arange(len(pixel)) - np.repeat(np.cumsum(counts) - counts, counts)
        part = answer[first - begin : last - begin]
        for k in range(int(counts.max(initial=0))):
            of_pixel, behind = pixel[place == k], colour[place == k]
            part[of_pixel] += (1 - part[of_pixel, 3:]) * behind
    return answer


def floor_bytes(counts: np.ndarray, ranks: int, rank: int) -> int:
    """Minimum bytes that a rank sends: its fragments in other ranks' pieces, and its piece to rank 0.

    All ranks own equally many pixels, row by row.
    """
    n = counts.size
    begin, end = n * rank // ranks, n * (rank + 1) // ranks
    flat = counts.ravel()
    away = int(flat.sum(dtype=np.int64)) - int(flat[begin:end].sum(dtype=np.int64))
    return FRAGMENT_BYTES * away + (PIXEL_BYTES * (end - begin) if rank else 0)


def _hash(numbers: np.ndarray) -> np.ndarray:
    """A pseudorandom 32-bit number for each number."""
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(32)).astype(np.int64)
