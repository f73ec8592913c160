"""Reading volumes: named ones from packages, and files.

Every reader gives a `Volume`: float32 voxels in [0, 1], scaled over the whole volume at once. Blocks scaled
separately would not match at their faces.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sortlast import Error, _memory

from . import metaimage, nifti, vtk_legacy, vtk_xml
from .blocks import Spacing
from .source import Source, Wanted

NAMED = {
    "mni152": "MNI152 T1 brain, 1 mm (pip install --no-deps nilearn)",
    "ch2better": "T1 head, 0.5 mm (apt-get install mricron-data)",
    "hydrogen": "3d orbital of the hydrogen atom, computed",
}
FORMATS = (
    "NIfTI (.nii, .nii.gz), VTK image (.vti, legacy .vtk), MetaImage (.mha, .mhd) or FILE.raw:XxYxZ:DTYPE"
)
_READERS: dict[str, Callable[[Path, Wanted], Source]] = {
    ".nii": nifti.read,
    ".nii.gz": nifti.read,
    ".vti": vtk_xml.read,
    ".vtk": vtk_legacy.read,
    ".mha": metaimage.read,
    ".mhd": metaimage.read,
}

NILEARN_FILE = "datasets/data/mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
CH2BETTER_FILE = Path("/usr/share/mricron/templates/ch2better.nii.gz")
LEAST_STEP = 1e-12  # of a spacing; the maximum is its inverse, so that squares of lengths stay in range
LARGEST = 1e37  # magnitude of a voxel, so that differences are float32
WHITE = 99.9  # percentile of the voxels above the minimum that becomes 1

Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Volume:
    """Voxels in [0, 1], indexed [x, y, z] with z up, and their spacing.

    `threshold` separates the object from its background. `radius`, in the units of `spacing`, is the radius
    of the sphere around the volume's centre that contains all voxels above half the threshold. `remarks` name
    the choices made where the file holds several components or times.
    """

    name: str
    voxels: Array
    spacing: Spacing
    threshold: float
    radius: float
    remarks: tuple[str, ...] = ()


def load(
    source: str, *, component: int | None = None, time: int | None = None, memory: int | None = None
) -> Volume:
    """Read a volume by name (a key of NAMED) or from a file (see FORMATS). Raises Error.

    Of several components or times, the given one is read, counted from 0. By default the first is read, and
    ``Volume.remarks`` say so. ``memory`` is the maximum that the volume may take, in bytes; by default half
    of the available memory.
    """
    wanted = Wanted(component, time, _memory.limit(memory))
    if source == "mni152":
        found = nifti.read(_nilearn_file(), wanted)
        # Its mask ends at whole voxels, which shading would show as steps.
        found = replace(found, voxels=smoothed(found.voxels))
    elif source == "ch2better":
        if not CH2BETTER_FILE.is_file():
            raise Error(f"{source} is not installed: apt-get install mricron-data")
        found = nifti.read(CH2BETTER_FILE, wanted)
    elif source == "hydrogen":
        found = Source(hydrogen(128), (1.0, 1.0, 1.0))
    else:
        found = _read_file(source, wanted)
    return _normalised(source, found)


def hydrogen(n: int) -> Array:
    """|psi| of the 3d orbital with m = 0, on n^3 points of a cube of 48 Bohr radii, unnormalised."""
    axis = np.linspace(-24, 24, n, dtype=np.float32)
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij", sparse=True)
    r = np.sqrt(x * x + y * y + z * z)
    psi: Array = np.abs((3 * z * z - r * r) * np.exp(-r / 3))
    return psi


def _nilearn_file() -> Path:
    # nilearn is located rather than imported, which would require its own dependencies.
    spec = importlib.util.find_spec("nilearn")
    for folder in (spec.submodule_search_locations if spec else None) or ():
        if (path := Path(folder) / NILEARN_FILE).is_file():
            return path
    raise Error("mni152 is not installed: pip install --no-deps nilearn")


def _read_file(source: str, wanted: Wanted) -> Source:
    if ":" in source and not Path(source).exists():
        return _read_raw(source, wanted)
    path = Path(source)
    if not path.is_file():
        names = ", ".join(NAMED)
        raise Error(f"no data {source!r}: expected a name ({names}) or a file: {FORMATS}")
    reader = next((_READERS[suffix] for suffix in _READERS if path.name.endswith(suffix)), None)
    if reader is not None:
        return reader(path, wanted)
    if path.suffix == ".raw":
        raise Error(f"{path}: a raw file needs its dimensions: {path}:256x256x128:uint8")
    raise Error(f"{path}: unknown format {path.suffix!r}; expected {FORMATS}")


def _read_raw(source: str, wanted: Wanted) -> Source:
    fields = source.rsplit(":", 2)
    example = "expected FILE:XxYxZ:DTYPE, for example head.raw:256x256x128:uint8 (>u2 for big-endian)"
    if len(fields) != 3:
        raise Error(f"{source!r}: {example}")
    path = Path(fields[0])
    try:
        x, y, z = (int(n) for n in fields[1].split("x"))
        dtype = np.dtype(fields[2])
    except (TypeError, ValueError):
        raise Error(f"{source!r}: {example}") from None
    if min(x, y, z) < 1 or dtype.kind not in "uif":
        raise Error(f"{source!r}: {example}")
    if not path.is_file():
        raise Error(f"{path}: no such file; {example}")
    expected, actual = x * y * z * dtype.itemsize, path.stat().st_size
    if actual != expected:
        raise Error(f"{path}: {actual} bytes, but {fields[1]} of {dtype} are {expected} bytes")
    wanted.check(path, (x, y, z), dtype.itemsize)
    return Source(np.fromfile(path, dtype).reshape((x, y, z), order="F"), (1.0, 1.0, 1.0))


def _normalised(name: str, found: Source) -> Volume:
    voxels, spacing = found.voxels, found.spacing
    if voxels.ndim != 3 or min(voxels.shape) < 2:
        raise Error(f"{name}: expected a volume of at least 2x2x2 voxels, got shape {voxels.shape}")
    if voxels.dtype.kind not in "uif":
        raise Error(f"{name}: expected real voxels, got {voxels.dtype}")
    if not all(LEAST_STEP < step < 1 / LEAST_STEP for step in spacing):
        raise Error(f"{name}: expected a spacing from {LEAST_STEP:g} to {1 / LEAST_STEP:g}, got {spacing}")

    values = _scaled(name, voxels)

    # Remove the empty border, so that every rank has something to render.
    threshold = _otsu(values)
    inside = values > threshold / 2
    box = []
    for axis in range(3):
        others = tuple(a for a in range(3) if a != axis)
        filled = np.flatnonzero(inside.any(axis=others))
        box.append(slice(max(filled[0] - 2, 0), filled[-1] + 3))
    cropped = np.asfortranarray(values[tuple(box)])
    radius = _radius(cropped > threshold / 2, spacing)
    return Volume(name, cropped, spacing, threshold, radius, tuple(found.remarks))


def _scaled(name: str, voxels: npt.NDArray[Any]) -> Array:
    """Scale [minimum, WHITE percentile] to [0, 1]; NaN counts as the minimum."""
    with np.errstate(over="ignore"):  # values beyond float32 count as NaN
        values = voxels.astype(np.float32)
    finite = np.isfinite(values)
    low = values[finite].min() if finite.any() else np.float32(0)
    values[~finite] = low
    above = values[values > low]
    if not above.size:
        raise Error(f"{name}: all voxels have the same value, there is nothing to show")
    if max(abs(float(low)), above.max()) > LARGEST:
        raise Error(f"{name}: values from {low:g} to {above.max():g} are too large to show; scale them down")
    high = np.float32(np.percentile(above, WHITE))
    scaled: Array = np.clip((values - low) / (high - low), 0, 1)
    return scaled


def _radius(inside: npt.NDArray[np.bool_], spacing: Spacing) -> float:
    """Maximum distance of a point of `inside` from the centre of its array."""
    squares = np.zeros(inside.shape, np.float32)
    for axis, (count, step) in enumerate(zip(inside.shape, spacing, strict=True)):
        line = ((np.arange(count) - (count - 1) / 2) * step) ** 2
        squares += np.expand_dims(line.astype(np.float32), [a for a in range(3) if a != axis])
    return float(np.sqrt(squares[inside].max()))


def smoothed(voxels: npt.NDArray[Any]) -> Array:
    """Convolve with the binomial kernel (1, 2, 1) / 4 along each axis, border repeated."""
    values = voxels.astype(np.float32)
    for axis in range(3):
        line = np.moveaxis(values, axis, 0)
        padded = np.concatenate([line[:1], line, line[-1:]])
        values = np.moveaxis((padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4, 0, axis)
    return values


def _otsu(values: Array) -> float:
    """The threshold that best separates the histogram's two classes (Otsu, 1979)."""
    counts, edges = np.histogram(values, bins=256, range=(0, 1))
    centres = (edges[:-1] + edges[1:]) / 2
    below = np.cumsum(counts)
    above = below[-1] - below
    sums = np.cumsum(counts * centres)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = below * above * (sums / below - (sums[-1] - sums) / above) ** 2
    # Between well separated classes every threshold is equally good: take the middle one.
    best = np.flatnonzero(between >= np.nanmax(between) * (1 - 1e-9))
    return float((edges[1 + best[0]] + edges[1 + best[-1]]) / 2)
