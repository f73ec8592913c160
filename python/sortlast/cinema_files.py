"""Layers of deep images as Cinema databases, for Cinema's viewers and pycinema.

A database is a folder NAME.cdb of Cinema's specification D: data.csv has one row per layer, with its number
and its file, front to back. Layer k contains the k-th fragment in depth of every pixel, as in depth peeling:
`over`, layer by layer, gives the flattened image, and any subset of layers can be composited separately. The
file of a layer is HDF5 in pycinema's form, with each channel a dataset of the group `channels`:

- rgba: (height, width, 4) uint8 with straight alpha, for viewers;
- colour: (height, width, 4) float32, premultiplied: the unmodified fragments;
- depth: (height, width) float32, infinite where the layer has no fragment.

The group `meta` holds the layer's number. Needs the package h5py: ``pip install "sortlast[files]"``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast import _extras, image_files
from sortlast._errors import Error
from sortlast._fragments import Fragments
from sortlast.files import new_folder


def check_place(folder: str | Path) -> None:
    """Raise :class:`sortlast.Error` if :func:`write` could not make a database. Makes nothing."""
    folder = Path(folder)
    if folder.suffix.lower() != ".cdb":
        raise Error(f"{folder}: layers are written as a Cinema database; name a folder that ends with .cdb")
    _h5py(folder)
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists() or folder.is_symlink():
        raise Error(f"cannot write {folder}: it is there already; remove it, or name another folder")
    if not folder.parent.is_dir():
        raise Error(
            f"cannot write {folder}: there is no folder {folder.parent}; make it, or name another place"
        )


def write(folder: str | Path, fragments: Fragments) -> int:
    """Write the layers of fragments into a new folder, and return their number, at least one.

    The folder is created atomically. Fragments of equal depth in a pixel keep their order. Raises
    :class:`sortlast.Error` if the folder's name does not end with .cdb, if it exists and is not empty, or if
    it cannot be written.
    """
    folder = Path(folder)
    check_place(folder)
    h5py = _h5py(folder)
    rows = []
    with new_folder(folder) as temporary:
        for number, (colour, depth) in enumerate(layers(fragments)):
            rows.append((number, f"layer-{number:03}.h5"))
            channels: dict[str, NDArray[Any]] = {"rgba": _shown(colour), "colour": colour, "depth": depth}
            # In memory first: HDF5 crashes the process if it cannot write to a full disk.
            made = io.BytesIO()
            with h5py.File(made, "w") as file:
                for name, values in channels.items():
                    compression = "gzip" if values.size else None
                    file.create_dataset(f"channels/{name}", data=values, compression=compression)
                file["meta/layer"] = number
            (temporary / rows[-1][1]).write_bytes(made.getbuffer())
        with (temporary / "data.csv").open("w", newline="") as table:
            csv.writer(table, lineterminator="\n").writerows([("layer", "FILE"), *rows])
    return len(rows)


def layers(fragments: Fragments) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Iterate over the layers of fragments front to back, at least one.

    Each has the colour (height, width, 4), premultiplied, and the depth (height, width): 0 and infinite where
    there is no fragment. :meth:`sortlast.Fragments.from_layers` converts them back to fragments.
    """
    height, width = fragments.shape
    counts = np.asarray(fragments.counts).ravel()
    pixels = np.repeat(np.arange(counts.size), counts)
    order = np.lexsort((fragments.depth, pixels))  # stable; sorts NaN last
    firsts = np.cumsum(counts, dtype=np.int64) - counts
    for layer in range(max(1, int(counts.max(initial=0)))):
        there = np.flatnonzero(counts > layer)
        chosen = order[firsts[there] + layer]
        colour = np.zeros((counts.size, 4), np.float32)
        depth = np.full(counts.size, np.inf, np.float32)
        colour[there], depth[there] = fragments.colour[chosen], fragments.depth[chosen]
        yield colour.reshape(height, width, 4), depth.reshape(height, width)


def _shown(colour: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Convert premultiplied colours to bytes with straight alpha."""
    straight = np.nan_to_num(image_files.straight(colour))
    shown: NDArray[Any] = np.rint(255 * np.clip(straight, 0, 1))
    return shown.astype(np.uint8)


def _h5py(folder: Path) -> ModuleType:
    with _extras.needed(str(folder)):
        import h5py
    module: ModuleType = h5py
    return module
