"""Measured: bandwidths of all pairs under a shift, and frames of shift and direct-send.

The ranks that are started here share one machine, so that what they measure is its memory and its cores, not
a network: it shows the method of section 5 on real messages, not the paper's cluster. Every rank runs this
module as a program, and is asked the fields of :class:`Measurement`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import Compositor, Error, bandwidth, composite_serial, launch
from sortlast_studies.shift_based.cluster import PACKAGE, PIXEL_BYTES
from sortlast_studies.steps import Json, PartDone, Step

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

PREFIX = "measured/"
ALGORITHMS = ("shift", "direct-send")
_TIMEOUT = 120.0  # of all ranks, in seconds
_WAIT = 60.0  # that a rank waits for another, in seconds
_TOLERANCE = 1e-5  # of a colour, 0 to 1: the order in which images are joined rounds it


@dataclass(frozen=True)
class Measurement:
    """A run on ranks of this machine.

    Attributes:
        ranks: processes.
        size: width and height of the image whose shift the matrix is of.
        frame: width and height of the image that is composited.
        repeat: timed runs of each stage, and of each algorithm; the median counts.
    """

    ranks: int
    size: tuple[int, int]
    frame: tuple[int, int]
    repeat: int = 5

    @property
    def step(self) -> Step:
        """Run it within a time limit, alone."""

        def compute(part_done: PartDone) -> Json:
            return launch.ranks(f"{PACKAGE}.measured", asdict(self), self.ranks, _TIMEOUT)

        width, height = self.size
        name = f"{PREFIX}{self.ranks}-ranks-{width}x{height}"
        return Step(name, compute, work=0.1 * self.ranks, alone=True)


QUICK = (Measurement(4, (2048, 1024), (1024, 512), repeat=3),)
WHOLE = (Measurement(4, (4096, 2048), (2048, 1024)), Measurement(12, (4096, 2048), (2048, 1024)))


# --- on every rank ------------------------------------------------------------------------------------


def measure(comm: MPI.Intracomm, settings: Any) -> Json:
    """The matrix, and frames a second of each algorithm; the same on every rank. Collective."""
    width, height = settings["size"]
    message_bytes = PIXEL_BYTES * -(-width * height // comm.size)
    found = bandwidth.measure(comm, message_bytes, settings["repeat"])
    return {
        "matrix": found.matrix.tolist(),
        "names": found.names,
        "message_bytes": message_bytes,
        "frame": settings["frame"],
        "fps": {
            name: _frames_per_second(comm, name, settings["frame"], settings["repeat"]) for name in ALGORITHMS
        },
    }


def _frames_per_second(comm: MPI.Intracomm, algorithm: str, size: tuple[int, int], repeat: int) -> float:
    """By the median frame, of which the slowest rank counts; all pixels are active and travel as messages."""
    from mpi4py import MPI

    compositor = Compositor(comm, algorithm, node_ranks=1, threads=1, timeout=_WAIT)
    width, height = size
    image = np.empty((height, width, 4), np.float32)
    image[:] = _pixel(comm.rank)
    tile = compositor.composite(image)
    _agree(comm, algorithm, tile.pixels)
    times = []
    for _ in range(repeat):
        comm.Barrier()
        began = MPI.Wtime()
        compositor.composite(image)
        times.append(comm.allreduce(MPI.Wtime() - began, MPI.MAX))
    return 1 / float(np.median(times))


def _pixel(rank: int) -> NDArray[np.float32]:
    """The colour of all pixels of a rank's image, premultiplied."""
    alpha = 0.1 + 0.05 * (rank % 5)
    return np.array([alpha * (rank % 3) / 2, alpha * (rank % 4) / 3, alpha / 2, alpha], np.float32)


def _agree(comm: MPI.Intracomm, algorithm: str, pixels: Any) -> None:
    """Raise the same error on every rank if some rank's finished pixels are wrong."""
    expected = np.asarray(composite_serial([_pixel(rank).reshape(1, 1, 4) for rank in range(comm.size)]))
    wrong = float(np.abs(pixels - expected.reshape(1, 4)).max(initial=0))
    worst = max(comm.allgather(wrong))
    if worst > _TOLERANCE:
        raise Error(f"{algorithm} on {comm.size} ranks: a pixel is wrong by {worst:g}; nothing was timed")


if __name__ == "__main__":
    launch.serve(measure)
