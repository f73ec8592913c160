"""Peers that are no part of this package: shared libraries that are found and loaded at run time."""

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
    """Load libraries that lie anywhere below ``folder``, each after those that it is linked with.

    ``folder`` may name one of the libraries too; the others lie beside it then.

    Raises Error if one is missing (the message ends with ``hint``, what the folder should be), cannot be
    loaded, or belongs to another MPI than that which runs.
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
    """A communicator as C has it: a number in MPICH, a pointer in Open MPI."""
    from mpi4py import MPI

    kind = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
    return kind(MPI._handleof(comm))


def _mapped_mpi() -> set[str]:
    """Files of MPI libraries in this process, as far as the kernel tells."""
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return set()
    return {line.split()[-1] for line in lines if "/libmpi.so" in line}
