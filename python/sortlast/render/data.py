"""Reading volumes: named ones that come with a package, and files.

Every reader gives a `Volume`: float32 voxels in [0, 1], scaled over the whole volume at once. Blocks
that were scaled one by one would not match at their faces.
"""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sortlast import Error

from .arrays import to_numpy
from .blocks import Spacing

NAMED = {
    "mni152": "MNI152 T1 brain, 1 mm (pip install --no-deps nilearn)",
    "ch2better": "T1 head, 0.5 mm (apt-get install mricron-data)",
    "hydrogen": "3d orbital of the hydrogen atom, computed",
}
FORMATS = "NIfTI (.nii, .nii.gz), VTK image (.vti, legacy .vtk) or FILE.raw:XxYxZ:DTYPE"

NILEARN_FILE = "datasets/data/mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
CH2BETTER_FILE = Path("/usr/share/mricron/templates/ch2better.nii.gz")
WHITE = 99.9  # percentile of the voxels above the minimum that becomes 1

Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Volume:
    """Voxels in [0, 1], indexed [x, y, z] with z up, and their spacing.

    `threshold` separates the object from its background. `radius`, in the units of `spacing`, is that of
    the sphere around the volume's centre that holds all voxels above half the threshold.
    """

    name: str
    voxels: Array
    spacing: Spacing
    threshold: float
    radius: float


def load(source: str) -> Volume:
    """Read a volume by name (a key of NAMED) or from a file (see FORMATS). Raises Error."""
    if source == "mni152":
        voxels, spacing = _read_nifti(_nilearn_file())
        voxels = _smoothed(voxels)  # its mask ends in whole voxels, which shading would show as steps
    elif source == "ch2better":
        if not CH2BETTER_FILE.is_file():
            raise Error(f"{source} is not installed: apt-get install mricron-data")
        voxels, spacing = _read_nifti(CH2BETTER_FILE)
    elif source == "hydrogen":
        voxels, spacing = hydrogen(128), (1.0, 1.0, 1.0)
    else:
        voxels, spacing = _read_file(source)
    return _normalised(source, voxels, spacing)


def hydrogen(n: int) -> Array:
    """|psi| of the 3d orbital with m = 0, on n^3 points of a cube of 48 Bohr radii, unnormalised."""
    axis = np.linspace(-24, 24, n, dtype=np.float32)
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij", sparse=True)
    r = np.sqrt(x * x + y * y + z * z)
    psi: Array = np.abs((3 * z * z - r * r) * np.exp(-r / 3))
    return psi


def _nilearn_file() -> Path:
    # nilearn is located and not imported: it would need its own dependencies.
    spec = importlib.util.find_spec("nilearn")
    for folder in (spec.submodule_search_locations if spec else None) or ():
        if (path := Path(folder) / NILEARN_FILE).is_file():
            return path
    raise Error("mni152 is not installed: pip install --no-deps nilearn")


def _read_file(source: str) -> tuple[npt.NDArray[Any], Spacing]:
    if ":" in source and not Path(source).exists():
        return _read_raw(source)
    path = Path(source)
    if not path.is_file():
        names = ", ".join(NAMED)
        raise Error(f"no data {source!r}: expected a name ({names}) or a file: {FORMATS}")
    if path.name.endswith((".nii", ".nii.gz")):
        return _read_nifti(path)
    if path.suffix in (".vti", ".vtk"):
        return _read_vtk(path)
    if path.suffix == ".raw":
        raise Error(f"{path}: a raw file needs its dimensions: {path}:256x256x128:uint8")
    raise Error(f"{path}: unknown format {path.suffix!r}; expected {FORMATS}")


def _read_nifti(path: Path) -> tuple[npt.NDArray[Any], Spacing]:
    try:
        nibabel: Any = importlib.import_module("nibabel")
    except ImportError:
        raise Error("reading NIfTI needs nibabel: pip install nibabel") from None
    try:
        image = nibabel.as_closest_canonical(nibabel.load(path))
        voxels = np.squeeze(np.asarray(image.dataobj))
    except (OSError, EOFError, ValueError, nibabel.filebasedimages.ImageFileError) as error:
        raise Error(f"{path}: not a readable NIfTI file: {error}") from None
    x, y, z = image.header.get_zooms()[:3]
    return voxels, (float(x), float(y), float(z))


