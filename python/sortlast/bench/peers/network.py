"""A floor: only the messages that no algorithm can avoid.

In any message-based compositing, a rank that ends with 1/p of the pixels has sent the rest of its image and
received the others' pixels of its part: n (p - 1) / p pixels in each direction, or the active ones among them
in sparse images. Here every rank exchanges these pixels with every other, and then sends its part to rank 0
if the frame is gathered. All buffers are filled and all receives posted before a frame begins, and nothing is
blended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast.bench.oracle import Finished, Oracle
from sortlast.bench.peer import Peer, Scene
from sortlast.bench.task import CHANNELS

_EXCHANGE, _GATHER = 1, 2  # tags
_BYTES = 1 << 24  # maximum size of a message, so that any MPI can count its bytes


class Network(Peer):
    """Persistent requests, started once per frame."""

    name = "floor-network"
    is_floor = True

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(scene, algorithm)
        comm, task = self.comm, self.task
        others = [rank for rank in range(comm.size) if rank != comm.rank]

        # Prepare the exchange: parts of images.
        self._sent = {rank: self._active_bytes(rank) for rank in others}
        lengths = comm.alltoall([len(self._sent.get(rank, ())) for rank in range(comm.size)])
        self._received = {rank: np.zeros(lengths[rank], np.uint8) for rank in others}
        self._receives = self._requests(comm.Recv_init, self._received, _EXCHANGE)
        self._sends = self._requests(comm.Send_init, self._sent, _EXCHANGE)

        # Prepare the gather: finished parts without depth.
        pixel = CHANNELS * np.dtype(task.dtype).itemsize
        is_root = comm.rank == 0
        self._parts = {rank: np.zeros(pixel * self._count(rank), np.uint8) for rank in others if is_root}
        own = {0: np.full(pixel * self._count(comm.rank), comm.rank % 251 + 1, np.uint8)}
        gathered = task.gather
        self._part_receives = self._requests(comm.Recv_init, self._parts, _GATHER) if gathered else []
        self._part_sends = [] if is_root or not gathered else self._requests(comm.Send_init, own, _GATHER)
        self._post()

    @classmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """The only algorithm."""
        return ["exchange"]

    def frame(self) -> None:
        """Exchange, then gather, and post the receives of the next frame."""
        from mpi4py import MPI

        for sends, receives in (
            (self._sends, self._receives),
            (self._part_sends, self._part_receives),
        ):
            MPI.Prequest.Startall(sends)
            MPI.Request.Waitall([*sends, *receives])
        self._post()

    def finished(self) -> Finished:
        """Nothing is composited."""
        return Finished.nothing(self.task)

    def error(self, oracle: Oracle) -> float:
        """Whether everything arrived: 0 or infinite."""
        sums = [_sum(self._sent[rank]) if rank in self._sent else 0 for rank in range(self.comm.size)]
        expected = self.comm.alltoall(sums)
        right = all(expected[rank] == _sum(stretch) for rank, stretch in self._received.items())
        if self.task.gather:
            right = right and all((part == rank % 251 + 1).all() for rank, part in self._parts.items())
        return 0.0 if all(self.comm.allgather(right)) else float("inf")

    def close(self) -> None:
        """Cancel the posted receives."""
        posted = [*self._receives, *self._part_receives]
        for request in posted:
            request.Cancel()
            request.Wait()
        for request in [*posted, *self._sends, *self._part_sends]:
            request.Free()
        super().close()

    def _post(self) -> None:
        from mpi4py import MPI

        MPI.Prequest.Startall([*self._receives, *self._part_receives])

    def _requests(self, make: Any, buffers: dict[int, NDArray[np.uint8]], tag: int) -> list[Any]:
        """Make a persistent request for each message with ``make``, nearest higher rank first."""
        ranks = sorted(buffers, key=lambda rank: (rank - self.comm.rank) % self.comm.size)
        return [
            make(buffers[rank][begin : begin + _BYTES], rank, tag)
            for rank in ranks
            for begin in range(0, len(buffers[rank]), _BYTES)
        ]

    def _begin(self, rank: int) -> int:
        """First pixel of a rank's part."""
        return self.task.n * rank // self.comm.size

    def _count(self, rank: int) -> int:
        """Number of pixels of a rank's part."""
        return self._begin(rank + 1) - self._begin(rank)

    def _active_bytes(self, rank: int) -> NDArray[np.uint8]:
        """This rank's active pixels, with depth, in another rank's part."""
        part = slice(self._begin(rank), self._begin(rank + 1))
        colour = self.image.colour.reshape(-1, CHANNELS)[part]
        active = colour.any(axis=1)
        planes = [colour[active]]
        if self.image.depth is not None:
            planes.append(self.image.depth.reshape(-1)[part][active])
        return np.concatenate([plane.reshape(-1).view(np.uint8) for plane in planes])


def _sum(stretch: NDArray[np.uint8]) -> int:
    return int(stretch.sum(dtype=np.uint64))
