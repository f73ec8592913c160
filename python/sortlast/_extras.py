"""Packages that come with extras of sortlast, and the error if one is missing.

``pip install sortlast`` installs only NumPy; ``pip install "sortlast[plot]"`` adds packages for pictures, and
so on. Optional packages are imported inside :func:`needed`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from sortlast._errors import Error, MissingExtraError

# A package by import name: its name for pip, and the extra that installs it.
_BROUGHT = {
    "mpi4py": ("mpi4py", "mpi"),
    "rich": ("rich", "cli"),
    "typer": ("typer", "cli"),
    "elftools": ("pyelftools", "icet"),
    "yaml": ("pyyaml", "slurm"),
    "matplotlib": ("matplotlib", "plot"),
    "networkx": ("networkx", "graph"),
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
    """Context that raises MissingExtraError if a package of an extra, which ``what`` needs, is missing.

    If several extras install it, ``extra`` names the one that ``what`` belongs to.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = instead_of(error, what, extra)
        if missing is None:
            raise
        raise missing from None


def check(package: str, what: str, extra: str | None = None) -> None:
    """Raise MissingExtraError, like ``needed``, if a package is missing; imports nothing."""
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
    """The exception that replaces a failed import; None if no extra has the package."""
    return _missing(error.name, what, extra) if error.name in _BROUGHT else None


def _missing(package: str, what: str, extra: str | None = None) -> MissingExtraError:
    installed, usual = _BROUGHT[package]
    extra = extra or usual
    return MissingExtraError(f'{what} needs the package {installed}: pip install "sortlast[{extra}]"')
