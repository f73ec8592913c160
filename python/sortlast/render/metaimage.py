"""MetaImage volumes (.mha, or .mhd with a separate data file): text "Key = Value", then voxels.

The format is ITK's: https://itk.org/Wiki/ITK/MetaIO/Documentation.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sortlast import Error, _memory

from .blocks import Spacing
from .source import Source, Wanted, numbers_of

_TYPES = {
    "MET_CHAR": "i1",
    "MET_UCHAR": "u1",
    "MET_SHORT": "i2",
    "MET_USHORT": "u2",
    "MET_INT": "i4",
    "MET_UINT": "u4",
    "MET_LONG_LONG": "i8",
    "MET_ULONG_LONG": "u8",
    "MET_FLOAT": "f4",
    "MET_DOUBLE": "f8",
}
_HEADER = 65536  # bytes of text before the voxels, at most
_MOST_COMPONENTS = 2**16
_DIGITS = 18  # of a number, at most


def read(path: Path, wanted: Wanted) -> Source:
    """Read a volume. Raises sortlast.Error."""
    with _memory.foreign(path, "MetaImage"):
        return _read(path, wanted)


def _read(path: Path, wanted: Wanted) -> Source:
    with path.open("rb") as file:
        keys, at = _header(path, file.read(_HEADER))
    shape, spacing = _shape(path, keys), _spacing(path, keys)
    channels = _whole(path, keys, "ElementNumberOfChannels", "1", 1, _MOST_COMPONENTS)
    kind = keys.get("ElementType", "")
    if kind not in _TYPES:
        raise Error(f"{path}: ElementType is {kind[:40]!r}; expected one of {', '.join(_TYPES)}")
    if keys.get("BinaryData", "True").lower() != "true":
        raise Error(f"{path}: its voxels are text (BinaryData is not True); expected binary voxels")
    big = keys.get("BinaryDataByteOrderMSB", keys.get("ElementByteOrderMSB", "False")).lower() == "true"
    dtype = np.dtype(_TYPES[kind]).newbyteorder(">" if big else "<")
    values = _values(path, keys, at, shape, channels, dtype, wanted)
    component = wanted.index(path, "component", channels)
    voxels = values.reshape(-1, channels)[:, component].reshape(shape, order="F")
    return Source(voxels, spacing, wanted.remark("component", channels))


def _values(
    path: Path,
    keys: dict[str, str],
    at: int,
    shape: tuple[int, int, int],
    channels: int,
    dtype: np.dtype[Any],
    wanted: Wanted,
) -> npt.NDArray[Any]:
    """All numbers of the file, in its type."""
    wanted.check(path, shape, channels * dtype.itemsize)
    count = shape[0] * shape[1] * shape[2] * channels
    what = f"{'x'.join(map(str, shape))} voxels"
    held, at = _data(path, keys, at)
    needs = count * dtype.itemsize
    if keys.get("CompressedData", "False").lower() == "true":
        _memory.check_holds(held, what, needs, held.stat().st_size - at, _memory.DEFLATE_RATIO)
        return numbers_of(held, memoryview(_unpacked(held, at, needs)), 0, count, dtype, what)
    _memory.check_holds(held, what, needs, held.stat().st_size - at)
    return np.fromfile(held, dtype, count, offset=at)


def _header(path: Path, content: bytes) -> tuple[dict[str, str], int]:
    """The keys, and the offset of the byte after ElementDataFile, which is the last key."""
    keys: dict[str, str] = {}
    at = 0
    while "ElementDataFile" not in keys:
        end = content.find(b"\n", at)
        key, equals, value = content[at:end].decode("latin1").partition("=")
        if end < 0 or not equals:
            raise Error(f"{path}: no MetaImage: expected lines 'Key = Value' up to ElementDataFile")
        keys[key.strip()] = value.strip()
        at = end + 1
    return keys, at


def _shape(path: Path, keys: dict[str, str]) -> tuple[int, int, int]:
    try:
        x, y, z = (int(length) for length in keys.get("DimSize", "").split())
    except ValueError:
        x = y = z = 0
    if min(x, y, z) < 1:
        raise Error(
            f"{path}: DimSize is {keys.get('DimSize', '')[:80]!r}; expected three lengths, such as 64 64 32"
        )
    return x, y, z


def _spacing(path: Path, keys: dict[str, str]) -> Spacing:
    text = keys.get("ElementSpacing", keys.get("ElementSize", "1 1 1"))
    try:
        x, y, z = (float(step) for step in text.split())
    except ValueError:
        raise Error(f"{path}: ElementSpacing is {text[:80]!r}; expected three numbers") from None
    return x, y, z


def _whole(path: Path, keys: dict[str, str], key: str, default: str, least: int, most: int) -> int:
    text = keys.get(key, default)
    if not text.isdecimal() or len(text) > _DIGITS or not least <= int(text) <= most:
        raise Error(f"{path}: {key} is {text[:40]!r}; expected a number from {least} to {most}")
    return int(text)


def _data(path: Path, keys: dict[str, str], at: int) -> tuple[Path, int]:
    """The file with the voxels, and the offset at which they begin."""
    name = keys["ElementDataFile"]
    if name == "LOCAL":
        return path, at
    beside = path.parent / name
    if Path(name).name != name or "\0" in name or not beside.is_file():
        raise Error(f"{path}: ElementDataFile is {name[:80]!r}; expected LOCAL, or a file in the same folder")
    return beside, _whole(path, keys, "HeaderSize", "0", 0, beside.stat().st_size)


def _unpacked(path: Path, at: int, needs: int) -> bytes:
    """At most ``needs`` bytes of the zlib stream that starts at byte ``at``."""
    try:
        with path.open("rb") as file:
            file.seek(at)
            return zlib.decompressobj().decompress(file.read(), needs)
    except zlib.error as error:
        raise Error(f"{path}: its compressed voxels are damaged ({error}); get a new copy") from None
