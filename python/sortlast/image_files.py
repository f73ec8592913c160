"""Image files in and out, as premultiplied float32 pixels.

=======  =====================================================================================
suffix   pixels
=======  =====================================================================================
png      8 bits a channel, RGB or RGBA with straight alpha (Pillow)
npy      (H, W, 3) or (H, W, 4), premultiplied; float64, 32 or 16, or uint8 (0 to 255 for 0 to 1)
exr      R, G, B, A, premultiplied, and depth in Z (package OpenEXR)
tif      float or 8 bits, RGB or RGBA; alpha as the file says, straight if it does not (package tifffile)
=======  =====================================================================================

The packages are optional: ``pip install "sortlast[files]"``.
"""

from __future__ import annotations

import ctypes
import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sortlast import Error, _extras, _image_claims, _memory
from sortlast.files import STANDARD_OUTPUT, replacing

Pixels = NDArray[np.float32]
Function = TypeVar("Function")

_PREMULTIPLIED_TIFF = 1  # value of the ExtraSamples field
_UNCOMPRESSED_TIFF = 1  # value of the Compression field
_TAKEN_BY_TIFF = 12  # bytes of a channel's value: float32, and that premultiplied


@dataclass(frozen=True)
class Image:
    """``pixels``: (H, W, 3) or (H, W, 4), premultiplied; ``depth``: (H, W), or None."""

    pixels: Pixels
    depth: Pixels | None = None


def read(path: str | Path, memory: int | None = None) -> Image:
    """Read an image by its suffix; see the module for the formats.

    ``memory`` is the most that it may take, in bytes; if not given, half of what is available. Raises
    :class:`sortlast.Error`, naming the file, if it cannot be read, is no such image or needs more.
    """
    path = Path(path)
    reader = _by_suffix(path, _READERS)
    with _memory.foreign(path, path.suffix[1:]):
        image = reader(path, _memory.limit(memory))
    if image.pixels.ndim != 3 or image.pixels.shape[2] not in (3, 4):
        raise Error(f"{path} has the shape {image.pixels.shape}; expected (height, width, 3 or 4)")
    return image


def read_depth(path: str | Path, memory: int | None = None) -> Pixels:
    """Read a depth plane, (H, W), from an npy file or the Z channel of an exr file; else as :func:`read`."""
    path = Path(path)
    if path.suffix.lower() == ".exr":
        plane = read(path, memory).depth
        if plane is None:
            raise Error(f"{path} has no channel Z; a depth plane comes from there or from an npy file")
        return plane
    if path.suffix.lower() != ".npy":
        raise Error(f"cannot read depth from {path}: expected an npy file, or an exr file with a channel Z")
    with _memory.foreign(path, "npy"):
        depth = _image_claims.load_npy(path, _memory.limit(memory))
    if depth.ndim != 2:
        raise Error(f"{path} has the shape {depth.shape}; expected a depth plane, (height, width)")
    return np.ascontiguousarray(depth, dtype=np.float32)


