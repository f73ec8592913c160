"""Parts, layers and windows of OpenEXR files, and the memory needed to read them.

The package OpenEXR reads all parts of a file at once, so the memory check counts all of them.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import shutil
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sortlast import _extras, _memory
from sortlast._errors import Error

_ITEM = 4  # maximum bytes per sample
_LIST = 160  # bytes of memory per deep pixel and channel, besides the samples
_DEEP_COPIES = 4  # copies of the deep samples that are in memory at once
_HEADER_TEXT = 255  # maximum bytes of a name in a header
_DEEP_SCANLINE, _DEEP_TILE = "deepscanline", "deeptile"

Box = tuple[int, int, int, int]  # left, top, right, bottom; right and bottom are exclusive


@dataclass(frozen=True)
class Part:
    """One part of a file, as its header describes it."""

    index: int
    name: str
    kind: str
    channels: dict[str, tuple[int, int]]  # name: sampling along x and y
    data: Box
    display: Box
    chunks: int

    @property
    def is_deep(self) -> bool:
        """Whether each pixel is a list of fragments."""
        return self.kind in (_DEEP_SCANLINE, _DEEP_TILE)

    @property
    def has_deep_lines(self) -> bool:
        """Whether each pixel is a list of fragments and the part is stored in scan lines."""
        return self.kind == _DEEP_SCANLINE

    @property
    def area(self) -> int:
        """The number of pixels in the data window."""
        return (self.data[2] - self.data[0]) * (self.data[3] - self.data[1])


@dataclass(frozen=True)
class Layer:
    """Channels of one part with a common prefix, such as ``diffuse.``; the main layer has no prefix."""

    part: Part
    prefix: str

    @property
    def name(self) -> str:
        """The layer's full name: its part, its prefix, or both."""
        return ".".join(each for each in (self.part.name, self.prefix.rstrip(".")) if each) or "main"

    def has(self, channel: str) -> bool:
        """Whether the layer has this channel, named without the prefix."""
        return self.prefix + channel in self.part.channels

    def answers_to(self, name: str) -> bool:
        """Whether ``name`` is the full name of this layer, its part or its prefix."""
        return name in (self.name, self.part.name, self.prefix.rstrip("."))

    def check_sampling(self, path: Path, channels: Sequence[str]) -> None:
        """Raise :class:`sortlast.Error` unless these channels have one value per pixel."""
        for name in channels:
            along_x, along_y = self.part.channels[self.prefix + name]
            if (along_x, along_y) != (1, 1):
                raise Error(
                    f"{path}: its channel {self.prefix}{name} has one value per {along_x}x{along_y} pixels;"
                    " expected one per pixel"
                )


def package(path: Path) -> Any:
    """The package OpenEXR. Raises :class:`sortlast.Error` for ``path`` if it is not installed."""
    with _extras.needed(str(path)):
        import OpenEXR
    return OpenEXR


def parts(path: Path) -> list[Part]:
    """The parts of a file, from its headers. Raises :class:`sortlast.Error`."""
    exr = package(path)
    with _memory.foreign(path, "exr"), silent(), exr.File(str(path), header_only=True) as file:
        found = [_part(index, part) for index, part in enumerate(file.parts)]
    for part in found:
        if part.area <= 0 or part.data[0] >= part.data[2] or not part.channels:
            raise Error(f"cannot read {path} as exr: its data window is empty; get a new copy")
        if part.display[0] >= part.display[2] or part.display[1] >= part.display[3]:
            raise Error(f"cannot read {path} as exr: its display window is empty; get a new copy")
    return found


def _part(index: int, part: Any) -> Part:
    header = part.header
    channels = {each.name: (each.xSampling, each.ySampling) for each in header["channels"]}
    data, display = _box(header["dataWindow"]), _box(header["displayWindow"])
    chunks = int(header.get("chunkCount", 0))
    return Part(index, part.name(), part.type().name, channels, data, display, chunks)


