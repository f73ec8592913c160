"""What the extras of the package bring, and the error where it is missing.

``pip install sortlast`` brings NumPy alone; ``pip install "sortlast[plot]"`` adds what pictures need, and so
on. What may be missing is imported inside :func:`needed`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from sortlast._errors import Error, MissingExtraError

# A package as it is imported, as it is installed, and the extra that brings it.
_BROUGHT = {
    "mpi4py": ("mpi4py", "mpi"),
    "rich": ("rich", "cli"),
    "typer": ("typer", "cli"),
    "elftools": ("pyelftools", "icet"),
    "yaml": ("pyyaml", "slurm"),
    "matplotlib": ("matplotlib", "plot"),
    "networkx": ("networkx", "graph"),
    "ortools": ("ortools", "exact"),
    "nibabel": ("nibabel", "render"),
    "pymetis": ("pymetis", "render"),
    "vtkmodules": ("vtk", "render"),
    "pyvista": ("pyvista", "pyvista"),
    "aiohttp": ("aiohttp", "view"),
    "imageio": ("imageio", "pyvista"),
    "imageio_ffmpeg": ("imageio-ffmpeg", "pyvista"),
    "OpenEXR": ("OpenEXR", "files"),
    "PIL": ("pillow", "files"),
    "tifffile": ("tifffile", "files"),
    "h5py": ("h5py", "files"),
    "backports": ("backports.zstd", "files"),
    "backports.zstd": ("backports.zstd", "files"),
}


@contextmanager
def needed(what: str, extra: str | None = None) -> Iterator[None]:
    """Within: a package of an extra that is missing is a MissingExtraError: ``what`` needs it.

    Where several extras bring it, ``extra`` names the one that ``what`` belongs to.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = instead_of(error, what, extra)
        if missing is None:
            raise
        raise missing from None


def check(package: str, what: str, extra: str | None = None) -> None:
    """Raise MissingExtraError, as in ``needed``, if a package is missing; imports nothing."""
    if importlib.util.find_spec(package) is None:
        raise _missing(package, what, extra)


def lzma(what: str) -> ModuleType:
    """The module lzma. Raises :class:`sortlast.Error` for ``what`` if this Python was built without it."""
    try:
        import lzma
    except ImportError as error:
        raise Error(
            f"{what} needs Python's module lzma, and this Python was built without it; use another Python, or"
            " uncompress the file first"
        ) from error
    return lzma


def instead_of(error: ModuleNotFoundError, what: str, extra: str | None = None) -> MissingExtraError | None:
    """What to raise instead of a failed import; None if no extra brings the package."""
    return _missing(error.name, what, extra) if error.name in _BROUGHT else None


def _missing(package: str, what: str, extra: str | None = None) -> MissingExtraError:
    installed, usual = _BROUGHT[package]
    extra = extra or usual
    return MissingExtraError(f'{what} needs the package {installed}: pip install "sortlast[{extra}]"')
