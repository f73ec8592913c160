"""Validation of images from callers: arrays are used without a copy, or rejected with a message."""

from __future__ import annotations

import math
import operator
import os
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sortlast import _device
from sortlast._core import DeviceArray
from sortlast._errors import ArgumentError

_DTYPES = ("float32", "float16", "uint8")
_NAMES = {np.dtype(name): name for name in _DTYPES}
_LARGEST = float(np.finfo(np.float32).max)


class Picture(NamedTuple):
    """An image in the form that extension modules take; ``colour`` is None on a rank without an image."""

    colour: Any  # an array of NumPy or a DeviceArray
    depth: Any
    height: int
    width: int
    channels: int
    scalar: str
    has_depth: bool


def as_array(value: object, what: str) -> NDArray[Any]:
    """``value`` as a NumPy array without a copy: an array, or a CPU array with DLPack."""
    if isinstance(value, np.ndarray):
        return value
    if not hasattr(value, "__dlpack__"):
        raise ArgumentError(
            f"{what} is a {type(value).__name__}; expected a NumPy array or a CPU array with DLPack"
        )
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(f"{what} cannot be read on the CPU through DLPack: {error}") from None


def as_any_array(value: object, what: str, stream: int | None) -> Any:
    """``value`` as an array without a copy: NumPy's, or one in the memory of a GPU."""
    if isinstance(value, np.ndarray) or not _device.is_on_device(value):
        return as_array(value, what)
    return _device.as_device_array(value, what, stream)


def picture(
    image: object | None,
    depth: object | None,
    shape: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    *,
    on_device: bool = False,
    stream: int | None = None,
) -> Picture:
    """Check an image (H, W, C) and its depth (H, W); without an image, its ``shape`` and ``dtype``.

    ``on_device``: whether an image may be in the memory of a GPU; ``stream``: on which it is drawn. Raises
    ArgumentError with the expected value.
    """
    if image is None:
        return _absent(depth, shape, dtype)
    colour = as_any_array(image, "image", stream) if on_device else as_array(image, "image")
    name = _NAMES.get(colour.dtype)
    if name is None:
        raise ArgumentError(f"image is {colour.dtype}; expected float32, float16 or uint8")
    if colour.ndim != 3 or colour.shape[2] not in (3, 4):
        raise ArgumentError(
            f"image has shape {colour.shape}; expected (H, W, 4) for RGBA or (H, W, 3) for RGB"
        )
    _check_contiguous(colour, "image")
    height, width, channels = colour.shape
    _check_expected(colour, shape, dtype)
    plane = None
    if depth is not None and not isinstance(depth, bool):
        plane = _depth(depth, (height, width), colour)
    elif depth is True:
        raise ArgumentError("depth is True; expected a plane (H, W) of float32 beside an image")
    return Picture(colour, plane, height, width, channels, name, plane is not None)


def _check_contiguous(array: Any, what: str) -> None:
    if isinstance(array, np.ndarray) and not array.flags.c_contiguous:
        raise ArgumentError(
            f"{what} is not C-contiguous; expected one that is, as numpy.ascontiguousarray makes it"
        )


def _check_expected(colour: Any, shape: Sequence[int] | None, dtype: DTypeLike | None) -> None:
    if shape is not None and _extents(shape) != colour.shape:
        raise ArgumentError(f"image has shape {colour.shape}, but shape={shape!r} was passed; leave it out")
    if dtype is not None and scalar(dtype) != str(colour.dtype):
        raise ArgumentError(f"image is {colour.dtype}, but dtype={scalar(dtype)} was passed; leave it out")


def _depth(depth: object, expected: tuple[int, int], colour: Any) -> Any:
    stream = colour.stream if isinstance(colour, DeviceArray) else None
    plane = as_array(depth, "depth") if stream is None else as_any_array(depth, "depth", stream)
    if stream is not None and isinstance(plane, np.ndarray):
        raise ArgumentError("image and depth are in different memory; expected both on the host or on a GPU")
    if plane.dtype != np.float32:
        raise ArgumentError(f"depth is {plane.dtype}; expected float32")
    if plane.shape != expected:
        raise ArgumentError(f"depth has shape {plane.shape}; expected {expected}, as the image")
    _check_contiguous(plane, "depth")
    return plane


# Rows and columns of a depth plane that are checked for NaN, which takes 6 us. Reading all of a plane of
# 3840x2160 takes 1100 us.
_LOOKED_AT = 64


