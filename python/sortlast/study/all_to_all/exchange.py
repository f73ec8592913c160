"""The exchanges that are timed: those of Table 4.5, and the same doubles by a shift schedule.

    A          MPI_Alltoall of one int: how many vectors each process will get
    B          MPI_Alltoallv of the keys
    C          MPI_Alltoallv of the vectors
    shift      the vectors stage by stage, as the schedule shift has it: rank i to i + s at stage s
    shuffled   the same with the ranks in random order on the ring

Each exchange clears what it receives, moves it, and says what is wrong with it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sortlast import schedule
from sortlast.study.all_to_all import sort
from sortlast.study.all_to_all.design import Design

if TYPE_CHECKING:
    from mpi4py import MPI

_TAG = 1
VECTORS = ("C", "shift", "shuffled")  # exchanges of vectors
WAYS = ("A", "B", *VECTORS)


@dataclass(frozen=True)
class Exchange:
    """One way, on the arrays of a process.

    Attributes:
        clear: forget what was received.
        move: the exchange, which is timed. Collective.
        wrong: what is wrong with what was received; None if it is sorted.
    """

    clear: Callable[[], None]
    move: Callable[[], None]
    wrong: Callable[[], str | None]


def prepare(comm: MPI.Intracomm, design: Design, ways: Sequence[str], seed: int) -> dict[str, Exchange]:
    """The exchanges of these names on the ranks of ``comm``, whose size is p. Communicates."""
    keys = sort.unsorted_keys(design, comm.rank)
    counts = sort.send_counts(design, keys)
    incoming = np.empty_like(counts)
    comm.Alltoall(counts, incoming)
    made: dict[str, Exchange] = {}
    if "A" in ways:
        made["A"] = _counts(comm, design, counts)
    if "B" in ways:
        made["B"] = _keys(comm, design, keys, counts, incoming)
    if any(way in VECTORS for way in ways):
        vectors = np.empty((design.l_n, design.m))
        sort.fill_vectors(design, keys, vectors)
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
    outgoing = [keys, (counts, sort.displacements(counts))]
    arriving = [received, (incoming, sort.displacements(incoming))]
    return Exchange(
        lambda: received.fill(0),
        lambda: comm.Alltoallv(outgoing, arriving),
        lambda: sort.wrong_keys(design, comm.rank, received),
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
        return of.astype(np.int64) * design.m, sort.displacements(of).astype(np.int64) * design.m

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
            lambda: sort.wrong_vectors(design, comm.rank, received),
        )
        for way, move in moves.items()
    }


def partners(rank: int, ring: Sequence[int]) -> list[tuple[int, int]]:
    """To whom a rank sends and from whom it receives, stage by stage, by the schedule shift on this ring."""
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
