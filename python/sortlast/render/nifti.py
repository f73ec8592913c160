"""NIfTI files (.nii, .nii.gz), read by nibabel: one time and one component, in canonical orientation."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np

from sortlast import Error, _extras, _memory

from .source import Source, Wanted

_HEADER = 540  # bytes of the longest kind of header
_COPIES = 2  # number of copies of an extension that nibabel holds
_SCALED = 8  # bytes per voxel once nibabel has applied the file's slope and intercept


def read(path: Path, wanted: Wanted) -> Source:
    """Read a volume. Raises sortlast.Error."""
    with _extras.needed("reading NIfTI"):
        import nibabel
    with _memory.foreign(path, "NIfTI"):
        _check_extensions(path, (nibabel.Nifti1Header, nibabel.Nifti2Header), wanted)
        image = nibabel.load(path)
        return _chosen(path, image, nibabel.orientations, wanted)


def _check_extensions(path: Path, kinds: Any, wanted: Wanted) -> None:
    """Raise sortlast.Error if extensions, which nibabel reads on loading, would take too much memory."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        head = file.read(_HEADER)
    for kind in kinds:
        if kind.may_contain_header(head):
            offset = int(kind(head[: kind.sizeof_hdr], check=False)["vox_offset"])
            _memory.check(path, "the extensions of its header", _COPIES * offset, wanted.memory)


def _chosen(path: Path, image: Any, orientations: Any, wanted: Wanted) -> Source:
    """The voxels of one time and one component, oriented so that x, y and z point right, forward and up."""
    # Check the header's claims against the file.
    shape = tuple(int(length) for length in image.shape)
    space = shape[:3]
    if len(space) != 3 or min(shape) < 1 or len(shape) > 5:
        raise Error(f"{path}: expected voxels in three dimensions, and times and components, got {shape}")
    itemsize = image.get_data_dtype().itemsize
    _check_held(path, shape, itemsize, int(image.dataobj.offset))
    wanted.check(path, space, itemsize + _SCALED)

    # The first further dimension is time, the second holds components.
    times, components = (*shape[3:], 1, 1)[:2]
    index = (wanted.index(path, "time", times), wanted.index(path, "component", components))
    voxels = np.asarray(image.dataobj[(..., *index[: len(shape) - 3])])

    # Apply the canonical orientation, like as_closest_canonical(), but to one time only.
    turn = orientations.io_orientation(image.affine)
    zooms = [float(zoom) for zoom in image.header.get_zooms()[:3]]
    spacing = [zooms[int(np.flatnonzero(turn[:, 0] == axis)[0])] for axis in range(3)]
    turned = orientations.apply_orientation(voxels, turn)
    remarks = wanted.remark("time", times) + wanted.remark("component", components)
    return Source(turned, (spacing[0], spacing[1], spacing[2]), remarks)


def _check_held(path: Path, shape: tuple[int, ...], itemsize: int, offset: int) -> None:
    """Raise sortlast.Error if the file is too short for the voxels in its header."""
    size, count = path.stat().st_size, 1
    for length in shape:
        count *= length
    what = f"{'x'.join(map(str, shape))} voxels"
    if path.suffix == ".gz":
        _memory.check_holds(path, what, count * itemsize, size, _memory.DEFLATE_RATIO)
    else:
        _memory.check_holds(path, what, count * itemsize, max(0, size - offset))
