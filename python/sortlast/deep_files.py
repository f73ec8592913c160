"""Reads and writes deep images: OpenEXR files with a list of fragments per pixel, in deep scan lines.

The channels are R, G, B and A (premultiplied), Z (the depth) and ZBack (the end of a fragment that is an
interval). Without A, fragments are opaque. Half floats are read as float32. Names are in capitals, as the
format defines them. Further channels (ids, velocities) become channels of the fragments. The image covers the
display window; pixels outside the data window have no fragments. Requires the package OpenEXR:
``pip install "sortlast[files]"``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast import _exr, _memory
from sortlast._errors import Error
from sortlast._fragments import Fragments
from sortlast.files import replacing

_OF_FRAGMENTS = ("R", "G", "B", "A", "Z", "ZBack")
_OF_PIXEL = 16  # bytes of memory per pixel besides its fragments: counts and offsets


def is_deep(path: str | Path) -> bool:
    """Whether the headers of a file describe deep scan lines and no flat RGB image.

    Raises :class:`sortlast.Error`, with the file's name, if its suffix is exr and it is not an OpenEXR file.
    """
    path = Path(path)
    if path.suffix.lower() != ".exr":
        return False
    parts = _exr.parts(path)
    flat = [part for part in parts if not part.is_deep]
    return any(part.has_deep_lines for part in parts) and not _exr.layers(flat, "RGB")


def read(path: str | Path, memory: int | None = None) -> Fragments:
    """Read the fragments of a file.

    ``memory`` limits the bytes of memory that reading may need; the default is half of the available memory.
    Raises :class:`sortlast.Error`, with the file's name, if the file cannot be read, is not deep or needs
    more memory.
    """
    path = Path(path)
    most = _memory.limit(memory)
    with _memory.foreign(path, "exr"):
        parts = _exr.parts(path)
        part = _part(parts, path)
        _exr.check(path, parts, most, _OF_PIXEL)
        channels = _exr.pixels(path, [part])[part.index]
    counts, planes = _placed(*_lists(channels, path), part)
    if "A" not in planes:
        planes["A"] = np.ones_like(planes["Z"])
    colour = np.stack([planes.pop(name) for name in "RGBA"], axis=1)
    depth = planes.pop("Z")
    back = _intervals(depth, planes.pop("ZBack", depth), path)
    return Fragments(counts.shape, counts, np.ascontiguousarray(colour), depth, back, planes or None)


def write(path: str | Path, fragments: Fragments, corner: tuple[int, int] = (0, 0)) -> None:
    """Write fragments to a file atomically. Colours of uint8 are divided by 255.

    ``corner`` is the top left pixel, (x, y), of the display window. Raises :class:`sortlast.Error` if the
    suffix is not exr, two channels would have the same name, or the file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() != ".exr":
        raise Error(f"{path}: deep images are written as exr; name a file that ends so")
    exr = _exr.package(path)
    counts = np.asarray(fragments.counts)
    if counts.size == 0:
        raise Error(f"{path}: an image without pixels cannot be written as exr")
    cuts = np.cumsum(counts.ravel())[:-1]
    planes = dict(zip("RGBA", _floats(fragments.colour).T, strict=True))
    planes["Z"] = np.asarray(fragments.depth, np.float32)
    if fragments.depth_back is not None:
        planes["ZBack"] = np.asarray(fragments.depth_back, np.float32)
    planes |= _further(fragments, path)
    channels = {name: _objects(plane, cuts, counts) for name, plane in planes.items()}
    header = {"compression": exr.ZIPS_COMPRESSION, "type": exr.deepscanline}
    height, width = fragments.shape
    header |= _exr.windows(corner, width, height)
    with replacing(path) as temporary:
        _exr.write(temporary, exr.File(header, channels))


