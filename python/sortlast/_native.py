"""Which extension module fits the MPI library that mpi4py runs on."""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType

from sortlast._errors import Error

# Vendors as mpi4py names them, by binary interface.
_FAMILIES = {
    "MPICH": "mpich",
    "Cray MPICH": "mpich",
    "Intel MPI": "mpich",
    "MVAPICH": "mpich",
    "MVAPICH2": "mpich",
    "Open MPI": "openmpi",
}


def mpi() -> ModuleType:
    """The compositor for the running MPI library. Raises Error if this build has none for it."""
    return _extension("mpi")


def bench() -> ModuleType:
    """What the benchmark compares it with, for the running MPI library. Raises as :func:`mpi`."""
    return _extension("bench")


@cache
def _extension(part: str) -> ModuleType:
    """The extension module ``_<part>_<family>``."""
    from mpi4py import MPI

    vendor, version = MPI.get_vendor()
    family = _FAMILIES.get(vendor)
    if family is None:
        raise Error(f"mpi4py runs on {vendor}; expected an MPI library of {', '.join(_FAMILIES)}")
    try:
        return importlib.import_module(f"sortlast._{part}_{family}")
    except ModuleNotFoundError:
        number = ".".join(map(str, version))
        raise Error(
            f"mpi4py runs on {vendor} {number}, but this sortlast was built for another MPI family; "
            f"rebuild it with {vendor}'s mpicc first on the PATH: "
            "pip install --no-build-isolation --no-deps ."
        ) from None
