"""Which extension module fits the MPI library that mpi4py runs on."""

from __future__ import annotations

import importlib
import importlib.util
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


def families() -> list[str]:
    """MPI families that this installation has a compositor for; none in a build without MPI."""
    known = sorted(set(_FAMILIES.values()))
    return [name for name in known if importlib.util.find_spec(f"sortlast._mpi_{name}") is not None]


@cache
def _extension(part: str) -> ModuleType:
    """The extension module ``_<part>_<family>``."""
    from sortlast._mpi4py import MPI

    vendor, version = MPI.get_vendor()
    number = ".".join(map(str, version))
    family = _FAMILIES.get(vendor)
    if family is None:
        raise Error(f"mpi4py runs on {vendor} {number}; expected an MPI library of {', '.join(_FAMILIES)}")
    if MPI.Get_abi_version()[0] > 0:
        # Handles of communicators are other numbers there.
        raise Error(
            f"mpi4py runs on {vendor} {number} through the binary interface of the MPI standard, for which"
            " sortlast has no compositor; take the mpi4py of PyPI:"
            " pip install --force-reinstall --only-binary mpi4py mpi4py"
        )
    if family not in families():
        built = f"for {' and '.join(families())}" if families() else "without MPI"
        raise Error(
            f"mpi4py runs on {vendor} {number}, but this sortlast was built {built}; install its wheel, which"
            f" is for both MPICH and Open MPI, or build it anew with {vendor}'s mpicc first on the PATH"
        )
    return importlib.import_module(f"sortlast._{part}_{family}")
