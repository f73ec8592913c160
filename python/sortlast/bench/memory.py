"""How much memory a frame takes: one method for all peers.

``peak_bytes`` is the greatest resident memory of a process while it works on one frame (VmHWM of
/proc/self/status, set back just before by writing 5 to /proc/self/clear_refs), less its resident memory
before the peer was set up, when it already held its image. So it counts the result, everything that the
peer keeps from frame to frame, and what the MPI library takes for it and gives back. It does not count
what the MPI library already held from earlier frames, nor what the kernel holds. Pages of shared memory
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
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # glibc's
    return _read("VmRSS")


def reset_peak() -> None:
    """Forget the peak so far."""
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def peak() -> int | None:
    """Greatest resident memory since reset_peak(), in bytes. None where the kernel does not tell."""
    return _read("VmHWM")


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