def _read_vtk(path: Path) -> tuple[npt.NDArray[Any], Spacing]:
    try:
        from vtkmodules.vtkIOLegacy import vtkStructuredPointsReader
        from vtkmodules.vtkIOXML import vtkXMLImageDataReader
    except ImportError:
        raise Error('reading VTK images needs VTK: pip install "vtk>=9.7,<10"') from None
    xml = path.suffix == ".vti"
    reader: Any = vtkXMLImageDataReader() if xml else vtkStructuredPointsReader()
    reader.SetFileName(str(path))
    with path.open("rb") as file:
        legacy = file.read(14) == b"# vtk DataFile"  # asked of anything else, the reader itself complains
    if not (reader.CanReadFile(str(path)) if xml else legacy and reader.IsFileStructuredPoints()):
        kind = "an XML image" if xml else "a legacy file of structured points"
        raise Error(f"{path}: not {kind}; other VTK data sets must be resampled to an image first")
    reader.Update()
    image = reader.GetOutput()
    scalars = image.GetPointData().GetScalars()
    if scalars is None or scalars.GetNumberOfComponents() != 1:
        raise Error(f"{path}: expected point data with one active scalar of one component")
    voxels = to_numpy(scalars).reshape(image.GetDimensions(), order="F")
    x, y, z = image.GetSpacing()
    return voxels, (x, y, z)


def _read_raw(source: str) -> tuple[npt.NDArray[Any], Spacing]:
    fields = source.split(":")
    example = "expected FILE:XxYxZ:DTYPE, for example head.raw:256x256x128:uint8 (>u2 for big-endian)"
    if len(fields) != 3:
        raise Error(f"{source!r}: {example}")
    path = Path(fields[0])
    try:
        shape = tuple(int(n) for n in fields[1].split("x"))
        dtype = np.dtype(fields[2])
    except (TypeError, ValueError):
        raise Error(f"{source!r}: {example}") from None
    if len(shape) != 3 or min(shape) < 1 or dtype.kind not in "uif":
        raise Error(f"{source!r}: {example}")
    if not path.is_file():
        raise Error(f"{path}: no such file; {example}")
    expected, actual = int(np.prod(shape)) * dtype.itemsize, path.stat().st_size
    if actual != expected:
        raise Error(f"{path}: {actual} bytes, but {fields[1]} of {dtype} are {expected} bytes")
    return np.fromfile(path, dtype).reshape(shape, order="F"), (1.0, 1.0, 1.0)


def _normalised(name: str, voxels: npt.NDArray[Any], spacing: Spacing) -> Volume:
    if voxels.ndim != 3 or min(voxels.shape) < 2:
        raise Error(f"{name}: expected a volume of at least 2x2x2 voxels, got shape {voxels.shape}")
    if voxels.dtype.kind not in "uif":
        raise Error(f"{name}: expected real voxels, got {voxels.dtype}")
    if not min(spacing) > 0:
        raise Error(f"{name}: the spacing must be positive, got {spacing}")

    # Scale [minimum, WHITE percentile] to [0, 1]; what is not a number counts as the minimum.
    values = voxels.astype(np.float32)
    finite = np.isfinite(values)
    low = values[finite].min() if finite.any() else np.float32(0)
    values[~finite] = low
    above = values[values > low]
    if not above.size:
        raise Error(f"{name}: all voxels have the same value, there is nothing to show")
    high = np.float32(np.percentile(above, WHITE))
    values = np.clip((values - low) / (high - low), 0, 1)

    # Drop the empty border, so that every rank has something to render.
    threshold = _otsu(values)
    inside = values > threshold / 2
    box = []
    for axis in range(3):
        others = tuple(a for a in range(3) if a != axis)
        found = np.flatnonzero(inside.any(axis=others))
        box.append(slice(max(found[0] - 2, 0), found[-1] + 3))
    cropped = np.asfortranarray(values[tuple(box)])
    return Volume(name, cropped, spacing, threshold, _radius(cropped > threshold / 2, spacing))


def _radius(inside: npt.NDArray[np.bool_], spacing: Spacing) -> float:
    """Greatest distance of a point of `inside` from the centre of its array."""
    squares = np.zeros(inside.shape, np.float32)
    for axis, (count, step) in enumerate(zip(inside.shape, spacing, strict=True)):
        line = ((np.arange(count) - (count - 1) / 2) * step) ** 2
        squares += np.expand_dims(line.astype(np.float32), [a for a in range(3) if a != axis])
    return float(np.sqrt(squares[inside].max()))


def _smoothed(voxels: npt.NDArray[Any]) -> Array:
    """Convolve with the binomial kernel (1, 2, 1) / 4 along each axis, border repeated."""
    values = voxels.astype(np.float32)
    for axis in range(3):
        line = np.moveaxis(values, axis, 0)
        padded = np.concatenate([line[:1], line, line[-1:]])
        values = np.moveaxis((padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4, 0, axis)
    return values


def _otsu(values: Array) -> float:
    """The threshold that separates the histogram's two classes best (Otsu, 1979)."""
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