def _part(parts: list[_exr.Part], path: Path) -> _exr.Part:
    """The only deep scan line part with colours and depth. Raises :class:`sortlast.Error`."""
    deep = [part for part in parts if part.has_deep_lines]
    if not deep:
        raise Error(f"{path} has no deep scan lines; expected an OpenEXR file with them")
    found = [layer.part for layer in _exr.layers(deep, "RGBZ") if not layer.prefix]
    if not found:
        names = ", ".join(name for part in deep for name in part.channels)
        raise Error(f"{path} has the channels {names}; expected R, G, B, Z and maybe A, of one part")
    if len(found) > 1:
        names = ", ".join(part.name for part in found)
        raise Error(f"{path} has several deep images, in the parts {names}; expected one")
    return found[0]


def _placed(
    counts: NDArray[np.int32], planes: dict[str, NDArray[Any]], part: _exr.Part
) -> tuple[NDArray[np.int32], dict[str, NDArray[Any]]]:
    """Move counts and planes from the data window to the display window; fragments outside it are dropped."""
    if part.data == part.display:
        return counts, planes
    x, y = np.arange(part.data[0], part.data[2]), np.arange(part.data[1], part.data[3])
    left, top, right, bottom = part.display
    inside = ((y >= top) & (y < bottom))[:, np.newaxis] & ((x >= left) & (x < right))
    if not inside.all():
        kept = np.repeat(inside.ravel(), counts.ravel())
        planes = {name: plane[kept] for name, plane in planes.items()}
    return _exr.placed(counts, part, 0), planes


def _intervals(depth: NDArray[Any], back: NDArray[Any], path: Path) -> NDArray[np.float32] | None:
    """The depth at which each fragment ends; None if no fragment is an interval."""
    ends = (back == depth) | (np.isnan(depth) & np.isnan(back))
    if ends.all():
        return None
    if not (ends | (np.isfinite(depth) & np.isfinite(back) & (back > depth))).all():
        raise Error(f"{path} has fragments whose ZBack lies in front of their Z, or is not finite")
    return back


def _floats(colour: NDArray[Any]) -> NDArray[np.float32]:
    """Colours as float32; uint8 is divided by 255."""
    colour = np.asarray(colour)
    if colour.dtype == np.uint8:
        return colour.astype(np.float32) / np.float32(255)
    return np.asarray(colour, np.float32)


def _further(fragments: Fragments, path: Path) -> dict[str, NDArray[Any]]:
    """The channels as planes of one value per fragment; a component's number follows the name and a dot."""
    planes: dict[str, NDArray[Any]] = {}
    for name, values in (fragments.channels or {}).items():
        several = np.atleast_2d(np.asarray(values).T)
        for number, plane in enumerate(several):
            written = name if len(several) == 1 else f"{name}.{number}"
            if written in planes or written in _OF_FRAGMENTS:
                raise Error(
                    f"{path}: a channel of the fragments has the name {written}, which is taken; rename it"
                )
            planes[written] = plane
    return planes


def _lists(
    channels: dict[str, NDArray[Any]], path: Path
) -> tuple[NDArray[np.int32], dict[str, NDArray[Any]]]:
    """The number of fragments per pixel, and the values of all fragments, by channel."""
    planes = {}
    counts = None
    for name, lists in channels.items():
        found = np.array([0 if each is None else len(each) for each in lists.ravel()], np.int32)
        if counts is not None and not np.array_equal(found, counts):
            raise Error(f"{path}: its channels have different numbers of fragments in a pixel")
        counts = found
        some = [each for each in lists.ravel() if each is not None]
        plane = np.concatenate(some) if some else np.zeros(0)
        whole = plane.dtype == np.uint32 and name not in _OF_FRAGMENTS
        planes[name] = np.ascontiguousarray(plane, np.uint32 if whole else np.float32)
    assert counts is not None
    return counts.reshape(channels["Z"].shape), planes


def _objects(plane: NDArray[Any], cuts: NDArray[Any], counts: NDArray[Any]) -> NDArray[Any]:
    """An array of lists, the form that the package OpenEXR writes."""
    lists = np.empty(counts.size, object)
    for number, part in enumerate(np.split(np.ascontiguousarray(plane), cuts)):
        lists[number] = part
    return lists.reshape(counts.shape)
