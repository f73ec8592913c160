"""Send bandwidth between all pairs of ranks over the stages of a shift: Moody's method.

Stage s of p ranks is the permutation P_i -> P_{(i+s) mod p}; every rank sends its block and receives one at
the same time, and times its send. The p - 1 stages together visit every ordered pair once, under the load
that a shift makes: a pair that is slow here shares a link with others, or has a slow one.

Source: A. Moody, "Contention-free Routing for Shift-based Communication in MPI Applications on Large-scale
InfiniBand Clusters" (2009), as Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand
Fat-Trees" (2012), section 5, used it. LLNL's mpiGraph measures the same.

::

    found = bandwidth.measure(MPI.COMM_WORLD, message_bytes=2**20)
    found.mean, found.matrix[3, 5]  # bytes a second; what rank 3 reached when it sent to rank 5
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortlast._errors import ArgumentError, Error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mpi4py import MPI
    from numpy.typing import NDArray

    from sortlast.fabric import Routes

_TAG = 1
_ANSWER = 2  # tag of what says that a message has arrived
_NOTHING = np.empty(0, np.uint8)
_PERIOD = 251  # of the payload; a prime, so that no power of two of it looks like another part


@dataclass(frozen=True)
class Bandwidths:
    """What was measured, or predicted, for p ranks.

    ``matrix``: (p, p) float64, bytes a second; row: sender, column: receiver; the diagonal is 0 and counts
    nowhere. ``names``: of the machines that the ranks run on. ``message_bytes``: of one message.
    """

    matrix: NDArray[np.float64]
    names: list[str]
    message_bytes: int

    @property
    def p(self) -> int:
        """Number of ranks."""
        return len(self.names)

    @property
    def pairs(self) -> NDArray[np.float64]:
        """The p (p - 1) values off the diagonal."""
        return self.matrix[~np.eye(self.p, dtype=bool)]

    @property
    def minimum(self) -> float:
        """Of the pairs, in bytes a second."""
        return float(self.pairs.min())

    @property
    def mean(self) -> float:
        """The arithmetic mean of the pairs, in bytes a second."""
        return float(self.pairs.mean())

    @property
    def maximum(self) -> float:
        """Of the pairs, in bytes a second."""
        return float(self.pairs.max())

    def slowest(self, count: int) -> list[tuple[int, int]]:
        """The ``count`` slowest pairs (sender, receiver), slowest first."""
        speed = np.where(np.eye(self.p, dtype=bool), np.inf, self.matrix)
        order = np.argsort(speed, axis=None, kind="stable")[: min(count, self.p * (self.p - 1))]
        return [(int(pair) // self.p, int(pair) % self.p) for pair in order]


def measure(
    comm: MPI.Intracomm,
    message_bytes: int,
    repeat: int = 5,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Bandwidths:
    """Measure all pairs of ``comm``'s ranks. Collective; the same result on every rank.

    Every stage is first run once with a payload that the receiver checks, then ``repeat`` times with the
    clock; a pair's bandwidth is that of its median time. A stage begins when all ranks have posted their
    receives. A send ends when the receiver's answer, a message of no bytes, says that all of it is there: an
    MPI library's own end of a send may only say that it lies in some buffer.

    Args:
        comm: any mpi4py communicator of 2 ranks or more.
        message_bytes: of each message, 1 or more.
        repeat: timed runs of each stage, 1 or more.
        progress: called with the stages done, and how many there are.

    Raises:
        ArgumentError: an argument out of its range.
        Error: a message arrived changed; on every rank.
    """
    if comm.size < 2:
        raise ArgumentError(f"a communicator of {comm.size} rank has no pairs; start 2 ranks or more")
    if message_bytes < 1:
        raise ArgumentError(f"message_bytes is {message_bytes}; expected 1 or more")
    if repeat < 1:
        raise ArgumentError(f"repeat is {repeat}; expected 1 or more")
    incoming = np.empty(message_bytes, np.uint8)
    row = np.zeros(comm.size)
    for stage in range(1, comm.size):
        progress(stage - 1, comm.size - 1)
        to, source = (comm.rank + stage) % comm.size, (comm.rank - stage) % comm.size

        # Check the answer, which also warms the path up.
        outgoing = payload(comm.rank, to, message_bytes)
        _send(comm, outgoing, to, incoming, source)
        _agree(comm, difference(incoming, source, comm.rank))

        times = [_send(comm, outgoing, to, incoming, source) for _ in range(repeat)]
        row[to] = message_bytes / float(np.median(times))
    progress(comm.size - 1, comm.size - 1)
    return _collected(comm, row, message_bytes)


def predict(
    routes: Routes,
    nodes: Sequence[int],
    message_bytes: int,
    link_bytes_per_second: float,
    latency: float = 0.0,
) -> Bandwidths:
    """What a fabric would give: every message has its share of the fullest link of its path.

    Args:
        routes: the fabric and its tables.
        nodes: the host of each rank.
        message_bytes: of each message.
        link_bytes_per_second: bytes a second of a link.
        latency: seconds that a message takes beside its bytes.

    Raises:
        ArgumentError: fewer than 2 nodes, or as :func:`sortlast.fabric.contention`.
    """
    from sortlast import fabric

    if len(nodes) < 2:
        raise ArgumentError(f"{len(nodes)} node has no pairs; give 2 nodes or more")
    shares = fabric.shares(fabric.contention(routes, "shift", nodes))
    np.fill_diagonal(shares, 1)
    matrix = message_bytes / (latency + message_bytes / (link_bytes_per_second * shares))
    np.fill_diagonal(matrix, 0)
    return Bandwidths(matrix, fabric.names(routes.topology, nodes), message_bytes)


def payload(source: int, destination: int, size: int) -> NDArray[np.uint8]:
    """What ``source`` sends to ``destination``: bytes that differ from those of other pairs nearby."""
    start = 7 * source + 31 * destination
    period = (np.arange(_PERIOD) + start) % _PERIOD
    return np.resize(period.astype(np.uint8), size)


def difference(received: NDArray[np.uint8], source: int, destination: int) -> str | None:
    """What is wrong with a message that should be :func:`payload`; None if nothing is."""
    expected = payload(source, destination, received.size)
    wrong = np.flatnonzero(received != expected)
    if wrong.size == 0:
        return None
    first = int(wrong[0])
    return (
        f"the message of rank {source} arrived at rank {destination} changed: {wrong.size} of {received.size}"
        f" bytes, the first at {first}, where {received[first]} stands for {expected[first]}"
    )


def _send(
    comm: MPI.Intracomm, outgoing: NDArray[np.uint8], to: int, incoming: NDArray[np.uint8], source: int
) -> float:
    """Send and receive at once; seconds until the receiver has answered."""
    from mpi4py import MPI

    receiving = comm.Irecv(incoming, source, _TAG)
    answer = comm.Irecv(_NOTHING, to, _ANSWER)
    comm.Barrier()
    began = MPI.Wtime()
    own = [comm.Isend(outgoing, to, _TAG)]
    awaited = [receiving, answer]
    ended = began
    for _ in awaited:
        if MPI.Request.Waitany(awaited) == 0:
            own.append(comm.Isend(_NOTHING, source, _ANSWER))
        else:
            ended = MPI.Wtime()
    MPI.Request.Waitall(own)
    return ended - began


def _agree(comm: MPI.Intracomm, failure: str | None) -> None:
    """Raise the lowest rank's failure on all ranks."""
    failures = [text for text in comm.allgather(failure) if text is not None]
    if failures:
        raise Error(failures[0])


def _collected(comm: MPI.Intracomm, row: NDArray[np.float64], message_bytes: int) -> Bandwidths:
    from mpi4py import MPI

    matrix = np.empty((comm.size, comm.size))
    comm.Allgather(row, matrix)
    return Bandwidths(matrix, comm.allgather(MPI.Get_processor_name()), message_bytes)
