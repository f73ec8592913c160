"""Peers that are not part of this package: shared libraries, found and loaded at run time."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast._errors import Error

if TYPE_CHECKING:
    from mpi4py import MPI


@cache
def load(folder: str, names: Sequence[str], hint: str) -> list[ctypes.CDLL]:
    """Load libraries from anywhere below ``folder``, in an order that puts dependencies first.

    ``folder`` may also be the path of one of the libraries; the others are then in the same folder.

    Raises Error if a library is missing (the message ends with ``hint``, which describes the folder), cannot
    be loaded, or uses a different MPI than this process.
    """
    place = Path(folder)
    place = place.parent if place.is_file() else place
    before = _mapped_mpi()
    libraries = []
    for name in names:
        paths = sorted(place.glob(f"**/{name}.so*")) + sorted(place.glob(f"**/{name}.dylib"))
        if not paths:
            raise Error(f"no {name}.so below {folder}; expected {hint}")
        try:
            libraries.append(ctypes.CDLL(str(paths[0]), ctypes.RTLD_GLOBAL))
        except OSError as error:
            raise Error(f"cannot load {paths[0]}: {error}") from error
    if strangers := _mapped_mpi() - before:
        raise Error(f"{names[0]} in {folder} was built with another MPI, {', '.join(sorted(strangers))}")
    return libraries


def handle(comm: MPI.Intracomm) -> ctypes.c_int | ctypes.c_void_p:
    """A communicator's C handle: a number in MPICH, a pointer in Open MPI."""
    from mpi4py import MPI

    kind = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
    return kind(MPI._handleof(comm))


def _mapped_mpi() -> set[str]:
    """Files of MPI libraries mapped by this process, if the kernel lists them."""
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return set()
    return {line.split()[-1] for line in lines if "/libmpi.so" in line}
