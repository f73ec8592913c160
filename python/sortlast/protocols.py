"""What a compositor hands out, and what it asks of others: the types, which others may have too."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

# Where finished pixels are to be put: an array, or one and another for the depth.
Out = NDArray[Any] | tuple[NDArray[Any], NDArray[np.float32]] | None


class Tile(Protocol):
    """Finished pixels that this rank holds: [begin, end) of the image in row-major order.

    Of an image that was dealt out in blocks a tile holds many ranges, one behind the other in the order of
    ``ranges``; ``begin`` and ``end`` raise ArgumentError then. The arrays share the tile's memory, which
    stays valid and unchanged as long as one of them exists.
    """

    @property
    def begin(self) -> int:
        """First pixel."""

    @property
    def end(self) -> int:
        """One past the last pixel; equal to ``begin`` if this rank holds none."""

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """(begin, end) of each range of the image that the pixels are of; none if there are no pixels."""

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

        Where late ranks are left out, it need not be the one after the rank's last.
        """

    @property
    def left_out(self) -> list[int]:
        """Ranks whose images are not in the frame, as they came too late; the same on every rank of it."""

    @property
    def channels(self) -> dict[str, NDArray[Any]]:
        """Arrays (n,) or (n, width) by the names of the channels that the images had."""


class FabricChoice(Protocol):
    """What a compositor asks of the fabric that it is told; ``sortlast.simulate.JobFabric`` is one."""

    def choice(self, ranks: int) -> tuple[str, list[int] | None]:
        """The algorithm and the ring (None: rank order) for so many ranks, the same on every rank."""
