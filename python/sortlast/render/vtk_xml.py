"""VTK's XML images (.vti): extents and arrays in XML, with numbers in text, in base64 or raw after the XML.

Every array is checked against the bytes of the file before memory is allocated for it; compressed data may
unpack to no more than the extent requires. VTK's own reader ends the process if a header claims more memory
than the machine has, and takes 5 GB for 6 MB of nested elements. The format is described in "VTK XML Formats"
in the VTK documentation.
"""

from __future__ import annotations

import base64
import binascii
import lzma
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from sortlast import Error, _memory

from .source import Source, Wanted
from .vtk_array import Named, Shape, chosen, shape_of

_TYPES = {
    **{f"Int{8 * size}": f"i{size}" for size in (1, 2, 4, 8)},
    **{f"UInt{8 * size}": f"u{size}" for size in (1, 2, 4, 8)},
    "Float32": "f4",
    "Float64": "f8",
}
_SECTIONS = {"PointData": False, "CellData": True}
_MOST_COMPONENTS = 2**16
_MOST_RATIO = 2**14  # approximate maximum ratio of LZMA compression
_LZMA_MEMORY = 2**28  # maximum bytes of its dictionary
_MOST_DEPTH = 32  # of nested elements
_MOST_ELEMENTS = 100_000
_FED = 2**16  # bytes of XML parsed at once
_OF_TEXT = 3  # peak memory per byte of XML while it is converted to numbers, besides the file [bytes]
_APPENDED = re.compile(rb"<AppendedData[^>]*>\s*_")

Extent = tuple[int, int, int, int, int, int]


def read(path: Path, wanted: Wanted) -> Source:
    """Read a volume. Raises sortlast.Error."""
    _memory.check(path, "its bytes", path.stat().st_size, wanted.memory)
    with _memory.foreign(path, "an XML image of VTK"):
        file = _parsed(path, path.read_bytes(), wanted.memory)
        return chosen(path, file.arrays(), file.points, file.spacing, wanted, file.active)


