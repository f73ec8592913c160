"""Selects the extension module for the MPI library that mpi4py uses."""

from __future__ import annotations

import importlib
import importlib.util
import struct
import sys
import time
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sortlast._errors import Error

if TYPE_CHECKING:
    from mpi4py import MPI

# Vendors by mpi4py's name: the family of their binary interface.
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


def joining(comm: MPI.Intracomm) -> tuple[ModuleType, int]:
    """The compositor for the running MPI library, and the handle of the communicator of a collective call.

    If this rank cannot load it, for lack of file descriptors or because of Ctrl-C, the other ranks of the
    call raise a RemoteError with the cause.
    """
    try:
        from sortlast._mpi4py import MPI

        return mpi(), MPI._handleof(comm)
    except BaseException as error:
        with suppress(Exception):
            _tell_failure(comm, f"{type(error).__name__}: {error}")
        raise


# The report of a failed rank, with the memory layout of ReportMessage in C++ (execute/mpi/failure.hpp): rank,
# failure flag, text, no block of ranks, and the block's 64 words.
_REPORT = struct.Struct("@ii192si512x0q")
_LIMIT = 60.0  # seconds for the other ranks to make the call
_reports: list[object] = []  # messages and their requests, which are never waited for


def _tell_failure(comm: Any, cause: str) -> None:
    """Notify the other ranks of a call that this one cannot take part.

    They first duplicate the communicator, and then receive reports on it (execute/mpi/communicator.cpp).
    """
    module = sys.modules["mpi4py.MPI"]  # loaded, because comm belongs to it
    if comm.Get_size() == 1:
        return
    copy, request = comm.Idup()
    end = time.monotonic() + _LIMIT
    while not request.Test():
        if time.monotonic() > end:
            return
        time.sleep(0.001)
    rank, tag = copy.Get_rank(), copy.Get_attr(module.TAG_UB)
    message = _REPORT.pack(rank, 1, cause.encode()[:191], -1)
    others = (other for other in range(copy.Get_size()) if other != rank)
    _reports.extend((message, copy.Isend([message, module.BYTE], other, tag)) for other in others)


def bench() -> ModuleType:
    """The benchmark's other peers, for the running MPI library. Raises like :func:`mpi`."""
    return _extension("bench")


def families() -> list[str]:
    """MPI families with a compositor in this installation; empty in a build without MPI."""
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
        # Handles of communicators have other values there.
        raise Error(
            f"mpi4py runs on {vendor} {number} through the binary interface of the MPI standard, for which"
            " sortlast has no compositor; take the mpi4py of PyPI:"
            " pip install --force-reinstall --only-binary mpi4py mpi4py"
        )
    if family not in families():
        built = f"for {' and '.join(families())}" if families() else "without MPI"
        raise Error(
            f"mpi4py runs on {vendor} {number}, but this sortlast was built {built}; install its wheel, which"
            f" is for both MPICH and Open MPI, or rebuild it with {vendor}'s mpicc first on the PATH"
        )
    return importlib.import_module(f"sortlast._{part}_{family}")
