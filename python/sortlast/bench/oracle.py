"""The right answer: the serial composite of all ranks' images, stored once per node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from sortlast.bench import pattern
from sortlast.bench.task import CHANNELS, Task
from sortlast.serial import composite_serial

if TYPE_CHECKING:
    from mpi4py import MPI


@dataclass(frozen=True)
class Finished:
    """Finished pixels that a rank holds: ``pixels`` (m, 4) from pixel ``begin`` on."""

    begin: int
    pixels: NDArray[Any]

    @classmethod
    def nothing(cls, task: Task) -> Finished:
        """No pixels."""
        return cls(0, np.empty((0, CHANNELS), task.dtype))


class Oracle:
    """The serial composite of one task's images. Making and closing it are collective.

    The ranks of a node share the work and the memory.
    """

    def __init__(self, comm: MPI.Intracomm, task: Task) -> None:
        from mpi4py import MPI

        # Share memory within the node.
        self._comm, self._task = comm, task
        node = cast("MPI.Intracomm", comm.Split_type(MPI.COMM_TYPE_SHARED))
        dtype = np.dtype(task.dtype)
        size = task.n * CHANNELS * dtype.itemsize
        self._window = MPI.Win.Allocate_shared(size if node.rank == 0 else 0, 1, comm=node)
        memory, _ = self._window.Shared_query(0)
        self._colour: NDArray[Any] = np.frombuffer(cast(Any, memory), dtype).reshape(task.n, CHANNELS)

        # Composite one chunk after the other.
        self._window.Fence()
        for index in pattern.chunks(task)[node.rank :: node.size]:
            parts = [pattern.chunk(task, comm.size, rank, index) for rank in range(comm.size)]
            depths = [part.depth[None] for part in parts if part.depth is not None]
            made = composite_serial([part.colour[None] for part in parts], depths or None, op=task.op)
            pixels = made.colour[0]
            begin = index * pattern.CHUNK
            self._colour[begin : begin + len(pixels)] = pixels
        self._window.Fence()
        node.Free()

    def error(self, finished: Finished) -> float:
        """Maximum absolute difference of all ranks' finished pixels; infinite if some are missing.

        NaN if a pixel is unexpectedly NaN. Communicates; the same on every rank.
        """
        worst = 0.0
        for begin in range(0, len(finished.pixels), pattern.CHUNK):
            pixels = finished.pixels[begin : begin + pattern.CHUNK]
            first = finished.begin + begin
            expected = self._colour[first : first + len(pixels)].astype(np.float64)
            worst = float(np.maximum(worst, np.abs(pixels - expected).max()))
        ranges = self._comm.allgather((finished.begin, finished.begin + len(finished.pixels), worst))
        covered = 0
        for begin, end, _ in sorted(ranges):
            if begin <= covered:
                covered = max(covered, end)
        if covered < self._task.n:
            return float("inf")
        return float(np.max([error for _, _, error in ranges]))

    def close(self) -> None:
        """Free the memory."""
        del self._colour
        self._window.Free()