def write(path: str | Path, image: Image) -> None:
    """Write an image by its suffix, whole or not at all; depth goes into exr files alone.

    Raises :class:`sortlast.Error` if the format is unknown or the place cannot be written.
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
    """Pixels whose colour is multiplied by alpha; pixels without alpha stay as they are."""
    if straight.shape[2] == 3:
        return straight
    return np.concatenate([straight[..., :3] * straight[..., 3:], straight[..., 3:]], axis=2)


def straight(pixels: Pixels) -> Pixels:
    """Pixels whose colour is divided by alpha (at most 1); colour where alpha is 0 becomes 0."""
    if pixels.shape[2] == 3:
        return pixels
    alpha = np.clip(pixels[..., 3:], 0, 1)
    colour = np.divide(pixels[..., :3], alpha, out=np.zeros_like(pixels[..., :3]), where=alpha > 0)
    return np.concatenate([colour, alpha], axis=2)


def _suffix(path: Path) -> str:
    """What tells the format; what goes to standard output is png."""
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
    if pixels.dtype == np.uint8:
        return pixels.astype(np.float32) / np.float32(255)
    if pixels.dtype in (np.float64, np.float32, np.float16):
        return np.ascontiguousarray(pixels, dtype=np.float32)
    raise Error(f"{path} holds {pixels.dtype}; expected float64, float32, float16 or uint8")


def _to_bytes(pixels: Pixels) -> NDArray[np.uint8]:
    return np.rint(np.clip(np.nan_to_num(pixels), 0, 1) * 255).astype(np.uint8)


# --- one reader and one writer a format ---------------------------------------------------------------


def _read_png(path: Path, most: int | None) -> Image:
    with _extras.needed(str(path)):
        from PIL.PngImagePlugin import PngImageFile

    _image_claims.check_png(path, most)
    with PngImageFile(path) as picture:  # and not open(), whose own limit knows nothing of the memory
        alpha = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
        values = np.asarray(picture.convert("RGBA" if alpha else "RGB"))
    return Image(premultiplied(_as_float(values, path)))


def _write_png(path: Path, image: Image) -> None:
    with _extras.needed(str(path)):
        from PIL import Image as Pillow

    Pillow.fromarray(_to_bytes(straight(image.pixels))).save(path, format="png")


def _read_npy(path: Path, most: int | None) -> Image:
    return Image(_as_float(_image_claims.load_npy(path, most), path))


def _write_npy(path: Path, image: Image) -> None:
    np.save(path, image.pixels)


def needed_package(path: Path) -> ModuleType:
    """The package OpenEXR, or MissingExtraError: ``path`` needs it."""
    return _optional("OpenEXR", path)


def _read_exr(path: Path, most: int | None) -> Image:
    exr = _optional("OpenEXR", path)
    _image_claims.check_exr(path, most)
    with unheard(), exr.File(str(path), separate_channels=True) as file:
        if not file.parts:
            raise Error(f"cannot read {path} as exr: its pixels are damaged; get it anew")
        if file.parts[0].header.get("type") in (exr.deepscanline, exr.deeptile):
            raise Error(
                f"{path} is a deep image, whose pixels are lists of fragments; see sortlast.deep_files"
            )
        channels = {name: channel.pixels for name, channel in file.channels().items()}
    missing = [name for name in "RGB" if name not in channels]
    if missing:
        raise Error(f"{path} has the channels {', '.join(channels)}; expected R, G, B and maybe A and Z")
    names = "RGBA" if "A" in channels else "RGB"
    pixels = np.stack([channels[name].astype(np.float32) for name in names], axis=2)
    depth = channels.get("Z")
    return Image(pixels, None if depth is None else np.ascontiguousarray(depth, dtype=np.float32))


@contextmanager
def unheard() -> Iterator[None]:
    """Within: what compiled code prints is lost, as OpenEXR does of a damaged file, on both outputs."""
    library = ctypes.CDLL(None)
    library.fflush(None)
    outputs = (1, 2)
    kept = [os.dup(each) for each in outputs]
    try:
        with open(os.devnull, "wb") as nothing:
            for each in outputs:
                os.dup2(nothing.fileno(), each)
        yield
    finally:
        library.fflush(None)
        for each, copy in zip(outputs, kept, strict=True):
            os.dup2(copy, each)
            os.close(copy)


def _write_exr(path: Path, image: Image) -> None:
    exr = _optional("OpenEXR", path)
    channels = {
        name: np.ascontiguousarray(image.pixels[..., index])
        for index, name in enumerate("RGBA"[: image.pixels.shape[2]])
    }
    if image.depth is not None:
        channels["Z"] = np.ascontiguousarray(image.depth)
    header = {"compression": exr.ZIP_COMPRESSION, "type": exr.scanlineimage}
    exr.File(header, channels).write(str(path))


def _read_tiff(path: Path, most: int | None) -> Image:
    tifffile = _optional("tifffile", path)
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        what = f"{page.imagewidth}x{page.imagelength} pixels"
        packed = int(sum(page.databytecounts))
        _memory.check_holds(path, what, packed, path.stat().st_size)
        if int(page.compression) == _UNCOMPRESSED_TIFF:
            _memory.check_holds(path, what, page.nbytes, packed)
        _memory.check(path, what, page.nbytes + _TAKEN_BY_TIFF * page.size, most)
        pixels = _as_float(page.asarray(), path)
        alpha_is_premultiplied = tuple(int(kind) for kind in page.extrasamples) == (_PREMULTIPLIED_TIFF,)
    return Image(pixels if alpha_is_premultiplied or pixels.ndim != 3 else premultiplied(pixels))


def _write_tiff(path: Path, image: Image) -> None:
    tifffile = _optional("tifffile", path)
    extra = ["assocalpha"] if image.pixels.shape[2] == 4 else None
    tifffile.imwrite(path, image.pixels, photometric="rgb", extrasamples=extra)


_READERS: dict[str, Callable[[Path, int | None], Image]] = {
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
