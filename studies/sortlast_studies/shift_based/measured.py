"""Measurements: bandwidths of all pairs under a shift, and frames of shift and direct-send.

All ranks run on one machine, so they measure its memory and cores rather than a network: this shows the
method of section 5 with real messages, not the paper's cluster. Every rank runs this module as a program,
with the fields of :class:`Measurement` as its settings.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sortlast import bandwidth, bench, launch
from sortlast_studies.shift_based.cluster import PIXEL_BYTES, size_name
from sortlast_studies.steps import Json, Step, on_ranks

if TYPE_CHECKING:
    from mpi4py import MPI

PREFIX = "measured/"
ALGORITHMS = ("shift", "direct-send")
_TIMEOUT = 120.0  # of all ranks, in seconds


@dataclass(frozen=True)
class Measurement:
    """A run on ranks of this machine.

    Attributes:
        ranks: processes.
        size: width and height of the image for the matrix of shift.
        frame: width and height of the composited image.
        repeat: timed runs of each stage and of each algorithm; the median counts.
    """

    ranks: int
    size: tuple[int, int]
    frame: tuple[int, int]
    repeat: int = 5

    @property
    def step(self) -> Step:
        """The step, which runs alone and has a time limit."""
        name = f"{PREFIX}{self.ranks}-ranks-{size_name(self.size)}"
        return on_ranks(name, __name__, asdict(self), self.ranks, _TIMEOUT, work=0.1 * self.ranks)


QUICK = (Measurement(4, (2048, 1024), (1024, 512), repeat=3),)
WHOLE = (Measurement(4, (4096, 2048), (2048, 1024)), Measurement(12, (4096, 2048), (2048, 1024)))


# --- on every rank ------------------------------------------------------------------------------------


def measure(comm: MPI.Intracomm, settings: Any) -> Json:
    """The matrix, and frames per second of each algorithm; the same on every rank. Collective."""
    width, height = settings["size"]
    message_bytes = PIXEL_BYTES * -(-width * height // comm.size)
    found = bandwidth.measure(comm, message_bytes, settings["repeat"])
    return {
        "matrix": found.matrix.tolist(),
        "names": found.names,
        "message_bytes": message_bytes,
        "frame": settings["frame"],
        "fps": _frames_per_second(comm, settings["frame"], settings["repeat"]),
    }


def _frames_per_second(comm: MPI.Intracomm, size: tuple[int, int], repeat: int) -> dict[str, float]:
    """Rate of the median frame by algorithm; all pixels are active and travel as messages. Collective.

    Raises sortlast.Error on every rank, before any timing, if a pixel is wrong.
    """
    task = bench.Task(*size, "float32", "over", gather=False)
    settings = bench.Settings([task], list(ALGORITHMS), ["sortlast-messages"], repeat)
    report = bench.run(comm, settings, lambda what, done, total: None)
    return {row.algorithm: 1e3 / row.median_ms for row in report.rows}


if __name__ == "__main__":
    launch.serve(measure)