def check_depth(plane: Any) -> None:
    """Raise ArgumentError if depths on the host are NaN somewhere on a grid of pixels, as PyVista's are."""
    if not isinstance(plane, np.ndarray) or not plane.size:
        return
    rows, columns = (max(1, extent // _LOOKED_AT) for extent in plane.shape)
    if np.isnan(plane[::rows, ::columns]).any():
        raise ArgumentError(
            "depth holds NaN; expected +inf where nothing is, and smaller values nearer. PyVista's"
            " get_image_depth() has NaN there, and negative distances: sortlast.pyvista.image(plotter) has"
            " what is expected, or numpy.nan_to_num(-depth, nan=numpy.inf)"
        )


def _absent(depth: object | None, shape: Sequence[int] | None, dtype: DTypeLike | None) -> Picture:
    if shape is None or dtype is None:
        raise ArgumentError(
            "image is None; expected shape=(H, W, C) and dtype= of the other ranks' images with it"
        )
    height, width, channels = _extents(shape)
    name = scalar(dtype)
    if depth is not None and not isinstance(depth, bool):
        raise ArgumentError(
            "depth is a plane, but image is None; expected depth=True if the other ranks have depth"
        )
    return Picture(None, None, height, width, channels, name, bool(depth))


def _extents(shape: Sequence[int]) -> tuple[int, int, int]:
    """The numbers of a shape (H, W, C)."""
    try:
        height, width, channels = (operator.index(extent) for extent in shape)
    except (TypeError, ValueError):
        raise ArgumentError(f"shape is {shape!r}; expected (H, W, 4) or (H, W, 3)") from None
    most = max(height, width, 4 * height * width * channels)
    if channels not in (3, 4) or min(height, width) < 0 or most > sys.maxsize:
        raise ArgumentError(f"shape is {shape!r}; expected (H, W, 4) or (H, W, 3)")
    return height, width, channels


def ranks(values: Sequence[int] | None, what: str) -> list[int]:
    """A list of ranks; None is the empty list, which stands for rank order."""
    if values is None:
        return []
    try:
        listed = [int(value) for value in values]
        if all(listed[i] == value and abs(listed[i]) < 2**31 for i, value in enumerate(values)):
            # The empty list means rank order, so an empty permutation must be rejected in another way.
            return listed if listed else [-1]
    except (OverflowError, TypeError, ValueError):
        pass
    raise ArgumentError(f"{what} is {values!r}; expected a list of ranks")


def rank(value: object, what: str) -> int:
    """Check a rank."""
    try:
        return whole(value, what)
    except ArgumentError:
        raise ArgumentError(f"{what} is {shown(value)}; expected a rank") from None


def colours(values: Sequence[float] | None, what: str) -> list[float]:
    """A list of channel values; None is the empty list."""
    if values is None:
        return []
    try:
        listed = [float(value) for value in values]
    except (OverflowError, TypeError, ValueError):
        raise ArgumentError(f"{what} is {values!r}; expected one number a channel") from None
    if any(math.isfinite(value) and abs(value) > _LARGEST for value in listed):
        raise ArgumentError(f"{what} is {values!r}; expected numbers that float32 holds")
    return listed


def whole(value: object, what: str) -> int:
    """Check a whole number of 32 bits."""
    try:
        found = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        found = 2**31
    if abs(found) >= 2**31:
        raise ArgumentError(f"{what} is {value!r}; expected a whole number")
    return found


def rectangle(values: Sequence[int] | None) -> list[int] | None:
    """Bounds (x0, y0, x1, y1) in pixels, or None."""
    if values is None:
        return None
    try:
        listed = [operator.index(value) for value in values]
    except TypeError:
        listed = []
    if len(listed) != 4 or any(abs(value) >= 2**62 for value in listed):
        raise ArgumentError(f"bounds is {values!r}; expected four whole numbers (x0, y0, x1, y1)")
    return listed


def frame_shape(shape: object, what: str = "shape") -> tuple[int, int]:
    """Check the height and width of a frame in pixels."""
    try:
        height, width = (operator.index(extent) for extent in shape)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        height = width = -1
    if not (0 <= height < 2**31 and 0 <= width < 2**31):
        raise ArgumentError(f"{what} is {shown(shape)}; expected (height, width) in pixels")
    return height, width


def extents(shape: Sequence[int]) -> list[int]:
    """The numbers of an array's shape."""
    try:
        listed = [operator.index(extent) for extent in shape]
    except TypeError:
        listed = [-1]
    if any(not 0 <= extent <= sys.maxsize for extent in listed) or 4 * math.prod(listed) > sys.maxsize:
        raise ArgumentError(f"shape is {shape!r}; expected extents of 0 or more")
    return listed


def output(out: object, picture: Picture, has_depth: bool) -> tuple[Any, Any]:
    """Arrays for finished pixels of the same type as ``picture``: colour, and depth if requested."""
    if out is None:
        return None, None
    planes = out if isinstance(out, tuple) else (out,)
    if len(planes) != 1 + has_depth:
        raise ArgumentError(
            f"out is {len(planes)} arrays; expected "
            + ("a pair, for colours and depths" if has_depth else "one, for colours")
        )
    shape = (picture.height, picture.width, picture.channels)
    colour = _writable(planes[0], "out", shape, picture.scalar)
    return colour, _writable(planes[1], "out's depth", shape[:2], "float32") if has_depth else None


def _writable(value: object, what: str, shape: tuple[int, ...], dtype: str) -> Any:
    array = as_any_array(value, what, None)
    if array.shape != shape or str(array.dtype) != dtype:
        raise ArgumentError(f"{what} is {array.dtype} {array.shape}; expected {dtype} {shape}")
    if isinstance(array, np.ndarray) and not (array.flags.c_contiguous and array.flags.writeable):
        raise ArgumentError(f"{what} is not C-contiguous or not writable; expected both")
    return array


def tile_picture(tile: Any) -> Picture:
    """The type of a tile's image, without pixels."""
    height, width, channels = tile.shape
    return Picture(None, None, height, width, channels, str(tile.pixels.dtype), tile.depth is not None)


def flag(value: object, what: str) -> bool:
    """Check a flag: only True or False, no other values."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ArgumentError(f"{what} is {shown(value)}; expected True or False")


def choice(value: object, what: str, names: Sequence[str]) -> str:
    """Check that a value is one of several names."""
    if isinstance(value, str) and value in names:
        return value
    raise ArgumentError(
        f"{what} is {shown(value)}; expected {', '.join(map(repr, names[:-1]))} or {names[-1]!r}"
    )


def count(value: object | None, what: str) -> int:
    """Check a count of 1 or more; 0 and None mean a default, and give 0."""
    if value is None:
        return 0
    found = whole(value, what)
    if found < 0:
        raise ArgumentError(f"{what} is {value!r}; expected 0 or more, or None")
    return found


def numbers(values: object, what: str, length: int) -> list[float]:
    """Check ``length`` numbers, none of them NaN."""
    try:
        listed = [float(value) for value in values]  # type: ignore[attr-defined]
    except (OverflowError, TypeError, ValueError):
        listed = []
    if len(listed) != length or any(math.isnan(value) for value in listed):
        raise ArgumentError(f"{what} is {shown(values)}; expected {length} numbers")
    return listed


def shown(value: object) -> str:
    """A value as shown in messages; the same on every rank, so that messages can be compared."""
    text = repr(value)
    return text if len(text) <= 80 and " at 0x" not in text else f"a {type(value).__name__}"


def scalar(dtype: DTypeLike) -> str:
    """The name of a supported dtype."""
    try:
        name = str(np.dtype(dtype))
    except TypeError:
        name = repr(dtype)
    if name not in _DTYPES:
        raise ArgumentError(f"dtype is {name}; expected float32, float16 or uint8")
    return name


def number(value: object, what: str) -> float:
    """Check a number."""
    if isinstance(value, str):
        raise ArgumentError(f"{what} is {value!r}; expected a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except (OverflowError, TypeError, ValueError):
        raise ArgumentError(f"{what} is {value!r}; expected a number") from None


def path(value: object, what: str) -> str:
    """Check a path."""
    try:
        name = os.fsdecode(value)  # type: ignore[arg-type]
        name.encode()
    except (TypeError, UnicodeEncodeError):
        raise ArgumentError(f"{what} is {value!r}; expected a path, in UTF-8") from None
    return name


def text(value: object, what: str) -> str:
    """Check a name: printable text."""
    if not isinstance(value, str) or not value.isprintable():
        raise ArgumentError(f"{what} is {value!r}; expected a name")
    return value
