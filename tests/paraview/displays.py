"""Displays without a screen: X servers that draw into memory, whose pictures can be read."""

from __future__ import annotations

import os
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Display:
    """An X server: its name, for DISPLAY, and the file that holds what it shows."""

    name: str
    screen: Path

    def picture(self) -> np.ndarray:
        """What it shows, as uint8 of shape (height, width, 3)."""
        # The header of XWD: numbers of 32 bits, the most significant byte first, and a table of colours.
        data = self.screen.read_bytes()
        header = struct.unpack(">25I", data[:100])
        size, width, height, bits, row = header[0], header[4], header[5], header[11], header[12]
        colours = header[19]
        assert bits == 32
        pixels = np.frombuffer(data, np.uint8, count=row * height, offset=size + 12 * colours)
        return pixels.reshape(height, row)[:, : 4 * width].reshape(height, width, 4)[:, :, 2::-1]


@contextmanager
def started(number: int, size: tuple[int, int]) -> Iterator[list[Display]]:
    """Start some displays of a size, (width, height) [pixels], and end them with the block."""
    with ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
        yield [held.enter_context(_one(folder / str(i), size)) for i in range(number)]


@contextmanager
def _one(folder: Path, size: tuple[int, int]) -> Iterator[Display]:
    folder.mkdir()
    read, write = os.pipe()
    # Without -noreset it would throw all away, and be away for a moment, whenever its last client goes.
    server = subprocess.Popen(
        [
            *("Xvfb", "-displayfd", str(write), "-screen", "0", f"{size[0]}x{size[1]}x24"),
            *("-fbdir", str(folder), "-nolisten", "tcp", "-noreset"),
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
        yield Display(f":{number}", folder / "Xvfb_screen0")
    finally:
        server.terminate()
        server.wait()
