"""Reads and writes image files as premultiplied float32 pixels.

=======  ==========================================================================================
suffix   pixels
=======  ==========================================================================================
png      8 bits per channel: grey, palette, RGB or RGBA with straight alpha (Pillow)
npy      (H, W, 3) or (H, W, 4), premultiplied; floats, or uint8 or uint16 (maximum: 1)
exr      R, G, B, A, premultiplied, or Y, of one part or layer, and depth in Z (package OpenEXR)
tif      grey, palette or RGB, of floats or up to 32 bits; the file states whether alpha is straight,
         which is the default (package tifffile)
=======  ==========================================================================================

An image covers the display window of an exr file; pixels outside the data window are empty. Orientation
tags are applied. The packages are optional: ``pip install "sortlast[files]"``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sortlast import Error, _exr, _extras, _image_claims, _memory, _tiff
from sortlast.files import STANDARD_OUTPUT, replacing

_OF_EXR = 48  # bytes of memory per pixel besides the file's channels: float32, stacked and placed

Pixels = NDArray[np.float32]
Function = TypeVar("Function")


@dataclass(frozen=True)
class Image:
    """``pixels``: (H, W, 3) or (H, W, 4), premultiplied; ``depth``: (H, W), or None.

    ``corner`` is the top left pixel, (x, y), of the display window in exr files.
    """

    pixels: Pixels
    depth: Pixels | None = None
    corner: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Place:
    """The top left corner, (x, y), of a file's frame, and whether some pixels of the file lie outside it."""

    corner: tuple[int, int] = (0, 0)
    cropped: bool = False


def read(path: str | Path, memory: int | None = None, layer: str | None = None) -> Image:
    """Read an image in the format of its suffix; the module lists the formats.

    ``memory`` limits the bytes of memory that reading may need; the default is half of the available memory.
    ``layer`` names the part or layer of an exr file; the default is R, G, B without a prefix, or the only
    layer. Raises :class:`sortlast.Error`, with the file's name, if the file cannot be read, is not an image
    or needs more memory.
    """
    path = Path(path)
    reader = _by_suffix(path, _READERS)
    with _memory.foreign(path, path.suffix[1:]):
        image = reader(path, _memory.limit(memory), layer)
    if image.pixels.ndim != 3 or image.pixels.shape[2] not in (3, 4):
        raise Error(f"{path} has the shape {image.pixels.shape}; expected (height, width, 3 or 4)")
    return image


def read_depth(path: str | Path, memory: int | None = None, layer: str | None = None) -> Pixels:
    """Read a depth plane, (H, W), from an npy file or the Z channel of an exr file.

    An exr file needs no colours, and its only channel may have any name. If a ``layer`` of this name has a
    Z channel, that one is read. Memory and errors are the same as in :func:`read`.
    """
    path = Path(path)
    if path.suffix.lower() not in (".npy", ".exr"):
        raise Error(f"cannot read depth from {path}: expected an npy file, or an exr file with a channel Z")
    with _memory.foreign(path, path.suffix[1:]):
        if path.suffix.lower() == ".exr":
            return _exr_depth(path, _memory.limit(memory), layer)
        depth = _image_claims.load_npy(path, _memory.limit(memory))
    if depth.ndim != 2:
        raise Error(f"{path} has the shape {depth.shape}; expected a depth plane, (height, width)")
    return np.ascontiguousarray(depth, dtype=np.float32)


def place(path: str | Path) -> Place:
    """The place of a file's frame: the display window of an exr file. Raises :class:`sortlast.Error`."""
    path = Path(path)
    if path.suffix.lower() != ".exr":
        return Place()
    found = _exr.parts(path)
    left, top, right, bottom = found[0].display
    cropped = any(
        part.data[0] < left or part.data[1] < top or part.data[2] > right or part.data[3] > bottom
        for part in found
    )
    return Place((left, top), cropped)


def write(path: str | Path, image: Image) -> None:
    """Write an image atomically in the format of its suffix. Only exr files store depth.

    Raises :class:`sortlast.Error` if the format is unknown or the file cannot be written.
    """
    path = Path(path)
    writer = _by_suffix(path, _WRITERS)
    with replacing(path) as temporary:
        writer(temporary, image)


