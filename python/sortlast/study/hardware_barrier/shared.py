"""Registers that the processes of one machine share: an MPI-3 shared window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sortlast import Error

if TYPE_CHECKING:
    from mpi4py import MPI

_LINE = 64  # bytes of a cache line


class Registers:
    """``count`` integers of 64 bits, each on a cache line of its own, all 0 at first.

    Made and closed by all ranks of ``comm`` together. What one rank stores another loads, once each has
    called ``synchronise`` in between.

    Raises:
        Error: the ranks are not on one machine.
    """

    def __init__(self, comm: MPI.Intracomm, count: int) -> None:
        from mpi4py import MPI

        here = comm.Split_type(MPI.COMM_TYPE_SHARED)
        together = here.size
        here.Free()
        if comm.allreduce(together, MPI.MIN) != comm.size:
            raise Error(
                f"{comm.size} ranks, of which {together} are on the machine of rank {comm.rank}: shared "
                "memory needs all on one; take a barrier by messages"
            )
        self._window = MPI.Win.Allocate_shared(_LINE * count if comm.rank == 0 else 0, 1, comm=comm)
        memory: Any = self._window.Shared_query(0)[0]
        lines = np.frombuffer(memory, np.int64, count * _LINE // 8).reshape(count, -1)
        self.values: npt.NDArray[np.int64] = lines[:, 0]
        self._window.Lock_all()
        if comm.rank == 0:
            self.values[:] = 0
        self.synchronise()
        comm.Barrier()
        self.synchronise()

    def synchronise(self) -> None:
        """Order this rank's loads and stores before this call before those after it."""
        self._window.Sync()

    def close(self) -> None:
        """Give the memory back; collective."""
        self._window.Unlock_all()
        self._window.Free()