def _box(window: Any) -> Box:
    (x0, y0), (x1, y1) = ((int(x), int(y)) for x, y in window)
    return x0, y0, x1 + 1, y1 + 1


def layers(of: Sequence[Part], wanted: Sequence[str]) -> list[Layer]:
    """All layers of the parts ``of`` a file that have the ``wanted`` channels."""
    return [
        Layer(part, name[: -len(wanted[0])])
        for part in of
        for name in part.channels
        if (name == wanted[0] or name.endswith(f".{wanted[0]}"))
        and all(name[: -len(wanted[0])] + each in part.channels for each in wanted)
    ]


def chosen(path: Path, found: Sequence[Layer], what: str, asked: str | None = None) -> Layer:
    """The layer ``asked`` for; by default the main or the only layer. Raises :class:`sortlast.Error`."""
    main = [layer for layer in found if not layer.prefix]
    for few in ([layer for layer in found if layer.answers_to(asked)],) if asked else (main, found):
        if len(few) == 1:
            return few[0]
    names = ", ".join(dict.fromkeys(layer.name for layer in found))
    if asked:
        raise Error(f"{path} has no single layer {asked} with {what}; its layers are {names}")
    raise Error(f"{path} has {what} in several layers: {names}; choose one with --layer")


def pixels(path: Path, wanted: Sequence[Part]) -> dict[int, dict[str, NDArray[Any]]]:
    """The channels of each part, by the part's index. Raises :class:`sortlast.Error` if one is damaged.

    Call :func:`check` first, to make sure that there is enough memory.
    """
    exr = package(path)
    with silent() as printed, exr.File(str(path), separate_channels=True) as file:
        read = {
            part.part_index: {name: channel.pixels for name, channel in part.channels.items()}
            for part in file.parts
        }
    for part in wanted:
        if part.index not in read:  # the package omits a damaged part, and prints why
            why = " ".join(printed.getvalue().split()).removeprefix("Warning: ")
            raise Error(f"cannot read {path} as exr: its pixels are damaged ({why}); get a new copy")
    return read


def plane(read: dict[int, dict[str, NDArray[Any]]], layer: Layer, name: str) -> NDArray[np.float32]:
    """One channel of a layer as float32."""
    return np.ascontiguousarray(read[layer.part.index][layer.prefix + name], np.float32)


def check(path: Path, found: Sequence[Part], most: int | None, of_a_pixel: int) -> None:
    """Raise :class:`sortlast.Error` if reading a file with these parts needs more than ``most`` bytes.

    ``of_a_pixel`` is the memory per pixel of the display window, in bytes, after reading.
    """
    left, top, right, bottom = found[0].display
    needs = (right - left) * (bottom - top) * of_a_pixel
    for part in found:
        needs += part.area * len(part.channels) * (_LIST if part.is_deep else _ITEM)
    what = f"{right - left}x{bottom - top} pixels"
    if len(found) > 1:
        what += f" and {len(found)} parts"
    _memory.check(path, what, needs, most)
    samples = _sample_bytes(path, found) if any(part.is_deep for part in found) else 0
    _memory.check(path, f"the fragments of {what}", needs + _DEEP_COPIES * samples, most)


def _sample_bytes(path: Path, found: Sequence[Part]) -> int:
    """Total size in bytes of the samples of all deep parts, from the headers of their chunks.

    OpenEXR reads no more samples from a chunk than its header states.
    """
    size = path.stat().st_size
    several = len(found) > 1
    with path.open("rb") as file:
        try:
            _skip_headers(file, several)
            _memory.check_holds(path, "tables of chunks", 8 * sum(part.chunks for part in found), size)
            tables = [np.frombuffer(file.read(8 * part.chunks), "<u8", part.chunks) for part in found]
            return sum(
                _unpacked_size(file, int(offset), 4 * several + (16 if part.kind == _DEEP_TILE else 4))
                for part, table in zip(found, tables, strict=True)
                if part.is_deep
                for offset in table
            )
        except (struct.error, ValueError, OverflowError) as error:
            raise Error(f"cannot read {path} as exr: it is cut off or damaged; get a new copy") from error


