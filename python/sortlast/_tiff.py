"""Reads TIFF files of any sample order and type as upright RGB or RGBA.

The package tifffile reads them; Pillow reads 8-bit samples in compressions that tifffile does not support.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast import _extras, _memory
from sortlast._errors import Error

Pixels = NDArray[np.float32]

# Values of fields of TIFF 6.0.
_UNCOMPRESSED, _JPEG, _LZMA = 1, 7, 34925
_DEFLATE = (8, 32946)
_WHITE_IS_ZERO, _BLACK_IS_ZERO, _RGB, _PALETTE, _YCBCR = 0, 1, 2, 3, 6
_UNSPECIFIED, _PREMULTIPLIED = 0, 1
_ORIENTATION = 274
_TIFFFILE = "tifffile"  # writes arrays of bool as they are, and declares them inverted

_OF_SAMPLE = 16  # bytes of memory per sample besides the sample: float32, concatenated and premultiplied
_OF_COLOUR = 12  # bytes per palette colour, or per grey pixel as RGB
_PADDED_TILE = 2**20  # a tile of up to this many pixels may exceed its image
_UNPACKED = 2**26  # compressed data that cannot exceed this many bytes are not checked


def read(path: Path, most: int | None) -> tuple[Pixels, bool]:
    """The pixels, (H, W, 3) or (H, W, 4), of a file's only image, and whether alpha is premultiplied.

    Raises :class:`sortlast.Error` for an unsupported kind of TIFF, and if reading needs more than ``most``
    bytes.
    """
    with _extras.needed(str(path)):
        import tifffile

    with tifffile.TiffFile(path) as file:
        pages: list[Any] = list(file.pages)
        images = [page for page in pages if not page.is_reduced and not page.is_mask]
        if len(images) != 1:
            raise Error(f"{path} holds {len(images)} images; expected one")
        page = images[0]
        _check_kind(path, page)
        _check_memory(path, page, most)
        try:
            samples = page.asarray(maxworkers=1)
        except ValueError as error:
            if "imagecodecs" not in str(error):
                raise
            return _with_pillow(path, page)
        return _pixels(path, page, samples)


def _check_kind(path: Path, page: Any) -> None:
    """Raise Error unless the samples are grey, palette or RGB, with or without alpha."""
    kind = int(page.photometric)
    known = (_WHITE_IS_ZERO, _BLACK_IS_ZERO, _RGB, _PALETTE)
    if kind not in known and (kind, int(page.compression)) != (_YCBCR, _JPEG):
        name = getattr(page.photometric, "name", kind)
        raise Error(f"{path} holds {name} samples; expected grey, palette or RGB")
    if page.axes not in ("YX", "YXS", "SYX"):
        raise Error(f"{path} has the axes {page.axes}; expected one image of height and width")
    if page.dtype is None or page.dtype.kind not in "bfu":
        raise Error(f"{path} holds samples of {page.dtype}; expected floats or unsigned numbers")
    extra = [int(each) for each in page.extrasamples]
    if int(page.samplesperpixel) < _colours(page) or (len(extra) > 1 and set(extra) == {_UNSPECIFIED}):
        raise Error(
            f"{path} has {page.samplesperpixel} samples per pixel, none of them marked as alpha; expected"
            f" {_colours(page)} and maybe alpha"
        )


def _colours(page: Any) -> int:
    """The number of colour samples per pixel."""
    return 3 if int(page.photometric) in (_RGB, _YCBCR) else 1


def _check_memory(path: Path, page: Any, most: int | None) -> None:
    """Raise Error if the header claims more than the file can hold, or more than ``most`` bytes of memory."""
    what = f"{page.imagewidth}x{page.imagelength} pixels"
    packed = int(sum(page.databytecounts))
    _memory.check_holds(path, what, packed, path.stat().st_size)
    if int(page.compression) == _UNCOMPRESSED:
        _memory.check_holds(path, what, -(-page.size * int(page.bitspersample) // 8), packed)
    area = int(page.imagewidth) * int(page.imagelength)
    if page.is_tiled and int(page.tilewidth) * int(page.tilelength) > max(_PADDED_TILE, 4 * area):
        raise Error(
            f"{path}: its tiles are {page.tilewidth}x{page.tilelength} pixels, for an image of {what}; it is"
            " damaged; get a new copy"
        )
    piece = int(np.prod(page.chunks, dtype=object)) * page.dtype.itemsize
    needs = page.nbytes + 2 * piece + _OF_SAMPLE * page.size + _OF_COLOUR * area
    _memory.check(path, what, needs, most)
    _check_pieces(path, page, piece)


def _check_pieces(path: Path, page: Any, size: int) -> None:
    """Raise Error if a strip or tile unpacks to more than ``size`` bytes, because tifffile has no limit."""
    lzma_coded = int(page.compression) == _LZMA
    if not lzma_coded and int(page.compression) not in _DEFLATE:
        return
    file = page.parent.filehandle
    for offset, count in zip(page.dataoffsets, page.databytecounts, strict=False):
        if not lzma_coded and count * _memory.DEFLATE_RATIO <= _UNPACKED:
            continue
        file.seek(offset)
        unpack: Any = (
            _extras.lzma(str(path)).LZMADecompressor(memlimit=_UNPACKED)
            if lzma_coded
            else zlib.decompressobj()
        )
        if len(unpack.decompress(file.read(count), size + 1)) > size:
            raise Error(f"{path}: a strip or tile holds more than its header claims; get a new copy")


def _pixels(path: Path, page: Any, samples: NDArray[Any]) -> tuple[Pixels, bool]:
    """Upright RGB or RGBA from the samples of the file."""
    if page.axes == "YX":
        samples = samples[..., np.newaxis]
    elif page.axes == "SYX":
        samples = np.moveaxis(samples, 0, 2)
    if samples.dtype.kind == "f":
        scaled = samples.astype(np.float32)
    else:
        scaled = samples.astype(np.float32) / np.float32(2 ** int(page.bitspersample) - 1)
    count, kind = _colours(page), int(page.photometric)
    colours = scaled[..., :count]
    if kind == _PALETTE:
        table = np.asarray(page.colormap, np.float32).T
        table /= np.float32(65535 if table.max() > 255 else 255)
        colours = table[samples[..., 0].astype(np.intp)]  # of two colours, samples are bool
    elif kind == _WHITE_IS_ZERO and not (samples.dtype == bool and page.software.startswith(_TIFFFILE)):
        colours = 1 - colours
    if colours.shape[2] == 1:
        colours = np.repeat(colours, 3, axis=2)
    extra = [int(each) for each in page.extrasamples]
    marked = [number for number, each in enumerate(extra) if each != _UNSPECIFIED] or [*range(len(extra))]
    if marked:
        colours = np.concatenate([colours, scaled[..., count + marked[0], np.newaxis]], axis=2)
    is_premultiplied = bool(marked) and extra[marked[0]] == _PREMULTIPLIED
    return _upright(path, page, np.asarray(colours, np.float32)), is_premultiplied


def _upright(path: Path, page: Any, pixels: Pixels) -> Pixels:
    """Turn pixels so that the first row is the top and the first column is the left."""
    tag = page.tags.get(_ORIENTATION)
    value = 1 if tag is None else int(tag.value)
    if not 0 <= value <= 8:
        raise Error(f"{path}: its orientation is {value}; expected a number from 1 to 8")
    if value >= 5:
        pixels = pixels.swapaxes(0, 1)
    if value in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if value in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return np.ascontiguousarray(pixels)


def _with_pillow(path: Path, page: Any) -> tuple[Pixels, bool]:
    """Read 8-bit samples in a compression that tifffile does not support; Pillow turns the image upright."""
    with _extras.needed(str(path)):
        from PIL.TiffImagePlugin import TiffImageFile

    if page.dtype.itemsize > 1:
        kind = getattr(page.compression, "name", page.compression)
        raise Error(f"{path}: {page.dtype} compressed by {kind} needs the package imagecodecs; install it")
    with TiffImageFile(path) as picture:
        picture.seek(page.index)
        picture.load()
        marked = picture.mode in ("RGBa", "RGBX")  # alpha is, or may be, premultiplied
        shown = picture if marked else picture.convert("RGBA" if picture.has_transparency_data else "RGB")
        return np.asarray(shown).astype(np.float32) / np.float32(255), picture.mode == "RGBa"
