"""A served viewer for tests: the command in a process of its own, its ranks, and what one process would show.

with viewing.served("--ranks", "3", data=path) as viewer:
    with browser.page(viewer.address) as page:
        ...
"""

from __future__ import annotations

import asyncio
import base64
import io
import os
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from sortlast import _leftovers, render
from sortlast.demo.scene import Scene
from sortlast.render.surface import SurfaceRenderer
from sortlast.render.volume import VolumeRenderer
from sortlast.view import pictures
from sortlast.view.controls import Controls, Eye

_START = 60.0  # limit for the address to come [s]
_PYTHON = sys.executable.encode() + b"\0"  # not mpiexec, nor the shell around a rank
_RANK = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK")


def visit(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns, in a thread of its own: the browser's driver keeps the loop of this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@dataclass(frozen=True)
class Viewer:
    """A process of the command that serves, and what it printed up to its address."""

    process: subprocess.Popen[str]
    printed: str

    @property
    def address(self) -> str:
        """Of the page, with its token."""
        return self.printed.split("open ", 1)[1].split()[0]

    def ranks(self) -> dict[int, int]:
        """Process numbers by rank."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes()
                if b"\0sortlast.cli._view_ranks\0" not in command or not command.startswith(_PYTHON):
                    continue
                variables = dict(
                    entry.split("=", 1)
                    for entry in (folder / "environ").read_text().split("\0")
                    if "=" in entry
                )
            except (OSError, UnicodeDecodeError):
                continue
            if self.process.pid in _ancestors(int(folder.name)):
                rank = next((variables[name] for name in _RANK if name in variables), None)
                if rank is not None:
                    found[int(rank)] = int(folder.name)
        return found


@contextmanager
def served(*arguments: str, data: str, timeout: float = 60.0) -> Iterator[Viewer]:
    """The command, from when it has printed its address; killed at the end, with its ranks."""
    command = [sys.executable, "-m", "sortlast", "view", data, "--timeout", str(timeout), *arguments]
    with _leftovers.start(
        command,
        {**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as kept:
        try:
            yield Viewer(kept.process, _address(kept.process))
        finally:
            kept.close()
            kept.process.communicate()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    text, end = "", time.monotonic() + _START
    while "ssh -L" not in text:
        line = process.stdout.readline()
        if not line or time.monotonic() > end:
            process.terminate()
            raise AssertionError(f"no address came: {text}{process.communicate()}")
        text += line
    return text


def _ancestors(pid: int) -> list[int]:
    found = []
    while pid > 1:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            break
        found.append(pid)
    return found


def cpu_seconds(pid: int) -> float:
    """What a process has computed for until now."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def write_data(folder: Path) -> str:
    """A small volume without symmetry; how the command is told of it."""
    x, y, z = np.ogrid[-1:1:36j, -1:1:32j, -1:1:30j]
    ball = 300 - 330 * np.sqrt(x * x + y * y + z * z)
    dents = 60 * np.sin(4 * x + 1) * np.cos(5 * y) * np.sin(3 * z + 2)
    path = folder / "dented.raw"
    path.write_bytes(np.clip(ball + dents, 0, 255).astype(np.uint8).tobytes(order="F"))
    return f"{path}:36x32x30:uint8"


def one_process(data: str, controls: Controls, eye: Eye, size: tuple[int, int]) -> np.ndarray:
    """The picture (height, width, 3) that one process renders, encoded and decoded as a page gets it."""
    volume = render.load(data)
    scene = Scene.of(volume)
    kind = SurfaceRenderer if controls.mode == "surface" else VolumeRenderer
    voxels = render.cut(volume.voxels, scene.whole)
    made = kind(voxels, scene.whole, scene.spacing, scene.threshold, size)
    made.show(controls.look(scene, fine=True))
    image = made.render(eye.camera(scene))
    image = image[0] if isinstance(image, tuple) else image
    return decoded(pictures.encoded(image, controls.picture, fine=True))


def decoded(picture: bytes) -> np.ndarray:
    """(height, width, 3) as integers."""
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(int)


def canvas(page) -> np.ndarray:
    """What the page's canvas holds, (height, width, 3) as integers."""
    text = page.run("document.getElementById('picture').toDataURL('image/png')")
    return decoded(base64.b64decode(text.split(",", 1)[1]))
