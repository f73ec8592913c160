"""Lists of fragments: their class, and validation of the arguments of calls, without copies."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sortlast import _arrays, _channels
from sortlast._errors import ArgumentError


@dataclass(frozen=True, eq=False)
class Fragments:
    """An image with any number of fragments per pixel ("deep image").

    Nothing is copied. Values are checked only in ``Compositor.composite_fragments``, which reports one
    rank's errors on every rank.

    Args:
        shape: (height, width) of the whole image in pixels.
        counts: array (height, width) of int32: the number of fragments of each pixel.
        colour: array (N, 4) of float32: premultiplied red, green, blue and alpha of each fragment, pixel by
            pixel in row order. Or uint8, on every rank, in units of 1/255; the frame is then uint8 too.
        depth: array (N,) of float32, smaller is nearer; in any order within a pixel. A NaN lies behind every
            other depth.
        depth_back: array (N,) of float32 on every rank, or on none: fragments are intervals of a homogeneous
            medium from ``depth`` to ``depth_back``, which is equal (a thin sheet) or a larger finite depth.
            Overlapping intervals are cut at each other's ends, and pieces between the same depths are mixed,
            as in "Interpreting OpenEXR Deep Pixels" (Kainz, 2013).
        channels: further values of fragments, by name: arrays (N,) or (N, width) of uint32 or float32, with
            the same names, widths and dtypes on every rank. They are kept with the merged lists, and dropped
            if the lists are not kept; for a surface they are 0.
    """

    shape: tuple[int, int]
    counts: NDArray[np.int32]
    colour: NDArray[np.float32] | NDArray[np.uint8]
    depth: NDArray[np.float32]
    depth_back: NDArray[np.float32] | None = None
    channels: Mapping[str, NDArray[Any]] | None = None

    @classmethod
    def empty(
        cls,
        shape: tuple[int, int],
        dtype: DTypeLike = np.float32,
        *,
        intervals: bool = False,
        channels: Mapping[str, Any] | None = None,
    ) -> Fragments:
        """An image without fragments, for a rank that has none.

        Args:
            shape: (height, width) of the whole image in pixels.
            dtype: of the other ranks' colours.
            intervals: whether the other ranks' fragments are intervals.
            channels: of the other ranks, each a dtype, or (dtype, width).
        """
        return cls(
            shape,
            np.zeros(shape, np.int32),
            np.zeros((0, 4), dtype),
            np.zeros(0, np.float32),
            np.zeros(0, np.float32) if intervals else None,
            {name: np.zeros(0, kind) for name, kind in channels.items()} if channels else None,
        )

    @classmethod
    def from_layers(cls, images: Sequence[NDArray[Any]], depths: Sequence[Any]) -> Fragments:
        """Fragments from images at different depths.

        Args:
            images: arrays (height, width, 4) of float32, or all of uint8, premultiplied; pixels with all four
                channels 0 give no fragment.
            depths: for each image a number, or an array (height, width); infinite and NaN depths give no
                fragment.

        Raises:
            ArgumentError: no images, different numbers of images and depths, or different shapes.
        """
        if not images or len(images) != len(depths):
            raise ArgumentError(
                f"there are {len(images)} images and {len(depths)} depths; expected one or more, a depth each"
            )
        shape = np.shape(images[0])
        if len(shape) != 3 or shape[2] != 4 or any(np.shape(image) != shape for image in images):
            raise ArgumentError("expected images (height, width, 4) of one shape")
        try:
            planes = [np.broadcast_to(np.asarray(depth, np.float32), shape[:2]) for depth in depths]
        except ValueError:
            raise ArgumentError(
                "expected a number or an array (height, width) as the depth of an image"
            ) from None
        dtype = np.uint8 if all(np.asarray(image).dtype == np.uint8 for image in images) else np.float32
        colour = np.stack([np.asarray(image, dtype) for image in images], axis=2)
        depth = np.stack(planes, axis=2)
        there = colour.any(axis=3) & np.isfinite(depth)
        counts = there.sum(axis=2, dtype=np.int32)
        return cls((shape[0], shape[1]), counts, colour[there], depth[there])

    def __repr__(self) -> str:
        height, width = self.shape
        return f"Fragments({width}x{height}, {len(self.depth)} fragments)"


class Passed(NamedTuple):
    """The arguments of a call for the extension module; None for arguments that were not passed."""

    width: int
    height: int
    counts: NDArray[Any] | None = None
    colour: NDArray[Any] | None = None
    depth: NDArray[Any] | None = None
    depth_back: NDArray[Any] | None = None
    channels: Sequence[_channels.Channel] = ()
    surface: NDArray[Any] | None = None
    surface_depth: NDArray[Any] | None = None
    scalar: str = "float32"


def arguments(fragments: Fragments) -> Passed:
    """Convert fragments without a surface. Raises ArgumentError."""
    height, width = _arrays.frame_shape(fragments.shape, "shape of the fragments")
    counts = _plane(fragments.counts, "counts", np.int32, (height, width))
    depth = _plane(fragments.depth, "depth of the fragments", np.float32, (None,))
    given = _arrays.as_array(fragments.colour, "colour of the fragments")
    dtype = np.uint8 if given.dtype == np.uint8 else np.float32
    colour = _plane(given, "colour of the fragments", dtype, (len(depth), 4))
    back = fragments.depth_back
    if back is not None:
        back = _plane(back, "depth_back of the fragments", np.float32, (len(depth),))
    channels = _channels.of_fragments(fragments.channels, len(depth))
    return Passed(width, height, counts, colour, depth, back, channels, scalar=str(colour.dtype))


def passed(fragments: object, image: object, depth: object, mode: str | None, shape: object) -> Passed:
    """Convert the arguments of a call. Raises ArgumentError."""
    if mode is None:
        for name, value in (("image", image), ("depth", depth), ("shape", shape)):
            if value is not None:
                raise ArgumentError(f'{name} was passed without a mode; expected mode="depth-blend" with it')
        return arguments(_checked(fragments))
    if fragments is not None:
        found = arguments(_checked(fragments))
        if image is None:
            return found
        colour, plane = surface(image, depth, (found.height, found.width), np.dtype(found.scalar))
        return found._replace(surface=colour, surface_depth=plane)
    if image is None:
        if shape is None:
            raise ArgumentError(
                "fragments and image are None; expected shape=(height, width) of the frame with them"
            )
        height, width = _arrays.frame_shape(shape)
        return Passed(width, height)
    dtype = _arrays.as_array(image, "image").dtype
    colour, plane = surface(image, depth, dtype=dtype if dtype == np.uint8 else np.dtype(np.float32))
    height, width = plane.shape
    return Passed(width, height, surface=colour, surface_depth=plane, scalar=str(colour.dtype))


def _checked(value: object) -> Fragments:
    if not isinstance(value, Fragments):
        raise ArgumentError(f"fragments is {_arrays.shown(value)}; expected sortlast.Fragments")
    return value


def _plane(value: object, what: str, dtype: type, shape: tuple[int | None, ...]) -> NDArray[Any]:
    array = _arrays.as_array(value, what)
    fits = array.ndim == len(shape) and all(
        extent in (None, found) for extent, found in zip(shape, array.shape, strict=False)
    )
    if array.dtype != dtype or not fits:
        wanted = ", ".join("N" if extent is None else str(extent) for extent in shape)
        raise ArgumentError(f"{what} is {array.dtype} {array.shape}; expected {np.dtype(dtype)} ({wanted})")
    if not array.flags.c_contiguous:
        raise ArgumentError(
            f"{what} is not C-contiguous; expected one that is, as numpy.ascontiguousarray makes it"
        )
    return array


def surface(
    image: object,
    depth: object,
    shape: tuple[int, int] | None = None,
    dtype: np.dtype[Any] = np.dtype(np.float32),  # noqa: B008  (a constant)
) -> tuple[NDArray[Any], NDArray[Any]]:
    """A z-buffer image as RGBA of the dtype, and its depth. Raises ArgumentError."""
    picture = _arrays.picture(image, depth)
    if picture.scalar != str(dtype) or picture.colour is None or picture.depth is None:
        raise ArgumentError(f"depth-blend takes an image of {dtype} and its depth=; one of them is missing")
    if shape not in (None, (picture.height, picture.width)):
        raise ArgumentError(
            f"image has shape {picture.colour.shape} and the fragments {shape}; expected the same height and"
            " width"
        )
    colour = picture.colour
    if picture.channels == 3:
        opaque = np.full((*colour.shape[:2], 1), 255 if dtype == np.uint8 else 1, dtype)
        colour = np.concatenate([colour, opaque], axis=2)
    return colour, picture.depth


def max_bytes(value: object) -> int:
    """A limit in bytes; None, no limit, becomes 0."""
    if value is None:
        return 0
    try:
        found = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        found = -1
    if not 0 < found < 2**63:
        raise ArgumentError(f"max_bytes is {value!r}; expected a number of bytes above 0, or None")
    return found


def output(out: object, passed: Passed) -> NDArray[Any] | None:
    """The output array for finished pixels."""
    picture = _arrays.Picture(None, None, passed.height, passed.width, 4, passed.scalar, has_depth=False)
    return _arrays.output(out, picture, has_depth=False)[0]  # type: ignore[no-any-return]
