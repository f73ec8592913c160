"""What a measurement runs in every rank: ``python -m sortlast.study.shift_based._measured_ranks``.

It is asked the fields of :class:`~sortlast.study.shift_based.measured.Measurement`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import Compositor, Error, bandwidth, composite_serial, launch
from sortlast.study.shift_based.cluster import PIXEL_BYTES
from sortlast.study.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

_ALGORITHMS = ("shift", "direct-send")
_TIMEOUT = 60.0  # of a wait, in seconds
_TOLERANCE = 1e-5  # of a colour, 0 to 1: the order in which images are joined rounds it


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
            name: _frames_per_second(comm, name, settings["frame"], settings["repeat"])
            for name in _ALGORITHMS
        },
    }


def _frames_per_second(comm: MPI.Intracomm, algorithm: str, size: tuple[int, int], repeat: int) -> float:
    """By the median frame, of which the slowest rank counts; all pixels are active and travel as messages."""
    from mpi4py import MPI

    compositor = Compositor(comm, algorithm, node_ranks=1, threads=1, timeout=_TIMEOUT)
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
