"""Send bandwidth between all pairs of ranks over the stages of a shift: Moody's method.

Stage s of p ranks is the permutation P_i -> P_{(i+s) mod p}; every rank sends its block and receives one at
the same time, and measures the time of its send. The p - 1 stages together visit every ordered pair once,
under the load of a shift: a slow pair shares a link with others, or has a slow link.

Source: A. Moody, "Contention-free Routing for Shift-based Communication in MPI Applications on Large-scale
InfiniBand Clusters" (2009), as Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand
Fat-Trees" (2012), section 5, used it. LLNL's mpiGraph measures the same.

::

    found = bandwidth.measure(MPI.COMM_WORLD, message_bytes=2**20)
    found.mean, found.matrix[3, 5]  # bytes per second; the matrix entry is for sends from rank 3 to rank 5

The same messages, in stages that use every link of a fabric alone, find a slow cable (:func:`find_bad`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast._errors import ArgumentError, Error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mpi4py import MPI
    from numpy.typing import NDArray

    from sortlast.fabric import CableFindings, CableSearch, Routes

_TAG = 1
_ANSWER = 2  # tag of acknowledgements
_NOTHING = np.empty(0, np.uint8)
_PERIOD = 251  # of the payload; a prime, so that parts at multiples of a power of two differ


@dataclass(frozen=True)
class Bandwidths:
    """Measured or predicted bandwidths of p ranks.

    ``matrix``: (p, p) float64, bytes per second; row: sender, column: receiver; the diagonal is 0 and is not
    counted. ``names``: of the ranks' machines. ``message_bytes``: size of a message.
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
        """Minimum of the pairs, in bytes per second."""
        return float(self.pairs.min())

    @property
    def mean(self) -> float:
        """Arithmetic mean of the pairs, in bytes per second."""
        return float(self.pairs.mean())

    @property
    def maximum(self) -> float:
        """Maximum of the pairs, in bytes per second."""
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

    Every stage runs once with a payload that the receiver checks, then ``repeat`` times with timing; a pair's
    bandwidth is computed from its median time. A stage begins when all ranks have posted their receives. A
    send ends when the receiver's acknowledgement, an empty message, confirms that all of it has arrived; the
    MPI library's own completion of a send may only mean that the data are in some buffer.

    Args:
        comm: any mpi4py communicator of 2 ranks or more.
        message_bytes: size of each message, 1 or more.
        repeat: timed runs of each stage, 1 or more.
        progress: called with the number of stages done and the total.

    Raises:
        ArgumentError: an argument is out of range.
        Error: a message arrived corrupted; on every rank.
    """
    if comm.size < 2:
        raise ArgumentError(f"a communicator of {comm.size} rank has no pairs; start 2 ranks or more")
    _check_sizes(message_bytes, repeat)
    p, rank = comm.size, comm.rank
    shift = [((rank + stage) % p, (rank - stage) % p) for stage in range(1, p)]
    seconds = _seconds(comm, shift, message_bytes, repeat, progress)
    row = np.zeros(p)
    for (to, _), times in zip(shift, seconds, strict=True):
        row[to] = message_bytes / float(np.median(times))
    return _collected(comm, row, message_bytes)


def measure_stages(
    comm: MPI.Intracomm,
    stages: NDArray[np.int32],
    message_bytes: int,
    repeat: int = 1,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> NDArray[np.float64]:
    """Measure any stages like :func:`measure`. Collective; the same result on every rank.

    Args:
        comm: any mpi4py communicator of p ranks.
        stages: the receiver of each rank, -1 for none: (stages, p). In a stage a rank receives at most one
            message. The same on every rank.
        message_bytes: size of each message.
        repeat: timed runs of each stage.
        progress: as for :func:`measure`.

    Returns:
        Bytes per second of each sender in each timed run, 0 for a rank that sends nothing: float64
        (stages, repeat, p).

    Raises:
        Error: a message arrived corrupted; on every rank.
    """
    senders = np.full_like(stages, -1)
    stage, sender = np.nonzero(stages >= 0)
    senders[stage, stages[stage, sender]] = sender
    partners = list(zip(stages[:, comm.rank].tolist(), senders[:, comm.rank].tolist(), strict=True))
    seconds = _seconds(comm, partners, message_bytes, repeat, progress)
    sending = stages[:, comm.rank] >= 0
    own = np.zeros((len(stages), repeat))
    own[sending] = message_bytes / seconds[sending]
    every = np.empty((comm.size, *own.shape))
    comm.Allgather(own, every)
    return np.moveaxis(every, 0, -1)


def find_bad(
    comm: MPI.Intracomm,
    routes: Routes,
    nodes: Sequence[int],
    message_bytes: int,
    repeat: int = 1,
    seed: int = 1,
    progress: Callable[[int, int, int], object] = lambda number, done, total: None,
) -> CableFindings:
    """Find slow links of a fabric by measuring them one at a time. Collective; the same result on every rank.

    The first round sends 10 or more messages over every link that a pair of the nodes uses; later rounds send
    6 more over every suspect, until all are decided. No two messages of a stage share a direction of a link.

    Args:
        comm: any mpi4py communicator, with one rank on each of the nodes.
        routes: the fabric and its tables. Wrong tables give wrong links between switches. Rank 0's are used.
        nodes: the host of each rank. Rank 0's are used.
        message_bytes: size of each message: large enough for its bytes to determine its time.
        repeat: timed runs of each stage; all count.
        seed: of the stages.
        progress: called with the round, from 1, and the stages done and the total of the round.

    Raises:
        ArgumentError: another number of nodes than ranks, or no bytes or runs; on this rank.
        ArgumentError, Error: as in :func:`sortlast.fabric.pair_paths`; on every rank.
        Error: a message arrived corrupted; on every rank.
    """
    from sortlast import fabric

    if len(nodes) != comm.size:
        raise ArgumentError(f"{len(nodes)} nodes for {comm.size} ranks; expected one for each")
    _check_sizes(message_bytes, repeat)
    search: CableSearch | None = None

    def begin() -> NDArray[np.int32] | None:
        nonlocal search
        search = fabric.CableSearch(fabric.pair_paths(routes, nodes), seed)
        return search.next_stages()

    def go_on(stages: NDArray[np.int32], speeds: NDArray[np.float64]) -> NDArray[np.int32] | None:
        assert search is not None
        search.add(stages, speeds)
        return search.next_stages()

    count, stages = 1, _from_first(comm, begin)
    while stages is not None:

        def told(done: int, total: int, now: int = count) -> None:
            progress(now, done, total)

        speeds = measure_stages(comm, stages, message_bytes, repeat, told)
        stages = _from_first(comm, partial(go_on, stages, speeds))
        count += 1
    findings: CableFindings = _from_first(comm, lambda: search.result() if search else None)
    return findings


def predict(
    routes: Routes,
    nodes: Sequence[int],
    message_bytes: int,
    link_bytes_per_second: float,
    latency: float = 0.0,
) -> Bandwidths:
    """Predict bandwidths on a fabric: every message gets its share of the fullest link of its path.

    Args:
        routes: the fabric and its tables.
        nodes: the host of each rank.
        message_bytes: size of each message.
        link_bytes_per_second: bandwidth of a link.
        latency: seconds per message in addition to the time of its bytes.

    Raises:
        ArgumentError: fewer than 2 nodes, or as in :func:`sortlast.fabric.contention`.
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
    """The data that ``source`` sends to ``destination``, different from the payloads of nearby pairs."""
    start = 7 * source + 31 * destination
    period = (np.arange(_PERIOD) + start) % _PERIOD
    return np.resize(period.astype(np.uint8), size)


