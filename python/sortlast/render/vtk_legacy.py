"""VTK's legacy files (.vtk) of structured points: keywords, with numbers in text or big-endian.

VTK's own reader allocates any amount of memory that a header claims; a file of a hundred bytes can make it
take 24 GB. This reader checks every array against the remaining bytes of the file before it allocates memory.
The format is described in "VTK File Formats" in the VTK documentation; attributes other than numbers are an
error.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sortlast import Error, _memory

from .blocks import Spacing
from .source import Source, Wanted, numbers_of
from .vtk_array import Named, Shape, chosen, shape_of

_TYPES = {
    "unsigned_char": "u1",
    "char": "i1",
    "signed_char": "i1",
    "unsigned_short": "u2",
    "short": "i2",
    "unsigned_int": "u4",
    "int": "i4",
    "unsigned_long": "u8",
    "long": "i8",
    "vtktypeint64": "i8",
    "vtktypeuint64": "u8",
    "vtkIdType": "i4",  # VTK writes its own numbers as int
    "float": "f4",
    "double": "f8",
}
_COMPONENTS = {"VECTORS": 3, "NORMALS": 3, "TENSORS": 9, "TENSORS6": 6}
_MOST_COMPONENTS = 2**16
_LONGEST_LINE = 4096
_OF_TEXT = 3  # peak memory per byte of text while it is converted to numbers [bytes]
_WORD = re.compile(rb"\s*([A-Za-z_]\w*)")
_NEXT_WORD = re.compile(rb"\n[ \t]*(?!nan|inf)[A-Za-z_]", re.IGNORECASE)  # after numbers in text


def read(path: Path, wanted: Wanted) -> Source:
    """Read a volume. Raises sortlast.Error."""
    _memory.check(path, "its bytes", _OF_TEXT * path.stat().st_size, wanted.memory)
    file = _Legacy(path, path.read_bytes())
    file.read()
    return chosen(path, file.arrays, file.points, file.spacing, wanted)


class _Legacy:
    """A file's bytes, and the position up to which they are read."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        self.points: Shape = (0, 0, 0)
        self.spacing: Spacing = (1.0, 1.0, 1.0)
        self.arrays: list[Named] = []
        self._content = content
        self._at = 0
        self._tuples, self._of_cells = 0, False  # of the current attributes
        self._binary = False

    def read(self) -> None:
        """Read the header and list the arrays, without allocating memory for them."""
        head = [self._line() for _ in range(4)]
        kind = head[3].split()
        if not head[0].startswith("# vtk DataFile") or kind != ["DATASET", "STRUCTURED_POINTS"]:
            raise Error(
                f"{self.path}: not a legacy file of structured points; other VTK data sets must be resampled"
                " to an image first"
            )
        self._binary = head[2].strip().upper() == "BINARY"
        while fields := self._next_line().split():
            self._take(fields)

    def _take(self, fields: list[str]) -> None:
        """Process a line of keywords and the data that it announces."""
        key, rest = fields[0].upper(), fields[1:]
        if key == "DIMENSIONS":
            x, y, z = self._numbers(key, rest[:3], int, 1)
            self.points = (x, y, z)
        elif key in ("SPACING", "ASPECT_RATIO"):
            x, y, z = self._numbers(key, rest[:3], float)
            self.spacing = (x, y, z)
        elif key == "ORIGIN":
            self._numbers(key, rest[:3], float)
        elif key in ("POINT_DATA", "CELL_DATA"):
            self._begin(key, rest)
        elif key == "METADATA":
            self._skip_metadata()
        elif key == "FIELD":
            self._field(rest)
        elif key == "LOOKUP_TABLE":
            self._pass(self._count(key, rest[1:2]), 4, np.dtype("u1" if self._binary else "f4"))
        elif key == "COLOR_SCALARS" and len(rest) >= 2:  # bytes; in text, fractions of 255
            self._array(rest[0], self._count(key, rest[1:2]), self._tuples, "unsigned_char", 255)
        else:
            self._attribute(key, rest)

    def _begin(self, key: str, rest: list[str]) -> None:
        """Begin the attributes of points or cells: one tuple for each."""
        self._of_cells = key == "CELL_DATA"
        self._tuples = self._count(key, rest[:1])
        x, y, z = shape_of(self.points, self._of_cells)
        if self._tuples != x * y * z:
            raise Error(f"{self.path}: {key} has {self._tuples} values, and DIMENSIONS make {x * y * z}")

    def _attribute(self, key: str, rest: list[str]) -> None:
        """Read one array: SCALARS name type [components], VECTORS name type, ..."""
        if key == "SCALARS" and len(rest) >= 2:
            components, kind = self._count(key, rest[2:3]) if len(rest) > 2 else 1, rest[1]
            table = self._peek_line().split()
            if table[:1] == ["LOOKUP_TABLE"]:
                self._next_line()
        elif key in _COMPONENTS and len(rest) >= 2:
            components, kind = _COMPONENTS[key], rest[1]
        elif key == "TEXTURE_COORDINATES" and len(rest) >= 3:
            components, kind = self._count(key, rest[1:2]), rest[2]
        else:
            raise Error(f"{self.path}: {key[:40]!r} is not understood after byte {self._at}; is it damaged?")
        self._array(rest[0], components, self._tuples, kind)

    def _field(self, rest: list[str]) -> None:
        """Read FIELD name n, followed by n times: name components tuples type."""
        for _ in range(self._count("FIELD", rest[1:2])):
            fields = self._next_line().split()
            if fields[:1] == ["METADATA"]:
                self._skip_metadata()
                fields = self._next_line().split()
            if len(fields) != 4:
                raise Error(f"{self.path}: expected 'name components tuples type' after byte {self._at}")
            name, components, tuples, kind = fields
            self._array(name, self._count(name, [components]), self._count(name, [tuples]), kind)

    def _array(self, name: str, components: int, tuples: int, kind: str, text_scale: int = 1) -> None:
        """List an array if it has numbers for each point or cell, and skip its data.

        In text its numbers are divided by ``text_scale``.
        """
        if kind not in _TYPES or not 1 <= components <= _MOST_COMPONENTS:
            raise Error(f"{self.path}: {name} has {components} components of {kind!r}, which is not read")
        dtype = np.dtype(_TYPES[kind]).newbyteorder(">")
        begin, end = self._pass(tuples, components, dtype)
        if tuples == self._tuples > 0:
            count = tuples * components

            def values() -> npt.NDArray[Any]:
                if self._binary:
                    return numbers_of(self.path, memoryview(self._content), begin, count, dtype, name)
                if text_scale == 1:
                    return self._in_text(name, begin, end, count, dtype.newbyteorder("="))
                parts = self._in_text(name, begin, end, count, np.dtype(np.float32))
                return np.rint(parts * np.float32(text_scale)).astype(dtype)

            self.arrays.append(Named(name, self._of_cells, components, dtype, values))

    def _pass(self, tuples: int, components: int, dtype: np.dtype[Any]) -> tuple[int, int]:
        """Skip numbers; returns their begin and end. In text each takes at least two bytes."""
        count, begin = tuples * components, self._at
        size = dtype.itemsize if self._binary else 2
        _memory.check_holds(self.path, f"{count} numbers", count * size, len(self._content) - begin + 1)
        if self._binary:
            self._at = min(begin + count * size, len(self._content))
        else:
            found = _NEXT_WORD.search(self._content, max(begin - 1, 0))
            self._at = len(self._content) if found is None else found.start() + 1
        return begin, self._at

    def _in_text(self, name: str, begin: int, end: int, count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        with _memory.foreign(self.path, "numbers in text"):
            found = np.fromstring(self._content[begin:end].decode("latin1"), dtype, sep=" ")
        if len(found) != count:
            raise Error(f"{self.path}: {name} has {len(found)} numbers, expected {count}; is it cut off?")
        return found

    def _skip_metadata(self) -> None:
        """Skip metadata, up to the next empty line."""
        while self._at < len(self._content) and self._line().strip():
            pass

    def _next_line(self) -> str:
        """The next non-blank line; an empty text at the end."""
        while self._at < len(self._content):
            line = self._line()
            if line.strip():
                return line
        return ""

    def _peek_line(self) -> str:
        at = self._at
        line = self._next_line()
        self._at = at
        return line

    def _line(self) -> str:
        end = self._content.find(b"\n", self._at, self._at + _LONGEST_LINE)
        end = min(self._at + _LONGEST_LINE, len(self._content)) if end < 0 else end
        line = self._content[self._at : end].decode("latin1")
        self._at = end + 1
        return line

    def _count(self, key: str, fields: list[str]) -> int:
        return int(self._numbers(key, fields, int, 0)[0]) if fields else self._wrong(key, fields)

    def _numbers(self, key: str, fields: list[str], kind: Any, least: float = -np.inf) -> list[Any]:
        try:
            found = [kind(each) for each in fields]
        except (ValueError, OverflowError):
            found = []
        if not found or (key in ("DIMENSIONS", "SPACING", "ASPECT_RATIO", "ORIGIN") and len(found) != 3):
            self._wrong(key, fields)
        if min(found) < least:
            self._wrong(key, fields)
        return found

    def _wrong(self, key: str, fields: list[str]) -> Any:
        raise Error(f"{self.path}: {key[:40]} says {' '.join(fields)[:40]!r}; expected numbers")
