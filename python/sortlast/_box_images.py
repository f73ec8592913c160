"""Validation of several images of one process, each of a box of the frame."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast import _arrays, _core, _device
from sortlast._arrays import Picture
from sortlast._errors import ArgumentError


@dataclass(frozen=True)
class BoxImages:
    """Images of a frame in the form that extension modules take.

    ``colours`` are arrays (height, width, C), ``depths`` as many planes or None for all of them,
    ``positions`` as many int64 and ``boxes`` int64 (images, 4), or None if each image is of the whole frame.
    ``from_gpu``: whether some of them are copies of arrays in the memory of a GPU.
    """

    colours: list[NDArray[Any]]
    depths: list[NDArray[np.float32] | None] | None
    positions: NDArray[np.int64]
    boxes: NDArray[np.int64] | None
    width: int
    height: int
    from_gpu: bool

    def picture(self, index: int) -> Picture:
        """An image with its depth."""
        return _arrays.picture(self.colours[index], self.depths and self.depths[index])


def box_images(
    images: object,
    depths: object | None,
    positions: object,
    shape: object,
    boxes: object | None,
) -> BoxImages:
    """Check images, their depths, positions and boxes, and the shape (height, width) of the frame.

    Raises ArgumentError with the expected value.
    """
    listed = _listed(images, "images", "arrays (height, width, C), one for each image")
    height, width = _arrays.frame_shape(shape)
    planes = _depths(depths, len(listed))
    colours, checked = _checked(listed, planes)
    return BoxImages(
        colours,
        checked,
        _positions(positions, len(listed)),
        _boxes(boxes, len(listed)),
        width,
        height,
        colours is not listed and any(map(_device.is_on_device, [*listed, *(planes or [])])),
    )


def output(
    out: object, images: BoxImages
) -> tuple[NDArray[Any] | None, NDArray[np.float32] | None, Picture | None]:
    """Arrays for finished pixels, colour and depth, and the type of their frame.

    Without images, the arrays determine the type, which the ranks then compare.
    """
    if out is None:
        return None, None, None
    if images.colours:
        like = images.picture(0)
        channels, scalar, has_depth = like.channels, like.scalar, like.has_depth
    else:
        planes = out if isinstance(out, tuple) else (out,)
        colour = _arrays.as_array(planes[0], "out") if planes else np.empty(0)
        channels, scalar = colour.shape[-1] if colour.ndim == 3 else 4, _arrays.scalar(colour.dtype)
        has_depth = len(planes) > 1
        if channels not in (3, 4):
            raise ArgumentError(f"out has shape {colour.shape}; expected (H, W, 4) or (H, W, 3)")
    frame = Picture(None, None, images.height, images.width, channels, scalar, has_depth)
    return *_arrays.output(out, frame, has_depth), frame


def root(value: object | None) -> int:
    """The rank at which the frame will be gathered; -1 if not known."""
    if value is None:
        return -1
    found = _arrays.rank(value, "root")
    if found < 0:
        raise ArgumentError(f"root is {found}; expected a rank")
    return found


def _listed(values: object, what: str, expected: str) -> list[object]:
    # Only a list or tuple: an array would be split into its rows.
    if isinstance(values, list | tuple):
        return list(values)
    raise ArgumentError(f"{what} is a {type(values).__name__}; expected a list of {expected}")


def _checked(
    images: list[Any], planes: list[Any] | None
) -> tuple[list[NDArray[Any]], list[NDArray[np.float32] | None] | None]:
    """Images and their depths as arrays; checking each image separately takes twenty times as long."""
    if planes is None and _core.check_images(images, np.ndarray):
        return images, None
    pictures = []
    for index, (image, plane) in enumerate(zip(images, planes or [None] * len(images), strict=True)):
        try:
            if image is None:
                raise ArgumentError("it is None; leave it out of the images")
            colour, depth = _device.copied_to_host(image, "image"), _device.copied_to_host(plane, "depth")
            pictures.append(_arrays.picture(colour, depth))
        except ArgumentError as error:
            raise ArgumentError(f"image {index}: {error}") from None
    colours: list[Any] = [picture.colour for picture in pictures]
    return colours, None if planes is None else [picture.depth for picture in pictures]


def _depths(depths: object | None, count: int) -> list[object] | None:
    if depths is None:
        return None
    listed = _listed(depths, "depths", "planes (height, width), one for each image")
    if len(listed) != count:
        raise ArgumentError(f"depths has {len(listed)} planes for {count} images; expected one for each")
    return listed


def _positions(positions: object, count: int) -> NDArray[np.int64]:
    numbers = _whole_numbers(positions, (count,), 2**63)
    if numbers is not None:
        return numbers
    try:
        listed = [operator.index(position) for position in positions]  # type: ignore[attr-defined]
    except TypeError:
        raise ArgumentError(
            f"positions is {_short(positions)}; expected a whole number for each image"
        ) from None
    if len(listed) != count:
        raise ArgumentError(f"positions has {len(listed)} numbers for {count} images; expected one for each")
    for position in listed:
        if abs(position) >= 2**63:
            raise ArgumentError(f"position {position} is too large; expected less than 2^63")
    return np.array(listed, np.int64)


def _boxes(boxes: object | None, count: int) -> NDArray[np.int64] | None:
    if boxes is None:
        return None
    try:
        listed = list(boxes)  # type: ignore[call-overload]
    except TypeError:
        raise ArgumentError(f"boxes is {_short(boxes)}; expected (x0, y0, x1, y1) for each image") from None
    if len(listed) != count:
        raise ArgumentError(f"boxes has {len(listed)} boxes for {count} images; expected one for each")
    numbers = _whole_numbers(listed, (count, 4), 2**62)
    if numbers is not None:
        return numbers
    each = [_box(box, index) for index, box in enumerate(listed)]
    return np.array(each, np.int64).reshape(count, 4)


def _whole_numbers(values: Any, shape: tuple[int, ...], below: int) -> NDArray[np.int64] | None:
    """Convert all values at once, if they have this shape and lie between -below and below; else None."""
    try:
        numbers = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        return None
    if numbers.dtype != np.int64 or numbers.shape != shape:
        return None
    if numbers.size and not (-below < numbers.min() and numbers.max() < below):
        return None
    return np.ascontiguousarray(numbers)


def _box(box: Sequence[int], index: int) -> list[int]:
    try:
        numbers = [operator.index(number) for number in box]
    except TypeError:
        numbers = []
    if len(numbers) != 4 or any(abs(number) >= 2**62 for number in numbers):
        raise ArgumentError(f"box {index} is {_short(box)}; expected four whole numbers (x0, y0, x1, y1)")
    return numbers


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 and " at 0x" not in shown else f"a {type(value).__name__}"