def check_writable(path: str | Path) -> None:
    """Raise :class:`sortlast.Error` now if :func:`write` could not write this format."""
    _by_suffix(Path(path), _WRITERS)
    module = _OPTIONAL.get(_suffix(Path(path)))
    if module is not None:
        _optional(module, Path(path))


def premultiplied(straight: Pixels) -> Pixels:
    """Multiply colour by alpha; pixels without alpha are returned unchanged."""
    if straight.shape[2] == 3:
        return straight
    return np.concatenate([straight[..., :3] * straight[..., 3:], straight[..., 3:]], axis=2)


def straight(pixels: Pixels) -> Pixels:
    """Divide colour by alpha (at most 1); colour where alpha is 0 becomes 0."""
    if pixels.shape[2] == 3:
        return pixels
    alpha = np.clip(pixels[..., 3:], 0, 1)
    colour = np.divide(pixels[..., :3], alpha, out=np.zeros_like(pixels[..., :3]), where=alpha > 0)
    return np.concatenate([colour, alpha], axis=2)


def _suffix(path: Path) -> str:
    """The suffix that determines the format; standard output is png."""
    return ".png" if path == STANDARD_OUTPUT else path.suffix.lower()


def _by_suffix(path: Path, table: dict[str, Function]) -> Function:
    found = table.get(_suffix(path))
    if found is None:
        known = ", ".join(suffix[1:] for suffix in table)
        raise Error(f"{path}: no image format has the suffix {path.suffix!r}; known are {known}")
    return found


def _optional(name: str, path: Path) -> ModuleType:
    with _extras.needed(str(path)):
        return importlib.import_module(name)


def _as_float(pixels: NDArray[Any], path: Path) -> Pixels:
    kind, size = pixels.dtype.kind, pixels.dtype.itemsize
    if kind == "u" and size <= 2:
        return pixels.astype(np.float32) / np.float32(np.iinfo(pixels.dtype).max)
    if kind == "f" and size <= 8:
        return np.ascontiguousarray(pixels, dtype=np.float32)
    raise Error(f"{path} holds {pixels.dtype}; expected float64, float32, float16, uint16 or uint8")


def _to_bytes(pixels: Pixels) -> NDArray[np.uint8]:
    return np.rint(np.clip(np.nan_to_num(pixels), 0, 1) * 255).astype(np.uint8)


# --- one reader and one writer per format -------------------------------------------------------------


def _read_png(path: Path, most: int | None, _: str | None) -> Image:
    with _extras.needed(str(path)):
        from PIL import ImageOps
        from PIL.PngImagePlugin import PngImageFile

    _image_claims.check_png(path, most)
    with PngImageFile(path) as picture:  # open() has its own limit
        alpha = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
        values = np.asarray(ImageOps.exif_transpose(picture.convert("RGBA" if alpha else "RGB")))
    return Image(premultiplied(_as_float(values, path)))


def _write_png(path: Path, image: Image) -> None:
    with _extras.needed(str(path)):
        from PIL import Image as Pillow

    Pillow.fromarray(_to_bytes(straight(image.pixels))).save(path, format="png")


def _read_npy(path: Path, most: int | None, _: str | None) -> Image:
    return Image(_as_float(_image_claims.load_npy(path, most), path))


def _write_npy(path: Path, image: Image) -> None:
    with path.open("wb") as file:  # given a path, np.save would append a suffix
        np.save(file, image.pixels)


