"""Arrays of other libraries in the memory of GPUs, by their protocols, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from sortlast import _core
from sortlast._core import DeviceArray
from sortlast._errors import ArgumentError

_CUDA = 2  # kDLCUDA
_TYPES = ("float32", "float16", "uint8")
_LEGACY = 1  # the default stream, of which the driver's handle is 0


def _number(stream: int) -> int:
    """A stream as the protocols number it: 1 is the default stream, which no longer may be 0."""
    return stream or _LEGACY


def stream_number(stream: object | None) -> int | None:
    """A stream of the caller: an integer, or a stream of CuPy, PyTorch or another library.

    None: not given. Raises ArgumentError.
    """
    if stream is None:
        return None
    for attribute in ("__cuda_stream__", "cuda_stream", "ptr", "handle"):
        found = getattr(stream, attribute, None)
        if found is not None:
            stream = found()[1] if attribute == "__cuda_stream__" else getattr(found, "value", found)
            break
    if not isinstance(stream, int) or isinstance(stream, bool) or stream < 0:
        raise ArgumentError(
            f"stream is a {type(stream).__name__}; expected a CUDA stream of CuPy or PyTorch, or its number"
        )
    return stream


def ordinal(device: object) -> int:
    """The GPU of a device's name; -1 for "cpu". Raises ArgumentError."""
    kind, _, number = device.partition(":") if isinstance(device, str) else ("", "", "")
    if device == "cpu":
        return -1
    if kind != "cuda" or not (number.isdecimal() or device == "cuda"):
        raise ArgumentError(f"device is {device!r}; expected 'cpu', 'cuda' or 'cuda:N'")
    return int(number or 0)


def _interface(value: object) -> dict[str, Any] | None:
    """The CUDA Array Interface of a value, None without one, as of a PyTorch tensor on the CPU."""
    if isinstance(value, (np.ndarray, np.generic)):
        return None
    try:
        return value.__cuda_array_interface__  # type: ignore[attr-defined, no-any-return]
    except AttributeError:
        return None
    except RuntimeError as error:  # PyTorch: a tensor that requires a gradient
        raise ArgumentError(f"an array cannot be read on the GPU: {error}") from None


def is_on_device(value: object) -> bool:
    """Whether a value is an array in the memory of a GPU."""
    if _interface(value) is not None:
        return True
    device = getattr(value, "__dlpack_device__", None)
    return device is not None and device()[0] == _CUDA


def as_device_array(value: Any, what: str, stream: int | None) -> DeviceArray:
    """An array of any library in the memory of a GPU, without a copy.

    ``stream``: that the caller works on; None: the one that the array names, or the default stream. Work that
    this library adds to it follows the work by which the array is computed, as the protocols have it.
    """
    if isinstance(value, DeviceArray):
        if stream is None or stream == value.stream:
            return value
        _core.order_streams(value, value.stream, stream)
        address = value.__cuda_array_interface__["data"][0]
        return _made(what, address, value.shape, str(value.dtype), stream, value)
    if (described := _interface(value)) is not None:
        return _from_interface(value, described, what, stream)
    on = _LEGACY if stream is None else _number(stream)
    capsule = value.__dlpack__(stream=on)
    address, shape, strides, name = _core.describe_capsule(capsule)
    _check_contiguous(what, shape, strides)
    return _made(what, address, shape, name, stream or 0, (value, capsule))


def copied_to_host(value: object, what: str) -> object:
    """A NumPy array of an array in the memory of a GPU, once it is computed; any other value as it is."""
    return as_device_array(value, what, None).copy_to_host() if is_on_device(value) else value


def _from_interface(value: Any, described: dict[str, Any], what: str, stream: int | None) -> DeviceArray:
    dtype, shape = np.dtype(described["typestr"]), tuple(described["shape"])
    strides = described.get("strides")
    if strides is not None:
        _check_contiguous(what, shape, [stride / dtype.itemsize for stride in strides])
    if described.get("mask") is not None:
        raise ArgumentError(f"{what} has a mask; expected an array without one")
    own = described.get("stream")
    on = stream if stream is not None else (own or 0)
    made = _made(what, described["data"][0], shape, str(dtype), on, value)
    if own is not None and _number(own) != _number(on):
        _core.order_streams(made, own, on)
    return made


def _check_contiguous(what: str, shape: Any, strides: Any) -> None:
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent > 1 and stride != expected:
            raise ArgumentError(f"{what} is not C-contiguous; expected one that is")
        expected *= extent


def _made(what: str, address: int, shape: Any, dtype: str, stream: int, owner: object) -> DeviceArray:
    if dtype not in _TYPES:
        raise ArgumentError(f"{what} is {dtype}; expected float32, float16 or uint8")
    return _core.device_array(address, list(shape), dtype, stream, owner)
