"""The whole image that the root of a gather gets, and that the serial functions return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sortlast._errors import ArgumentError

if TYPE_CHECKING:
    from sortlast._fragments import Fragments


@dataclass(frozen=True, eq=False, repr=False)
class Frame:
    """A whole composited image.

    ``numpy.asarray(frame)`` is ``frame.colour``, without a copy.

    Attributes:
        colour: array (H, W, C), premultiplied, of the dtype of the images; a
            :class:`sortlast.DeviceArray` if the root's image was in the memory of a GPU; None if ``gather``
            was called with ``fragments=True``.
        depth: array (H, W) of float32, smaller is nearer and +inf where nothing was drawn; None unless it was
            asked for.
        channels: arrays (H, W) or (H, W, n) of uint32 or float32 by name; empty unless they were asked for.
        fragments: the merged :class:`sortlast.Fragments` of all ranks; None unless they were asked for.
    """

    colour: Any  # not "NDArray | None": only the callers that ask for fragments get None
    depth: NDArray[np.float32] | None = None
    channels: dict[str, NDArray[Any]] = field(default_factory=dict)
    fragments: Fragments | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """(H, W, C) of the colours. Raises ArgumentError if there are none."""
        height, width, channels = self._colours().shape
        return height, width, channels

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the colours. Raises ArgumentError if there are none."""
        return self._colours().dtype

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Of the colours, if they are in the memory of a GPU; AttributeError otherwise."""
        return self._colours().__cuda_array_interface__  # type: ignore[attr-defined, no-any-return]

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._colours().__dlpack_device__()

    def __dlpack__(self, **how: Any) -> object:
        """A DLPack capsule of the colours."""
        return self._colours().__dlpack__(**how)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        colour = self._colours()
        if not isinstance(colour, np.ndarray):
            raise TypeError("the frame is in the memory of a GPU; use frame.colour.copy_to_host()")
        if dtype is not None and colour.dtype != dtype:
            if copy is False:
                raise ValueError(f"the colours are {colour.dtype}; another dtype than that needs a copy")
            return colour.astype(dtype)
        return colour.copy() if copy else colour

    def _colours(self) -> NDArray[Any]:
        if self.colour is None:
            raise ArgumentError("colour is None; expected a frame that was gathered without fragments=True")
        colour: NDArray[Any] = self.colour
        return colour

    def __repr__(self) -> str:
        if self.fragments is not None:
            return f"Frame({self.fragments!r})"
        height, width, channels = self.shape
        parts = [f"{width}x{height}", f"{channels} x {self.dtype}"]
        parts += ["depth"] if self.depth is not None else []
        return f"Frame({', '.join([*parts, *self.channels])})"
