"""The parallel sort, and its timed exchanges: Table 4.5, and exchanges by a shift schedule.

Section 3.3. Process id holds p runs of l_n/p vectors; run d belongs to process d, so nothing is sorted
locally before or after the exchange, and every message has the same size. Equation 3.3 as printed divides
keys that begin at 1, which would send each run's last key one process too far; here the key minus 1 is
divided.

    A          MPI_Alltoall of one int: the number of vectors that each process will receive
    B          MPI_Alltoallv of the keys
    C          MPI_Alltoallv of the vectors
    shift      the vectors stage by stage, by the schedule shift: rank i to i + s at stage s
    shuffled   the same with the ranks in random order on the ring

Each exchange can clear its receive buffer, move the data, and check the result.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sortlast import schedule
from sortlast_studies.all_to_all.design import Design

if TYPE_CHECKING:
    from mpi4py import MPI

STEP = 0.0001  # between the components of a vector, equation 3.7
_CHUNK = 1 << 17  # components compared at once
_TAG = 1
VECTORS = ("C", "shift", "shuffled")  # exchanges of vectors
WAYS = ("A", "B", *VECTORS)


# --- data ---------------------------------------------------------------------------------------------


def unsorted_keys(design: Design, rank: int) -> NDArray[np.int32]:
    """Equation 3.6: the keys of a process, (l_n,) int32, in 1 .. n."""
    i = np.arange(design.l_n, dtype=np.int64)
    run, within = i // design.block, i % design.block
    return (1 + design.block * rank + design.l_n * run + within).astype(np.int32)


def sorted_keys(design: Design, rank: int) -> NDArray[np.int32]:
    """The keys of a process after the sort: (l_n,) int32."""
    return np.arange(1 + design.l_n * rank, 1 + design.l_n * (rank + 1), dtype=np.int32)


def send_counts(design: Design, keys: NDArray[np.int32]) -> NDArray[np.int32]:
    """Equations 3.3 and 3.5: the number of vectors for each process, (p,) int32."""
    return np.bincount((keys - 1) // design.l_n, minlength=design.p).astype(np.int32)


def displacements(counts: NDArray[np.int32]) -> NDArray[np.int32]:
    """The index of the first vector for each process, (p,) int32."""
    return np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int32)


def fill_vectors(design: Design, keys: NDArray[np.int32], vectors: NDArray[np.float64]) -> None:
    """Equation 3.7: component j of vector i is key i plus 0.0001 j; (l_n, m) float64."""
    np.add(keys[:, np.newaxis], STEP * np.arange(design.m), out=vectors)


def wrong_keys(design: Design, rank: int, received: NDArray[np.int32]) -> str | None:
    """The first error in the received keys; None if they are sorted."""
    return _first_wrong(received != sorted_keys(design, rank), rank, "key")


def wrong_vectors(design: Design, rank: int, received: NDArray[np.float64]) -> str | None:
    """The first error in the received vectors, (l_n, m); None if they are sorted."""
    keys, components = sorted_keys(design, rank), STEP * np.arange(design.m)
    rows = max(_CHUNK // design.m, 1)
    for begin in range(0, design.l_n, rows):
        expected = keys[begin : begin + rows, np.newaxis] + components
        differ = (received[begin : begin + rows] != expected).any(axis=1)
        if found := _first_wrong(differ, rank, "vector", begin):
            return found
    return None


def _first_wrong(differ: NDArray[np.bool_], rank: int, what: str, begin: int = 0) -> str | None:
    wrong = np.flatnonzero(differ)
    if wrong.size == 0:
        return None
    return f"{what} {begin + int(wrong[0])} of rank {rank} is not the one that sorted data has there"


# --- exchanges ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exchange:
    """One exchange on the arrays of a process.

    Attributes:
        clear: reset the receive buffer.
        move: the exchange, which is timed. Collective.
        wrong: the first error in the received data; None if they are sorted.
    """

    clear: Callable[[], None]
    move: Callable[[], None]
    wrong: Callable[[], str | None]


def prepare(comm: MPI.Intracomm, design: Design, ways: Sequence[str], seed: int) -> dict[str, Exchange]:
    """The exchanges of these names on the p ranks of ``comm``. Collective."""
    keys = unsorted_keys(design, comm.rank)
    counts = send_counts(design, keys)
    incoming = np.empty_like(counts)
    comm.Alltoall(counts, incoming)
    made: dict[str, Exchange] = {}
    if "A" in ways:
        made["A"] = _counts(comm, design, counts)
    if "B" in ways:
        made["B"] = _keys(comm, design, keys, counts, incoming)
    if any(way in VECTORS for way in ways):
        vectors = np.empty((design.l_n, design.m))
        fill_vectors(design, keys, vectors)
        received = np.empty_like(vectors)
        made |= _vectors(comm, design, vectors, received, counts, incoming, seed)
    return {way: made[way] for way in ways}


def _counts(comm: MPI.Intracomm, design: Design, counts: NDArray[np.int32]) -> Exchange:
    received = np.empty_like(counts)

    def wrong() -> str | None:
        if (received == design.block).all():
            return None
        return f"rank {comm.rank} is told to receive {received.tolist()}, not {design.block} of each"

    return Exchange(lambda: received.fill(-1), lambda: comm.Alltoall(counts, received), wrong)


def _keys(
    comm: MPI.Intracomm,
    design: Design,
    keys: NDArray[np.int32],
    counts: NDArray[np.int32],
    incoming: NDArray[np.int32],
) -> Exchange:
    received = np.empty_like(keys)
    outgoing = [keys, (counts, displacements(counts))]
    arriving = [received, (incoming, displacements(incoming))]
    return Exchange(
        lambda: received.fill(0),
        lambda: comm.Alltoallv(outgoing, arriving),
        lambda: wrong_keys(design, comm.rank, received),
    )


def _vectors(
    comm: MPI.Intracomm,
    design: Design,
    vectors: NDArray[np.float64],
    received: NDArray[np.float64],
    counts: NDArray[np.int32],
    incoming: NDArray[np.int32],
    seed: int,
) -> dict[str, Exchange]:
    from mpi4py import MPI

    def scaled(of: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return of.astype(np.int64) * design.m, displacements(of).astype(np.int64) * design.m

    outgoing = [vectors, scaled(counts), MPI.DOUBLE]
    arriving = [received, scaled(incoming), MPI.DOUBLE]
    shuffled = random.Random(seed).sample(range(comm.size), comm.size)
    moves: dict[str, Callable[[], None]] = {"C": lambda: comm.Alltoallv(outgoing, arriving)}
    for way, ring in (("shift", list(range(comm.size))), ("shuffled", shuffled)):
        moves[way] = _shift(comm, partners(comm.rank, ring), vectors, received, design.block)
    return {
        way: Exchange(
            lambda: received.fill(0),
            move,
            lambda: wrong_vectors(design, comm.rank, received),
        )
        for way, move in moves.items()
    }


def partners(rank: int, ring: Sequence[int]) -> list[tuple[int, int]]:
    """Destination and source of a rank, stage by stage, by the schedule shift on this ring."""
    program = schedule.make("shift", p=len(ring), n=len(ring), ring=ring).program(rank)
    to = {send.stage: send.peer for send in program.sends}
    source = {receive.stage: receive.peer for receive in program.receives}
    return [(to[stage], source[stage]) for stage in sorted(to)]


def _shift(
    comm: MPI.Intracomm,
    stages: Sequence[tuple[int, int]],
    vectors: NDArray[np.float64],
    received: NDArray[np.float64],
    block: int,
) -> Callable[[], None]:
    def of(array: NDArray[np.float64], rank: int) -> NDArray[np.float64]:
        return array[rank * block : (rank + 1) * block]

    def move() -> None:
        of(received, comm.rank)[:] = of(vectors, comm.rank)
        for to, source in stages:
            comm.Sendrecv(of(vectors, to), to, _TAG, of(received, source), source, _TAG)

    return move
