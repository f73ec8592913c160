"""The memory that a frame takes, by one method for all peers.

``peak_bytes`` is the peak resident memory of a process during a few frames (VmHWM of /proc/self/status, reset
before by writing 5 to /proc/self/clear_refs), minus its resident memory after the peer is closed, when the
process still holds its image. It therefore counts the result, everything that the peer keeps from frame to
frame, and memory that the MPI library allocates for it and frees again. The frames follow the peer's own
warm-up, and memory that remains allocated cancels out: pages that the MPI library or the allocator touch for
the first time are charged to no peer, whatever ran before. Kernel memory is not counted either. A page of
shared memory is divided equally among the processes that have touched it, as in the kernel's "Pss_Shmem" of
/proc/self/smaps_rollup when the frames are done. An image copy that a peer keeps only because the image must
lie in certain memory is input and does not count. The kernel's counters are exact to about a quarter of a
megabyte.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast._memory import limit, value_in

if TYPE_CHECKING:
    from mpi4py import MPI

_STATUS = Path("/proc/self/status")
_ROLLUP = Path("/proc/self/smaps_rollup")
_CLEAR = Path("/proc/self/clear_refs")


def resident() -> int | None:
    """Resident memory of this process in bytes, once the allocator has returned free memory.

    None if the kernel does not report it.
    """
    _trim()
    return _own("VmRSS")


def reset_peak() -> None:
    """Return free memory and reset the peak."""
    _trim()
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def peak() -> int | None:
    """Peak resident memory since reset_peak(), in bytes. None if the kernel does not report it."""
    return _own("VmHWM")


def _own(name: str) -> int | None:
    """A counter of resident memory, minus other processes' shares of shared pages."""
    counted, touched = value_in(_STATUS, name), value_in(_STATUS, "RssShmem")
    own = value_in(_ROLLUP, "Pss_Shmem")
    if counted is None or touched is None or own is None:
        return counted
    return counted - max(0, touched - own)


def room(comm: MPI.Intracomm) -> int | None:
    """Bytes that the peers may take together on each rank: a share of the node's available memory.

    The same on every rank; None if no kernel reports it. Communicates.
    """
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    share = limit(sharers=node.size)
    node.Free()
    shares = [bytes_ for bytes_ in comm.allgather(share) if bytes_ is not None]
    return min(shares, default=None)


def groups(needs: Sequence[int], room: int | None) -> list[list[int]]:
    """Group indices in order, so that the ``needs`` of each group fit into ``room`` bytes.

    An index that does not fit by itself forms its own group.
    """
    made: list[list[int]] = []
    taken = 0
    for k, need in enumerate(needs):
        if not made or (room is not None and taken + need > room):
            made.append([])
            taken = 0
        made[-1].append(k)
        taken += need
    return made


def _trim() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # glibc's
