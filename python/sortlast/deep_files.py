"""Deep images in and out: OpenEXR files whose pixels hold lists of fragments, in deep scan lines.

The channels are R, G, B and A, premultiplied, Z, the depth, and ZBack, where fragments end that are
intervals; half floats and, where A is missing, opaque fragments are read, too. Names in capitals, as the
format has them; further channels (ids, velocities) become channels of the fragments, half floats as float32.
Needs the package OpenEXR: ``pip install "sortlast[files]"``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast import _image_claims, _memory, image_files
from sortlast._errors import Error
from sortlast._fragments import Fragments
from sortlast.files import replacing

_OF_FRAGMENTS = ("R", "G", "B", "A", "Z", "ZBack")
_OF_LISTS = 160  # bytes of a pixel's list of one channel, beside its numbers: an array's object


def is_deep(path: str | Path) -> bool:
    """Whether a file is an OpenEXR file of deep scan lines, by its header.

    Raises :class:`sortlast.Error`, naming the file, for one that ends with exr and is none.
    """
    path = Path(path)
    if path.suffix.lower() != ".exr":
        return False
    exr = image_files.needed_package(path)
    with _memory.foreign(path, "exr"), image_files.unheard(), exr.File(str(path), header_only=True) as file:
        return any(part.header.get("type") == exr.deepscanline for part in file.parts[:1])


def read(path: str | Path, memory: int | None = None) -> Fragments:
    """Read the fragments of a file.

    ``memory`` is the most that it may take, in bytes; if not given, half of what is available. Raises
    :class:`sortlast.Error`, naming the file, if it cannot be read, is not deep or needs more.
    """
    path = Path(path)
    exr = image_files.needed_package(path)
    most = _memory.limit(memory)
    with _memory.foreign(path, "exr"):
        width, height, named = _image_claims.exr_extents(path)
        _memory.check(path, f"{width}x{height} deep pixels", width * height * named * _OF_LISTS, most)
        with image_files.unheard(), exr.File(str(path), separate_channels=True) as file:
            channels = {name: channel.pixels for name, channel in _part(file, exr, path).channels.items()}
    missing = [name for name in "RGBZ" if name not in channels]
    if missing:
        raise Error(
            f"{path} has the channels {', '.join(channels)}; expected R, G, B, Z and maybe A, of one part"
        )
    counts, planes = _lists(channels, path)
    if "A" not in planes:
        planes["A"] = np.ones_like(planes["Z"])
    colour = np.stack([planes.pop(name) for name in "RGBA"], axis=1)
    depth = planes.pop("Z")
    back = _intervals(depth, planes.pop("ZBack", depth), path)
    return Fragments((width, height), counts, np.ascontiguousarray(colour), depth, back, planes or None)


def write(path: str | Path, fragments: Fragments) -> None:
    """Write fragments to a file, whole or not at all; colours of uint8 as parts of 1.

    Raises :class:`sortlast.Error` if it does not end with exr, two channels would have one name in the file,
    or the place cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() != ".exr":
        raise Error(f"{path}: deep images are written as exr; name a file that ends so")
    exr = image_files.needed_package(path)
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
    with replacing(path) as temporary:
        exr.File(header, channels).write(str(temporary))


def _part(file: Any, exr: Any, path: Path) -> Any:
    if not file.parts or file.parts[0].header.get("type") != exr.deepscanline:
        raise Error(f"{path} has no deep scan lines; expected an OpenEXR file with them")
    return file.parts[0]


def _intervals(depth: NDArray[Any], back: NDArray[Any], path: Path) -> NDArray[np.float32] | None:
    """Where fragments end; None if all end where they begin."""
    ends = (back == depth) | (np.isnan(depth) & np.isnan(back))
    if ends.all():
        return None
    if not (ends | (np.isfinite(depth) & np.isfinite(back) & (back > depth))).all():
        raise Error(f"{path} has fragments whose ZBack lies in front of their Z, or is not finite")
    return back


def _floats(colour: NDArray[Any]) -> NDArray[np.float32]:
    """Colours as float32; parts of 255 become parts of 1."""
    colour = np.asarray(colour)
    if colour.dtype == np.uint8:
        return colour.astype(np.float32) / np.float32(255)
    return np.asarray(colour, np.float32)


def _further(fragments: Fragments, path: Path) -> dict[str, NDArray[Any]]:
    """The channels as planes of one value each: those of several values get numbers behind a dot."""
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
    """How many fragments each pixel has, and the numbers of all, channel by channel."""
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
    """An array of lists, as the package takes them."""
    lists = np.empty(counts.size, object)
    for number, part in enumerate(np.split(np.ascontiguousarray(plane), cuts)):
        lists[number] = part
    return lists.reshape(counts.shape)
