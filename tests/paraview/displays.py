"""A display without a screen: an X server that draws into memory."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def started(width: int, height: int) -> Iterator[str]:
    """Start one of a size [pixels], and end it with the block; its name, for DISPLAY."""
    read, write = os.pipe()
    # Without -noreset it would throw all away, and be away for a moment, whenever its last client goes.
    server = subprocess.Popen(
        [
            *("Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24"),
            *("-nolisten", "tcp", "-noreset"),
        ],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with open(read) as told:
            number = told.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()
