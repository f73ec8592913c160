"""Dynamic barriers among ranks: groups on a wire in shared memory, and MPI communicators.

The ranks run ``python -m ...groups SETTINGS REPORT``. In every turn all ranks are divided into new groups of
one size. The measurement covers the set-up with the first barrier of a group, its later barriers, and its
end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import numpy as np

from sortlast import ArgumentError, launch
from sortlast_studies.hardware_barrier.barriers import Barrier, MpiBarrier
from sortlast_studies.hardware_barrier.port import Port, PortBarrier, agreed_level
from sortlast_studies.hardware_barrier.shared import Registers, polls
from sortlast_studies.hardware_barrier.wire import Delays
from sortlast_studies.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI

PARTS = ("set-up and first", "barrier", "tear-down")  # measured separately
WAYS = ("wire", "mpi")
_MOST = 62  # ranks, one bit each in a register


class DynamicWire:
    """A wire in shared memory on which any ranks of one machine can form a group: the circuit of ``dynamic``.

    It is made and closed by all ranks together; groups are made by their members alone. The number of a group
    is the rank of its leader, so no two groups use a register at once.

    Raises:
        ArgumentError: there are more ranks than a register has bits.
        Error: the ranks are not on one machine.
    """

    def __init__(self, comm: MPI.Intracomm, delay: int | None = None) -> None:
        if comm.size > _MOST:
            raise ArgumentError(f"a dynamic wire of {comm.size} ranks; its registers have {_MOST} bits")
        self.rank, self.polls = comm.rank, polls(comm.size)
        self.delay = round(1e-3 * Delays.as_published().total(comm.size)) if delay is None else delay
        self.registers = Registers(comm, 3 * comm.size)
        self.lines, self.members, self.common = np.split(self.registers.values, 3)

    def group(self, members: Sequence[int]) -> Group:
        """A barrier of these ranks, called by exactly these ranks. The first one leads.

        Raises:
            ArgumentError: this rank is not one of them.
        """
        if self.rank not in members:
            raise ArgumentError(f"rank {self.rank} is not one of the group of the ranks {list(members)}")
        return Group(self, members)

    def close(self) -> None:
        """Free the memory; called by all ranks, outside of groups."""
        self.registers.close()


class Group(Barrier):
    """A barrier of some ranks on a dynamic wire."""

    def __init__(self, wire: DynamicWire, members: Sequence[int]) -> None:
        self._wire, self._leader = wire, members[0]
        if wire.rank == self._leader:
            wire.common[self._leader] = 0
            wire.registers.synchronise()
            wire.members[self._leader] = sum(1 << rank for rank in members)
            wire.registers.synchronise()
        self._port = _GroupPort(wire, self._leader)
        self._barrier = PortBarrier(self._port, polls=wire.polls)
        self._high = False

    def wait(self) -> None:
        """See :class:`Barrier`."""
        self._high = not self._high
        self._barrier.wait()

    def close(self) -> None:
        """End the group; called by its members. A group that ends high needs one more barrier."""
        if self._high:
            self.wait()
        if self._wire.rank == self._leader:
            self._wire.members[self._leader] = 0
            self._wire.registers.synchronise()


class _GroupPort(Port):
    """This rank's line on a dynamic wire, and the line to it from the latch of a group."""

    def __init__(self, wire: DynamicWire, group: int) -> None:
        self._wire, self._group = wire, group

    def write(self, high: bool) -> None:
        """See :class:`Port`."""
        self._wire.registers.synchronise()
        self._wire.lines[self._wire.rank] = high
        self._wire.registers.synchronise()

    def read(self) -> bool:
        """See :class:`Port`; low if this rank is not a member of the group."""
        wire = self._wire
        wire.registers.synchronise()
        members = int(wire.members[self._group])
        if not members >> wire.rank & 1:
            return False
        lines = wire.lines[[rank for rank in range(len(wire.lines)) if members >> rank & 1]]
        return agreed_level(lines, wire.common[self._group : self._group + 1], wire.delay)

    def close(self) -> None:
        """See :class:`Port`."""


class Communicator(MpiBarrier):
    """The barrier of a new communicator of some ranks."""

    def __init__(self, comm: MPI.Intracomm, members: Sequence[int]) -> None:
        group = comm.group.Incl(list(members))
        self._made = comm.Create_group(group)
        group.Free()
        super().__init__(self._made)

    def close(self) -> None:
        """See :class:`Barrier`."""
        self._made.Free()


# --- measured -----------------------------------------------------------------------------------------


def divided(ranks: int, size: int, turn: int) -> list[list[int]]:
    """Divide all ranks randomly into groups of a size, differently in every turn; the rest has no group."""
    order = np.random.default_rng(turn).permutation(ranks).tolist()
    return [order[k : k + size] for k in range(0, ranks - size + 1, size)]


def measure(comm: MPI.Intracomm, settings: Json) -> Json:
    """Seconds of the slowest group by exchange, size and part, one value per turn. Collective.

    Settings: ``ways`` of WAYS, ``sizes`` of groups, ``turns``, and ``calls``, barriers after the first.
    """
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    with ExitStack() as made:
        makers: dict[str, Callable[[Sequence[int]], Barrier]] = {
            "mpi": lambda members: Communicator(comm, members)
        }
        if "wire" in settings["ways"]:
            makers["wire"] = made.enter_context(closing(DynamicWire(comm))).group
        for way in settings["ways"]:
            found[way] = {}
            for size in settings["sizes"]:
                times: dict[str, list[float]] = {part: [] for part in PARTS}
                for turn in range(settings["turns"]):
                    groups = divided(comm.size, size, turn)
                    mine = next((group for group in groups if comm.rank in group), None)
                    comm.Barrier()
                    told = (
                        (0.0,) * len(PARTS) if mine is None else _timed(makers[way], mine, settings["calls"])
                    )
                    for part, seconds in zip(PARTS, np.max(comm.allgather(told), axis=0), strict=True):
                        times[part].append(float(seconds))
                found[way][str(size)] = times
    return found


def _timed(make: Callable[[Sequence[int]], Barrier], members: Sequence[int], calls: int) -> tuple[float, ...]:
    """Seconds of each of PARTS; the mean for a barrier."""
    moments = [time.perf_counter()]
    barrier = make(members)
    barrier.wait()
    moments.append(time.perf_counter())
    for _ in range(calls):
        barrier.wait()
    moments.append(time.perf_counter())
    barrier.close()
    first, later, end = np.diff([*moments, time.perf_counter()]).tolist()
    return first, later / calls, end


if __name__ == "__main__":
    launch.serve(measure)
