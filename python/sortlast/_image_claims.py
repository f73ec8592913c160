"""Checks the claims of an image file's header against the file and the memory before reading pixels."""

from __future__ import annotations

import ast
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from sortlast import _memory
from sortlast._errors import Error

# Peak bytes per pixel while reading: the decoded pixels, their float32 copy, and the premultiplied copy.
_OF_PNG = 52

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by colour type
_NPY_MAGIC = b"\x93NUMPY"
_NPY_LENGTH = 2**63
_NPY_TEXT = 10_000  # bytes of the longest header, as in numpy


def check_png(path: Path, most: int | None) -> None:
    """Raise :class:`sortlast.Error` if a file is no PNG, or claims more than its bytes or memory can hold."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(33)
    if len(head) < 33 or not head.startswith(_PNG_SIGNATURE) or head[12:16] != b"IHDR":
        raise Error(f"cannot read {path} as png: it is none")
    width, height, depth, colour = struct.unpack(">IIBB", head[16:26])
    if not width or not height or colour not in _PNG_CHANNELS:
        raise Error(f"cannot read {path} as png: its header is damaged; get a new copy")
    if depth == 16:  # Pillow would silently reduce it to 8
        raise Error(f"{path} has 16 bits a channel; convert it to exr, tif or npy to keep them")
    row = 1 + -(-width * depth * _PNG_CHANNELS[colour] // 8)
    _memory.check_holds(path, f"{width}x{height} pixels", row * height, size, _memory.DEFLATE_RATIO)
    _memory.check(path, f"{width}x{height} pixels", _OF_PNG * width * height, most)


def load_npy(path: Path, most: int | None) -> NDArray[np.generic]:
    """The array of an npy file. Raises :class:`sortlast.Error` like :func:`check_png`."""
    size = path.stat().st_size
    with path.open("rb") as file:
        shape, fortran, dtype = _npy_header(file, path, size)
        count = 1
        for length in shape:
            count *= length
        what = f"{'x'.join(map(str, shape))} values of {dtype}"
        _memory.check_holds(path, what, count * dtype.itemsize, size - file.tell())
        _memory.check(path, what, count * (dtype.itemsize + 8), most)
        values = np.fromfile(file, dtype, count)
    return values.reshape(shape, order="F" if fortran else "C")


def _npy_header(file: BinaryIO, path: Path, size: int) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    """Shape, whether the first index runs fastest, and type."""
    head = file.read(8)
    if not head.startswith(_NPY_MAGIC) or len(head) < 8:
        raise Error(f"cannot read {path} as npy: it is none")
    form = "<H" if head[6] == 1 else "<I"
    text = file.read(struct.calcsize(form))
    length = struct.unpack(form, text)[0] if len(text) == struct.calcsize(form) else size + 1
    _memory.check_holds(path, "a header of text", length, size - file.tell())
    if length > _NPY_TEXT:
        raise Error(
            f"cannot read {path} as npy: its header has {length:,} bytes; expected up to {_NPY_TEXT:,}"
        )
    try:
        found = ast.literal_eval(file.read(length).decode("latin1").strip())
        shape, fortran, dtype = found["shape"], found["fortran_order"], np.dtype(found["descr"])
        whole = all(type(each) is int and 0 <= each < _NPY_LENGTH for each in shape)
    except Exception as error:  # any exception of ast and numpy on damaged text
        raise Error(f"cannot read {path} as npy: its header is damaged; get a new copy") from error
    if not whole or dtype.kind not in "iufb":
        raise Error(f"{path} holds {dtype} in the shape {str(shape)[:80]}; expected an array of numbers")
    return tuple(shape), bool(fortran), dtype
