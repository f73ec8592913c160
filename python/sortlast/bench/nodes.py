"""Whether ranks share memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpi4py import MPI


def on_one_node(comm: MPI.Intracomm) -> bool:
    """Whether all ranks share memory. Communicates."""
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    together = all(comm.allgather(node.size == comm.size))
    node.Free()
    return together
