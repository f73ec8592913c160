"""Registers shared by the processes of one machine, and waiting for each other."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sortlast import Error

if TYPE_CHECKING:
    from mpi4py import MPI

_LINE = 64  # bytes of a cache line


class Registers:
    """``count`` integers of 64 bits, each on a separate cache line, initially 0.

    Made and closed by all ranks of ``comm`` together. A value stored by one rank is visible to another once
    both have called ``synchronise`` in between.

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
        """Order this rank's loads and stores before this call before the later ones."""
        self._window.Sync()

    def close(self) -> None:
        """Free the memory; collective."""
        self._window.Unlock_all()
        self._window.Free()


# --- waiting without blocking the core --------------------------------------------------------------------

# A failed poll yields the core. With more ranks than cores this is not enough: a fair scheduler soon returns
# to the poller, and 9 ranks on 2 cores take 3.7 ms per barrier. A sleep lets the others run, 0.2 ms per
# barrier, but would slow down a rank on a dedicated core, which needs 2 us. Sleeps grow with the time waited,
# so that a rank that waits for a long frame does not take cores from it.
POLLS = 2000
_POLLS_CROWDED = 10
_PART = 1 / 8  # length of a sleep relative to the time waited so far; at least about 50 us in the kernel

LIMIT = 60.0  # time after which a wait is an error [s]


def polls(ranks: int) -> int:
    """Number of polls before sleeping if ``ranks`` ranks share this machine."""
    return POLLS if ranks <= len(os.sched_getaffinity(0)) else _POLLS_CROWDED


def wait_until(
    met: Callable[[], bool], missing: Callable[[], str], *, polls: int = POLLS, limit: float = LIMIT
) -> None:
    """Poll until ``met()`` is true, ``polls`` times without a sleep.

    Raises:
        Error: not met within ``limit`` seconds; the message includes ``missing()``.
    """
    for _ in range(polls):
        if met():
            return
        os.sched_yield()
    begin = time.monotonic()
    while not met():
        waited = time.monotonic() - begin
        if waited > limit:
            raise Error(f"a barrier did not open within {limit:g} s: {missing()}")
        time.sleep(_PART * waited)
