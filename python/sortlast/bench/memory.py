"""How much memory a frame takes: one method for all peers.

``peak_bytes`` is the greatest resident memory of a process while it works on a few frames (VmHWM of
/proc/self/status, set back just before by writing 5 to /proc/self/clear_refs), less its resident memory
once the peer is closed, when it still holds its image. So it counts the result, everything that the peer
keeps from frame to frame, and what the MPI library takes for it and gives back. The frames come after
the peer's own warm-up, and what stays behind counts on both sides: pages that the MPI library or the
allocator touch for the first time are charged to nobody, whatever ran before. Nor does it count what the
kernel holds. Pages of shared memory
count in every process that has touched them: the shared window shows the images of all ranks. The
kernel's own counters are exact to about a quarter of a megabyte.
"""

from __future__ import annotations

import contextlib
import ctypes
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def resident() -> int | None:
    """Resident memory of this process in bytes, once the allocator has given back what is free.

    None where the kernel does not tell.
    """
    _trim()
    return _read("VmRSS")


def reset_peak() -> None:
    """Give back what is free and forget the peak so far."""
    _trim()
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def peak() -> int | None:
    """Greatest resident memory since reset_peak(), in bytes. None where the kernel does not tell."""
    return _read("VmHWM")


def _trim() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # glibc's


def _read(name: str) -> int | None:
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        key, _, value = line.partition(":")
        if key == name:
            return 1024 * int(value.split()[0])
    return None