def _skip_headers(file: BinaryIO, several: bool) -> None:
    """Skip the headers. Each is a list of attributes that ends with an empty name."""
    file.seek(8)
    more = True
    while more:
        begins = file.tell()
        while _text(file):
            _text(file)  # the attribute's type
            (length,) = struct.unpack("<I", file.read(4))
            file.seek(length, os.SEEK_CUR)
        more = several and file.tell() > begins + 1


def _text(file: BinaryIO) -> bytes:
    """Read a text up to its zero byte. Raises ValueError if there is none."""
    text = b""
    while (byte := file.read(1)) != b"\0":
        text += byte
        if not byte or len(text) > _HEADER_TEXT:
            raise ValueError("a name without an end")
    return text


def _unpacked_size(file: BinaryIO, offset: int, skipped: int) -> int:
    """The unpacked size of a chunk's samples, which follows its coordinates and two other sizes."""
    file.seek(offset + skipped + 16)
    (size,) = struct.unpack("<Q", file.read(8))
    return int(size)


def placed(plane: NDArray[Any], part: Part, empty: float) -> NDArray[Any]:
    """Move a plane, (h, w, ...), from the data window to the display window; ``empty`` fills the rest."""
    if part.data == part.display:
        return plane
    left, top, right, bottom = part.display
    frame = np.full((bottom - top, right - left, *plane.shape[2:]), empty, plane.dtype)
    begins = (part.data[1] - top, part.data[0] - left)
    inner = [
        (max(0, begin), min(length, begin + own))
        for begin, length, own in zip(begins, frame.shape[:2], plane.shape[:2], strict=True)
    ]
    if all(first < last for first, last in inner):
        rows, columns = (slice(first, last) for first, last in inner)
        own_rows, own_columns = (
            slice(first - begin, last - begin) for (first, last), begin in zip(inner, begins, strict=True)
        )
        frame[rows, columns] = plane[own_rows, own_columns]
    return frame


def windows(corner: tuple[int, int], width: int, height: int) -> dict[str, Any]:
    """Header attributes for equal data and display windows with this top left corner, (x, y)."""
    first = np.array(corner, np.int32)
    window = (first, first + np.array([width - 1, height - 1], np.int32))
    return {"dataWindow": window, "displayWindow": window}


@contextmanager
def silent() -> Iterator[io.StringIO]:
    """Suppress output in the context. OpenEXR prints warnings on a damaged file, from C++ and from Python.

    Yields the text that Python printed.
    """
    library = ctypes.CDLL(None)
    library.fflush(None)
    outputs = (1, 2)
    kept = [os.dup(each) for each in outputs]
    printed = io.StringIO()
    try:
        with open(os.devnull, "wb") as nothing:
            for each in outputs:
                os.dup2(nothing.fileno(), each)
        with contextlib.redirect_stdout(printed):
            yield printed
    finally:
        library.fflush(None)
        for each, copy in zip(outputs, kept, strict=True):
            os.dup2(copy, each)
            os.close(copy)


def write(path: Path, made: Any) -> None:
    """Write an ``OpenEXR.File`` to memory first, and copy it to ``path``.

    The package itself reports no error if a full disk truncates its last bytes.
    """
    with open(os.memfd_create("exr"), "r+b") as memory:
        number = memory.fileno()
        try:
            made.write(f"/proc/self/fd/{number}")
        finally:
            length = os.fstat(number).st_size
            os.posix_fallocate(number, length, 1)  # raises the error of a truncated write
        os.ftruncate(number, length)
        with path.open("wb") as file:
            shutil.copyfileobj(memory, file)
