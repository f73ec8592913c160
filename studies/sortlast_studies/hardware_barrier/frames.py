"""Synchronised frames among the ranks of this job: ``python -m ...frames SETTINGS REPORT``.

A frame follows section 4: every rank reads its image back (a copy instead of glReadPixels), all wait for each
other, the images are composited in rank order, and rank 0 draws the frame (a copy). The library's Compositor
takes the place of the paper's device. Settings: ``barriers`` (names, or "none"), ``sizes`` ([width, height]),
``turns`` and ``frames`` (of one kind per turn). The report is a list with one entry per size: the mean
seconds per frame by barrier, one value per turn, and the largest difference of a frame from the serial
composite.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sortlast import Compositor, composite_serial, launch
from sortlast_studies.hardware_barrier.barriers import BARRIERS, NONE, Barrier
from sortlast_studies.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI

RENDERERS = 8  # ranks that render: the inputs of one unit

Image = npt.NDArray[np.uint8]


def image(rank: int, size: tuple[int, int]) -> Image:
    """A translucent image (height, width, 4), premultiplied; different on each rank."""
    width, height = size
    y, x = np.ogrid[:height, :width]
    alpha = ((x * (rank + 3) + y * 7) % 128).astype(np.uint8)
    shade = ((x + y * (rank + 1)) % 256).astype(np.uint16)
    pixels = np.empty((height, width, 4), np.uint8)
    for channel in range(3):
        pixels[..., channel] = shade * alpha // (256 + channel)
    pixels[..., 3] = alpha
    return pixels


class Loop:
    """The images of one size, and the loop that makes frames from them."""

    def __init__(self, comm: MPI.Intracomm, compositor: Compositor, size: tuple[int, int]) -> None:
        self._comm, self._compositor = comm, compositor
        self._framebuffer = image(comm.rank, size)
        self._read = compositor.allocate(self._framebuffer.shape, np.uint8)
        self.screen = np.zeros_like(self._framebuffer)

    def frame(self, barrier: Barrier | None) -> None:
        """Make one frame, which is then on the screen of rank 0."""
        # Read the framebuffer back.
        np.copyto(self._read, self._framebuffer)

        # Wait for all others.
        if barrier is not None:
            barrier.wait()

        # Composite and draw.
        tile = self._compositor.composite(self._read, op="over")
        finished = self._compositor.gather(tile, root=0)
        if finished is not None:
            np.copyto(self.screen, finished.colour)

    def seconds(self, barrier: Barrier | None, frames: int) -> float:
        """Mean seconds per frame."""
        self.frame(barrier)
        begin = time.perf_counter()
        for _ in range(frames):
            self.frame(barrier)
        return (time.perf_counter() - begin) / frames


def measure(comm: MPI.Intracomm, settings: Json) -> Json:
    """All sizes with all barriers. Collective."""
    report = []
    with ExitStack() as made:
        barriers = {
            name: None if name == NONE else made.enter_context(closing(BARRIERS[name](comm)))
            for name in settings["barriers"]
        }
        compositor = Compositor(comm)
        for width, height in settings["sizes"]:
            loop = Loop(comm, compositor, (width, height))
            found: dict[str, list[float]] = {name: [] for name in barriers}
            for _ in range(settings["turns"]):
                for name, barrier in barriers.items():
                    found[name].append(loop.seconds(barrier, settings["frames"]))
            report.append({"seconds": found, "error": _error(comm, loop.screen, (width, height))})
    return report


def _error(comm: MPI.Intracomm, screen: Image, size: tuple[int, int]) -> int:
    """The largest difference of the frame on rank 0 from the serial composite."""
    if comm.rank != 0:
        return 0
    oracle = composite_serial([image(rank, size) for rank in range(comm.size)]).colour
    return int(np.abs(screen.astype(np.int16) - oracle).max())


if __name__ == "__main__":
    launch.serve(measure)
