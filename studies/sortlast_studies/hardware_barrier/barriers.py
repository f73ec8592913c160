"""Barriers with one interface: no rank returns from ``wait`` before all have called it.

==============  =======================================================================================
mpi             MPI_Barrier of the MPI library
dissemination   in round k rank i sends to rank i + 2^k: ceil(log2 p) rounds (Hensgen, Finkel, Manber, 1988)
tree            up a binary tree to rank 0, and down again: 2 floor(log2 p) rounds
flags           one flag per rank in shared memory; each waits until all are up: the modern wired-AND
port            one line to a wire and one from it, like the paper's parallel port (``port``, ``wire``)
==============  =======================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from sortlast_studies.hardware_barrier.port import PortBarrier, SimulatedWire
from sortlast_studies.hardware_barrier.shared import LIMIT, Registers, polls, wait_until

if TYPE_CHECKING:
    from mpi4py import MPI


class Barrier(Protocol):
    """A collective barrier."""

    def wait(self) -> None:
        """Return once all ranks have called it. Raises :class:`sortlast.Error` if some never do."""

    def close(self) -> None:
        """Release its resources; all ranks call it."""


class MpiBarrier(Barrier):
    """MPI_Barrier."""

    def __init__(self, comm: MPI.Intracomm) -> None:
        self._comm = comm

    def wait(self) -> None:
        """See :class:`Barrier`."""
        self._comm.Barrier()


class Dissemination(Barrier):
    """Messages to ranks at doubling distances."""

    def __init__(self, comm: MPI.Intracomm) -> None:
        self._comm = comm
        distances = [1 << k for k in range((comm.size - 1).bit_length())]
        self._peers = [((comm.rank + d) % comm.size, (comm.rank - d) % comm.size) for d in distances]
        self._nothing = np.empty(0, np.uint8)

    def wait(self) -> None:
        """See :class:`Barrier`."""
        for to, source in self._peers:
            self._comm.Sendrecv(self._nothing, to, recvbuf=self._nothing, source=source)


class Tree(Barrier):
    """Messages up and down a binary tree."""

    def __init__(self, comm: MPI.Intracomm) -> None:
        self._comm = comm
        self._children = [k for k in (2 * comm.rank + 1, 2 * comm.rank + 2) if k < comm.size]
        self._parent = (comm.rank - 1) // 2
        self._nothing = np.empty(0, np.uint8)

    def wait(self) -> None:
        """See :class:`Barrier`."""
        for child in self._children:
            self._comm.Recv(self._nothing, child)
        if self._comm.rank > 0:
            self._comm.Send(self._nothing, self._parent)
            self._comm.Recv(self._nothing, self._parent)
        for child in self._children:
            self._comm.Send(self._nothing, child)


class SharedFlags(Barrier):
    """One counter per rank in shared memory; a rank stores its own and loads all others."""

    def __init__(self, comm: MPI.Intracomm, limit: float = LIMIT) -> None:
        self._rank = comm.rank
        self._registers = Registers(comm, comm.size)
        self._polls = polls(comm.size)
        self._limit = limit
        self._number = 0

    def wait(self) -> None:
        """See :class:`Barrier`."""
        self._number += 1
        self._registers.synchronise()
        self._registers.values[self._rank] = self._number
        wait_until(self._open, self._missing, polls=self._polls, limit=self._limit)

    def close(self) -> None:
        """See :class:`Barrier`."""
        self._registers.close()

    def _open(self) -> bool:
        self._registers.synchronise()
        return bool(self._registers.values.min() >= self._number)

    def _missing(self) -> str:
        late = np.flatnonzero(self._registers.values < self._number)
        return f"ranks {', '.join(map(str, late))} have not arrived at barrier number {self._number}"


def _on_wire(comm: MPI.Intracomm) -> PortBarrier:
    wire = SimulatedWire(comm)
    barrier = PortBarrier(wire, polls=polls(comm.size))
    # No rank may raise a line before all have lowered theirs.
    comm.Barrier()
    return barrier


NONE = "none"  # in place of a name: only the synchronisation that compositing itself needs

BARRIERS: dict[str, Callable[[MPI.Intracomm], Barrier]] = {
    "mpi": MpiBarrier,
    "dissemination": Dissemination,
    "tree": Tree,
    "flags": SharedFlags,
    "port": _on_wire,
}