class _Builder(ElementTree.TreeBuilder):
    """Builds the elements of a file up to the maximum that VTK writes; each takes 90 times its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._depth = self._count = 0

    def start(self, tag: str, attributes: dict[str, str], /) -> ElementTree.Element:
        self._depth += 1
        self._count += 1
        if self._depth > _MOST_DEPTH or self._count > _MOST_ELEMENTS:
            raise Error(
                f"{self._path}: its XML has elements {self._depth} deep, and more than {self._count - 1:,};"
                f" expected up to {_MOST_DEPTH} and {_MOST_ELEMENTS:,}"
            )
        return super().start(tag, attributes)

    def end(self, tag: str, /) -> ElementTree.Element:
        self._depth -= 1
        return super().end(tag)


def _parsed(path: Path, content: bytes, most: int | None) -> _Xml:
    """The XML of a file without its appended data, since raw bytes are not XML."""
    appended = _APPENDED.search(content)
    text = content if appended is None else content[: appended.start()] + b"</VTKFile>"
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise Error(f"{path}: it defines entities, which no VTK file does; get a new copy")
    _memory.check(path, f"its {len(text):,} bytes of XML", len(content) + _OF_TEXT * len(text), most)
    try:
        root = _elements(path, text)
    except ElementTree.ParseError as error:
        raise Error(f"{path}: not an XML image: {error}") from None
    image = root.find("ImageData")
    if root.tag != "VTKFile" or image is None:
        kind = root.get("type", root.tag)
        raise Error(
            f"{path}: not an XML image but {kind[:40]}; other VTK data must be resampled to one first"
        )
    tail = memoryview(b"" if appended is None else content)[0 if appended is None else appended.end() :]
    return _Xml(path, root, image, tail, appended is not None and b"base64" in appended.group())


def _elements(path: Path, text: bytes) -> ElementTree.Element:
    """The root of the XML, parsed in pieces because expat reads a piece to its end even after an error."""
    parser = ElementTree.XMLParser(target=_Builder(path))
    for begin in range(0, len(text), _FED):
        parser.feed(text[begin : begin + _FED])
    root: ElementTree.Element = parser.close()
    return root


@dataclass(frozen=True)
class _Xml:
    """A file: its XML and its appended data."""

    path: Path
    root: ElementTree.Element
    image: ElementTree.Element
    tail: memoryview
    tail_is_base64: bool

    @property
    def points(self) -> Shape:
        """Number of points along each axis."""
        return _points(self._extent(self.image, "WholeExtent"))

    @property
    def spacing(self) -> tuple[float, float, float]:
        """Distance of points along each axis."""
        x, y, z = (float(step) for step in self.image.get("Spacing", "1 1 1").split())
        return x, y, z

    @property
    def active(self) -> str:
        """Name of the array that the file marks as active."""
        found = self.image.find("Piece/PointData")
        return "" if found is None else found.get("Scalars", "")

    def arrays(self) -> list[Named]:
        """All arrays of numbers; their parts may lie in several pieces."""
        pieces = self.image.findall("Piece")
        made = []
        for section, of_cells in _SECTIONS.items():
            parts: dict[str, list[tuple[Extent, ElementTree.Element]]] = {}
            for piece in pieces:
                for number, array in enumerate(piece.findall(f"{section}/DataArray")):
                    if array.get("type") in _TYPES:
                        name = array.get("Name", f"array {number}")
                        parts.setdefault(name, []).append((self._extent(piece, "Extent"), array))
            made += [self._named(name, of_cells, each) for name, each in parts.items()]
        return made

    def _named(self, name: str, of_cells: bool, parts: Sequence[tuple[Extent, ElementTree.Element]]) -> Named:
        first = parts[0][1]
        components = int(first.get("NumberOfComponents") or 1)
        if not 1 <= components <= _MOST_COMPONENTS:
            raise Error(f"{self.path}: {name} has {components} components, which is not read")
        big = self.root.get("byte_order") == "BigEndian"
        dtype = np.dtype(_TYPES[first.get("type", "")]).newbyteorder(">" if big else "<")

        def values() -> npt.NDArray[Any]:
            return self._joined(name, of_cells, components, dtype, parts)

        return Named(name, of_cells, components, dtype, values)

    def _joined(
        self,
        name: str,
        of_cells: bool,
        components: int,
        dtype: np.dtype[Any],
        parts: Sequence[tuple[Extent, ElementTree.Element]],
    ) -> npt.NDArray[Any]:
        """The values of all pieces in one array, (tuples, components), x fastest."""
        whole = self._extent(self.image, "WholeExtent")
        shape = shape_of(_points(whole), of_cells)
        if len(parts) == 1 and parts[0][0] == whole:
            return self._values(name, shape, components, dtype, parts[0][1])
        joined = np.zeros((*shape[::-1], components), dtype)
        covered = np.zeros(shape[::-1], bool)
        for extent, array in parts:
            own = shape_of(_points(extent), of_cells)
            begins = [extent[2 * axis] - whole[2 * axis] for axis in range(3)]
            if min(begins) < 0 or any(b + n > m for b, n, m in zip(begins, own, shape, strict=True)):
                raise Error(f"{self.path}: a piece lies outside the whole extent")
            x, y, z = (slice(b, b + n) for b, n in zip(begins, own, strict=True))
            values = self._values(name, own, components, dtype, array)
            joined[z, y, x] = values.reshape((*own[::-1], components))
            covered[z, y, x] = True
        if not covered.all():
            held = int(np.count_nonzero(covered))
            raise Error(f"{self.path}: the pieces have {held} of {covered.size} values of {name}")
        return joined

    def _values(
        self,
        name: str,
        shape: Shape,
        components: int,
        dtype: np.dtype[Any],
        array: ElementTree.Element,
    ) -> npt.NDArray[Any]:
        """The values of one piece."""
        count = shape[0] * shape[1] * shape[2] * components
        what = f"{'x'.join(map(str, shape))} values of {name}"
        form = array.get("format", "ascii")
        if form == "ascii":
            text = array.text or ""
            _memory.check_holds(self.path, what, 2 * count, len(text) + 1)
            found = np.fromstring(text, dtype.newbyteorder("="), sep=" ")
        else:
            found = np.frombuffer(self._bytes(array, form, what, count * dtype.itemsize), dtype)
        if len(found) != count:
            raise Error(f"{self.path}: {len(found)} numbers are there, expected {what}; is it cut off?")
        return found

    def _bytes(self, array: ElementTree.Element, form: str, what: str, needs: int) -> bytes | memoryview:
        """The unpacked bytes of an array, from its own text or from the appended data."""
        if form == "appended":
            source = self.tail[_offset(array) :]
            encoded = self.tail_is_base64
        else:
            source, encoded = memoryview((array.text or "").strip().encode("ascii")), True
        header = np.dtype("<u8" if self.root.get("header_type") == "UInt64" else "<u4")
        if self.root.get("byte_order") == "BigEndian":
            header = header.newbyteorder(">")
        compressor = self.root.get("compressor", "")
        if not compressor:
            _memory.check_holds(self.path, what, needs, len(source))
            content = _decoded(source, header.itemsize + needs) if encoded else source
            return content[header.itemsize : header.itemsize + needs]
        _memory.check_holds(self.path, what, needs, len(source), _MOST_RATIO)
        return self._unpacked(source, encoded, header, compressor, needs)

    def _unpacked(
        self, source: memoryview, encoded: bool, header: np.dtype[Any], compressor: str, needs: int
    ) -> bytes:
        """Unpack blocks. Header: number of blocks, block length, last block's length, packed lengths."""
        size = header.itemsize
        head = _decoded(source, 3 * size) if encoded else source[: 3 * size]
        blocks, length, last = (int(each) for each in np.frombuffer(head, header, 3))
        _memory.check_holds(self.path, f"{blocks} compressed blocks", blocks * size, len(source))
        table = 3 * size + blocks * size
        head = _decoded(source, table) if encoded else source[:table]
        packed = [int(each) for each in np.frombuffer(head, header, blocks, 3 * size)]
        _memory.check_holds(self.path, "compressed blocks", sum(packed), len(source))
        begin = -(-table // 3) * 4 if encoded else table
        content = _decoded(source[begin:], sum(packed)) if encoded else source[begin:]
        made, at = bytearray(), 0
        for number, each in enumerate(packed):
            most = min(last if last and number == blocks - 1 else length, needs - len(made))
            made += _UNPACK[compressor](bytes(content[at : at + each]), most)
            at += each
        return bytes(made)

    def _extent(self, element: ElementTree.Element, key: str) -> Extent:
        numbers = [int(each) for each in element.get(key, "").split()]
        if len(numbers) != 6 or any(numbers[2 * a + 1] < numbers[2 * a] for a in range(3)):
            raise Error(f"{self.path}: {key} is {element.get(key, '')!r}; expected first and last of 3 axes")
        x, last_x, y, last_y, z, last_z = numbers
        return x, last_x, y, last_y, z, last_z


def _points(extent: Extent) -> Shape:
    x, y, z = (extent[2 * axis + 1] - extent[2 * axis] + 1 for axis in range(3))
    return x, y, z


def _offset(array: ElementTree.Element) -> int:
    offset = int(array.get("offset", "0"))
    if offset < 0:
        raise ValueError(f"an offset of {offset}")
    return offset


def _decoded(text: memoryview, count: int) -> bytes:
    """The first ``count`` bytes of base64; groups of four letters encode three bytes."""
    letters = bytes(text[: -(-count // 3) * 4])
    try:
        return base64.b64decode(letters)[:count]
    except binascii.Error:
        return base64.b64decode(letters[: len(letters) // 4 * 4])[:count]


def _unpack_lz4(block: bytes, most: int) -> bytes:
    from vtkmodules.vtkIOCore import vtkLZ4DataCompressor

    made = np.empty(most, np.uint8)
    compressor: Any = vtkLZ4DataCompressor()
    compressor.AddObserver("ErrorEvent", lambda *_: None)  # else it writes to standard error
    length: int = compressor.Uncompress(block, len(block), made, most) if most > 0 else 0
    return made[:length].tobytes()


def _unpack_zlib(block: bytes, most: int) -> bytes:
    return zlib.decompressobj().decompress(block, most) if most > 0 else b""  # 0 would mean no limit


def _unpack_lzma(block: bytes, most: int) -> bytes:
    return lzma.LZMADecompressor(memlimit=_LZMA_MEMORY).decompress(block, most)


_UNPACK = {
    "vtkZLibDataCompressor": _unpack_zlib,
    "vtkLZMADataCompressor": _unpack_lzma,
    "vtkLZ4DataCompressor": _unpack_lz4,
}
