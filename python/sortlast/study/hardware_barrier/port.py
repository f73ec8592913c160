"""The paper's barrier as a node sees it: one bit out, one bit in, and polling.

A port is a real one, through Linux' ppdev, or one on a wire that is simulated in shared memory.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from sortlast.study.hardware_barrier.shared import Registers
from sortlast.study.hardware_barrier.waiting import LIMIT, POLLS, wait_until
from sortlast.study.hardware_barrier.wire import Delays

if TYPE_CHECKING:
    from mpi4py import MPI


class Port(Protocol):
    """A line from this node to the wire, and the line from the wire that all nodes read."""

    def write(self, high: bool) -> None:
        """Drive this node's line."""

    def read(self) -> bool:
        """Whether the common line is high."""

    def close(self) -> None:
        """Give the port back."""


class PortBarrier:
    """Waits for high, then for low, and so on: the latch of the wire resets itself.

    All nodes must have made theirs, which lowers all lines, before the first of them waits.

    Args:
        port: this node's.
        polls: how often to read it before sleeping.
        limit: seconds after which a wait is an error.

    Raises:
        Error: the common line is high and stays so.
    """

    def __init__(self, port: Port, polls: int = POLLS, limit: float = LIMIT) -> None:
        self._port = port
        self._polls = polls
        self._limit = limit
        self._high = False
        self._drive_and_wait()

    def wait(self) -> None:
        """Return once all nodes have called it.

        Raises:
            Error: the common line did not change within the limit.
        """
        self._high = not self._high
        self._drive_and_wait()

    def close(self) -> None:
        """Close the port."""
        self._port.close()

    def _drive_and_wait(self) -> None:
        self._port.write(self._high)
        wait_until(
            lambda: self._port.read() == self._high, self._missing, polls=self._polls, limit=self._limit
        )

    def _missing(self) -> str:
        wanted, found = ("high", "low") if self._high else ("low", "high")
        state = f"the wire stays {found} while this node drives it {wanted}"
        return f"{state}; a node has not come, or its cable is off"


class SimulatedWire:
    """A :class:`Port` of every rank of one machine on a wire in shared memory.

    The wire's logic runs wherever a rank reads. The common line changes ``delay`` nanoseconds after a rank
    has found all lines agreed, by default the gates' own.

    That is safe without a lock: whoever finds all lines high is waiting for that, and its own line stays high
    until it has gone on, so that the common line cannot have fallen again when it stores that it rises.
    """

    def __init__(self, comm: MPI.Intracomm, delay: int | None = None) -> None:
        self._rank = comm.rank
        self._delay = delay if delay is not None else round(1e-3 * Delays.as_published().total(comm.size))
        self._registers = Registers(comm, comm.size + 1)
        self._lines = self._registers.values[:-1]
        self._common = self._registers.values[-1:]  # 2 * (time of the last edge [ns]) + level after it

    def write(self, high: bool) -> None:
        """See :class:`Port`."""
        self._registers.synchronise()
        self._lines[self._rank] = high
        self._registers.synchronise()

    def read(self) -> bool:
        """See :class:`Port`."""
        self._registers.synchronise()
        edge, level = divmod(int(self._common[0]), 2)
        now = time.monotonic_ns()
        agreed = int(self._lines.sum())
        latch = level == 0 and agreed == len(self._lines)
        if latch or (level == 1 and agreed == 0):
            edge, level = now + self._delay, 1 - level
            self._common[0] = 2 * edge + level
        return bool(level) if now >= edge else not level

    def close(self) -> None:
        """Give the memory back; all ranks call it."""
        self._registers.close()
