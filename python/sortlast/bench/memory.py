"""How much memory a frame takes: one method for all peers.

``peak_bytes`` is the greatest resident memory of a process while it works on a few frames (VmHWM of
/proc/self/status, set back just before by writing 5 to /proc/self/clear_refs), less its resident memory
once the peer is closed, when it still holds its image. So it counts the result, everything that the peer
keeps from frame to frame, and what the MPI library takes for it and gives back. The frames come after
the peer's own warm-up, and what stays behind counts on both sides: pages that the MPI library or the
allocator touch for the first time are charged to nobody, whatever ran before. Nor does it count what the
kernel holds. A page of shared memory counts in equal parts in the processes that have touched it, as the
kernel has it in "Pss_Shmem" of /proc/self/smaps_rollup when the frames are done. An image that a peer keeps
only because it has to lie in certain memory is input and does not count. The kernel's own counters are exact
to about a quarter of a megabyte.
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
    """Resident memory of this process in bytes, once the allocator has given back what is free.

    None where the kernel does not tell.
    """
    _trim()
    return _own("VmRSS")


def reset_peak() -> None:
    """Give back what is free and forget the peak so far."""
    _trim()
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def peak() -> int | None:
    """Greatest resident memory since reset_peak(), in bytes. None where the kernel does not tell."""
    return _own("VmHWM")


def _own(name: str) -> int | None:
    """A counter of resident memory, less what other processes have of the shared pages in it."""
    counted, touched = value_in(_STATUS, name), value_in(_STATUS, "RssShmem")
    own = value_in(_ROLLUP, "Pss_Shmem")
    if counted is None or touched is None or own is None:
        return counted
    return counted - max(0, touched - own)


def room(comm: MPI.Intracomm) -> int | None:
    """Bytes that the peers may take together on each rank: a share of what its node has left.

    The same on every rank; None if no kernel tells. Communicates.
    """
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    share = limit(sharers=node.size)
    node.Free()
    shares = [bytes_ for bytes_ in comm.allgather(share) if bytes_ is not None]
    return min(shares, default=None)


def groups(needs: Sequence[int], room: int | None) -> list[list[int]]:
    """Numbers of those whose ``needs`` fit into ``room`` bytes together, in the order in which they come.

    One that does not fit alone is alone.
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
