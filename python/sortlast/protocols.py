"""Interfaces of a compositor's results and of its fabric, which other classes may implement too."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

# Output for finished pixels: an array, or a pair of one and an array for the depth.
Out = NDArray[Any] | tuple[NDArray[Any], NDArray[np.float32]] | None


class Tile(Protocol):
    """Finished pixels of this rank: [begin, end) of the image in row-major order.

    If the image was dealt out in blocks, a tile holds many ranges, concatenated in the order of ``ranges``;
    ``begin`` and ``end`` then raise ArgumentError. The arrays share the tile's memory, which stays valid and
    unchanged as long as one of them exists.
    """

    @property
    def begin(self) -> int:
        """First pixel."""

    @property
    def end(self) -> int:
        """One past the last pixel; equal to ``begin`` if this rank holds none."""

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """(begin, end) of each range of the image that the tile holds; empty if it has no pixels."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """(H, W, C) of the whole image."""

    @property
    def pixels(self) -> NDArray[Any]:
        """Array (n, C) of the n pixels."""

    @property
    def depth(self) -> NDArray[np.float32] | None:
        """Array (n,), or None if the images had no depth."""

    @property
    def frame(self) -> int:
        """Number of the tile's frame, from 1, the same on every rank.

        If late ranks are left out, it need not be the successor of the rank's last frame.
        """

    @property
    def left_out(self) -> list[int]:
        """Ranks that were too late for the frame; the same on every rank of it."""

    @property
    def channels(self) -> dict[str, NDArray[Any]]:
        """Arrays (n,) or (n, width) by the names of the channels that the images had."""


class FabricChoice(Protocol):
    """Chooses the algorithm for a compositor; ``sortlast.simulate.JobFabric`` is one."""

    def choice(self, ranks: int) -> tuple[str, list[int] | None]:
        """The algorithm and the ring (None: rank order) for a number of ranks, the same on every rank."""