def _read_exr(path: Path, most: int | None, asked: str | None) -> Image:
    parts = _exr.parts(path)
    flat = [part for part in parts if not part.is_deep]
    if not flat:
        raise Error(f"{path} is a deep image, whose pixels are lists of fragments; see sortlast.deep_files")
    found, names = _exr.layers(flat, "RGB"), "RGB"
    if not found:  # grey, but not luminance with chroma
        found, names = [each for each in _exr.layers(flat, "Y") if not each.has("RY")], "YYY"
    if not found:
        there = ", ".join(name for part in flat for name in part.channels)
        raise Error(f"{path} has the channels {there}; expected R, G, B and maybe A and Z, or Y")
    layer = _exr.chosen(path, found, "colours", asked)
    if layer.has("A"):
        names += "A"
    layer.check_sampling(path, names)
    of_depth = _depth_layer(flat, layer)
    if of_depth is not None:
        of_depth.check_sampling(path, "Z")
    _exr.check(path, parts, most, _OF_EXR)

    read = _exr.pixels(path, [layer.part] if of_depth is None else [layer.part, of_depth.part])
    pixels = np.stack([_exr.plane(read, layer, name) for name in names], axis=2)
    if len(names) == 3 and layer.part.data != layer.part.display:  # only the data window is opaque
        pixels = np.concatenate([pixels, np.ones_like(pixels[..., :1])], axis=2)
    pixels = _exr.placed(pixels, layer.part, 0)
    depth = None
    if of_depth is not None:
        depth = _exr.placed(_exr.plane(read, of_depth, "Z"), of_depth.part, np.inf)
    return Image(pixels, depth, layer.part.display[:2])


def _depth_layer(parts: Sequence[_exr.Part], colours: _exr.Layer) -> _exr.Layer | None:
    """The layer with the Z of these colours: the same layer, else one in the same part, else the only Z."""
    found = _exr.layers(parts, "Z")
    same_part = [each for each in found if each.part is colours.part]
    same_layer = [each for each in same_part if each.prefix == colours.prefix]
    for few in (same_layer, [each for each in same_part if not each.prefix], found):
        if len(few) == 1:
            return few[0]
    return None


def _exr_depth(path: Path, most: int | None, asked: str | None) -> Pixels:
    parts = _exr.parts(path)
    flat = [part for part in parts if not part.is_deep]
    found, channel = _exr.layers(flat, "Z"), "Z"
    if not found and sum(len(part.channels) for part in flat) == 1:
        (part,) = (part for part in flat if part.channels)
        (channel,) = part.channels
        found = [_exr.Layer(part, "")]
    if not found:
        raise Error(f"{path} has no channel Z; a depth plane comes from there or from an npy file")
    if not any(each.answers_to(asked or "") for each in found):
        asked = None  # a layer of the colours, in another file
    layer = _exr.chosen(path, found, channel, asked)
    layer.check_sampling(path, [channel])
    _exr.check(path, parts, most, _OF_EXR)
    plane = _exr.plane(_exr.pixels(path, [layer.part]), layer, channel)
    return _exr.placed(plane, layer.part, np.inf)


def _write_exr(path: Path, image: Image) -> None:
    exr = _exr.package(path)
    height, width, count = image.pixels.shape
    channels = {
        name: np.ascontiguousarray(image.pixels[..., index]) for index, name in enumerate("RGBA"[:count])
    }
    if image.depth is not None:
        channels["Z"] = np.ascontiguousarray(image.depth)
    header = {"compression": exr.ZIP_COMPRESSION, "type": exr.scanlineimage}
    _exr.write(path, exr.File(header | _exr.windows(image.corner, width, height), channels))


def _read_tiff(path: Path, most: int | None, _: str | None) -> Image:
    pixels, is_premultiplied = _tiff.read(path, most)
    return Image(pixels if is_premultiplied else premultiplied(pixels))


def _write_tiff(path: Path, image: Image) -> None:
    tifffile = _optional("tifffile", path)
    extra = ["assocalpha"] if image.pixels.shape[2] == 4 else None
    with path.open("wb") as file:  # given a path, imwrite would follow a link
        tifffile.imwrite(file, image.pixels, photometric="rgb", extrasamples=extra)


_READERS: dict[str, Callable[[Path, int | None, str | None], Image]] = {
    ".png": _read_png,
    ".npy": _read_npy,
    ".exr": _read_exr,
    ".tif": _read_tiff,
    ".tiff": _read_tiff,
}
_WRITERS: dict[str, Callable[[Path, Image], None]] = {
    ".png": _write_png,
    ".npy": _write_npy,
    ".exr": _write_exr,
    ".tif": _write_tiff,
    ".tiff": _write_tiff,
}
_OPTIONAL = {".png": "PIL", ".exr": "OpenEXR", ".tif": "tifffile", ".tiff": "tifffile"}