def difference(received: NDArray[np.uint8], source: int, destination: int) -> str | None:
    """An error text for a message that differs from :func:`payload`; None if it is correct."""
    expected = payload(source, destination, received.size)
    wrong = np.flatnonzero(received != expected)
    if wrong.size == 0:
        return None
    first = int(wrong[0])
    return (
        f"the message of rank {source} arrived at rank {destination} changed: {wrong.size} of {received.size}"
        f" bytes, the first at {first}, where {received[first]} stands for {expected[first]}"
    )


def _check_sizes(message_bytes: int, repeat: int) -> None:
    if message_bytes < 1:
        raise ArgumentError(f"message_bytes is {message_bytes}; expected 1 or more")
    if repeat < 1:
        raise ArgumentError(f"repeat is {repeat}; expected 1 or more")


def _from_first(comm: MPI.Intracomm, work: Callable[[], Any]) -> Any:
    """What ``work()`` returns or raises on rank 0, on every rank."""
    result, failure = None, None
    if comm.rank == 0:
        try:
            result = work()
        except Exception as error:
            failure = error
    result, failure = comm.bcast((result, failure))
    if failure is not None:
        raise failure
    return result


def _seconds(
    comm: MPI.Intracomm,
    partners: Sequence[tuple[int, int]],
    message_bytes: int,
    repeat: int,
    progress: Callable[[int, int], object],
) -> NDArray[np.float64]:
    """Seconds of this rank's sends (stages, repeat), given its receiver and sender, -1 for none, by stage."""
    from mpi4py import MPI

    incoming = np.empty(message_bytes, np.uint8)
    seconds = np.empty((len(partners), repeat))
    for stage, (receiver, sender) in enumerate(partners):
        progress(stage, len(partners))
        to, source = (MPI.PROC_NULL if each < 0 else each for each in (receiver, sender))

        # Check the message, which also warms up the path.
        outgoing = payload(comm.rank, receiver, message_bytes)
        _send(comm, outgoing, to, incoming, source)
        _agree(comm, None if sender < 0 else difference(incoming, sender, comm.rank))

        seconds[stage] = [_send(comm, outgoing, to, incoming, source) for _ in range(repeat)]
    progress(len(partners), len(partners))
    return seconds


def _send(
    comm: MPI.Intracomm, outgoing: NDArray[np.uint8], to: int, incoming: NDArray[np.uint8], source: int
) -> float:
    """Send and receive at once; returns the seconds until the receiver has answered."""
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
    """Raise the lowest rank's error on all ranks."""
    failures = [text for text in comm.allgather(failure) if text is not None]
    if failures:
        raise Error(failures[0])


def _collected(comm: MPI.Intracomm, row: NDArray[np.float64], message_bytes: int) -> Bandwidths:
    from mpi4py import MPI

    matrix = np.empty((comm.size, comm.size))
    comm.Allgather(row, matrix)
    return Bandwidths(matrix, comm.allgather(MPI.Get_processor_name()), message_bytes)
