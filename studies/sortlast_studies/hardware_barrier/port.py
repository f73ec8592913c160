"""The paper's barrier on a node: one bit out, one bit in, and polling; Table 5 has the access times.

A port is real, ``/dev/parport0`` through Linux' ppdev, or simulated on a wire in shared memory.
``python -m ...port SETTINGS REPORT`` measures the seconds of a write to a port and of a read from it.

The ioctl numbers are the values of <linux/ppdev.h> on architectures with the generic layout (x86, ARM,
RISC-V). The paper writes directly to the port's registers, with ioperm; ppdev does the same in the kernel
without access to the rest of the machine.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from sortlast import Error, launch
from sortlast_studies.hardware_barrier.shared import LIMIT, POLLS, Registers, wait_until
from sortlast_studies.hardware_barrier.wire import Delays
from sortlast_studies.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI


def _ioctl(direction: int, number: int, size: int) -> int:
    """The number of an ioctl of ppdev, with type 'p'; direction: 0 none, 1 write, 2 read."""
    return direction << 30 | size << 16 | ord("p") << 8 | number


PPRSTATUS = _ioctl(2, 0x81, 1)
PPWDATA = _ioctl(1, 0x86, 1)
PPCLAIM = _ioctl(0, 0x8B, 0)
PPRELEASE = _ioctl(0, 0x8C, 0)
PPEXCL = _ioctl(0, 0x8F, 0)

FIRST_PORT = Path("/dev/parport0")

DATA_0 = 0x01  # pin 2: the line from this node; the other bits of the data register are 0
STATUS_ACK = 0x40  # pin 10: the line to it, a status line that is not inverted


class Port(Protocol):
    """A line from this node to the wire, and the line from the wire that all nodes read."""

    def write(self, high: bool) -> None:
        """Drive this node's line."""

    def read(self) -> bool:
        """Whether the common line is high."""

    def close(self) -> None:
        """Release the port."""


class PortBarrier:
    """Waits for high, then for low, and so on: the latch of the wire resets itself.

    All nodes must have constructed theirs, which lowers all lines, before the first of them waits.

    Args:
        port: this node's port.
        polls: number of reads before sleeping.
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
        return f"{state}; a node has not arrived, or its cable is off"


def agreed_level(lines: npt.NDArray[np.int64], common: npt.NDArray[np.int64], delay: int) -> bool:
    """The level of the common line, which follows the lines ``delay`` ns after they agree.

    ``common`` is one number in shared memory: 2 * (time of the last edge [ns]) + level after it.
    """
    edge, level = divmod(int(common[0]), 2)
    now = time.monotonic_ns()
    high = int(lines.sum())
    if high == (0 if level else len(lines)):
        edge, level = now + delay, 1 - level
        common[0] = 2 * edge + level
    return bool(level) if now >= edge else not level


class SimulatedWire:
    """A :class:`Port` for each rank of one machine, on a wire in shared memory.

    Every rank evaluates the wire's logic when it reads. The common line changes ``delay`` nanoseconds after a
    rank has found that all lines agree; the default is the delay of the gates.

    This is safe without a lock: a rank that finds all lines high is itself waiting for this, and keeps its
    own line high until it proceeds, so the common line cannot have fallen again when the rank stores that it
    rises.
    """

    def __init__(self, comm: MPI.Intracomm, delay: int | None = None) -> None:
        self._rank = comm.rank
        self._delay = delay if delay is not None else round(1e-3 * Delays.as_published().total(comm.size))
        self._registers = Registers(comm, comm.size + 1)
        self._lines = self._registers.values[:-1]
        self._common = self._registers.values[-1:]

    def write(self, high: bool) -> None:
        """See :class:`Port`."""
        self._registers.synchronise()
        self._lines[self._rank] = high
        self._registers.synchronise()

    def read(self) -> bool:
        """See :class:`Port`."""
        self._registers.synchronise()
        return agreed_level(self._lines, self._common, self._delay)

    def close(self) -> None:
        """Free the memory; all ranks call it."""
        self._registers.close()


class ParallelPort:
    """The port's pin 2 drives this node's line, its pin 10 reads the common line.

    Args:
        path: path of the device.

    Raises:
        Error: the port does not exist, cannot be opened, or is used by another program.
    """

    def __init__(self, path: Path = FIRST_PORT) -> None:
        self._path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise Error(
                f"cannot open the parallel port {path}: {error.strerror}; load the driver (modprobe ppdev) "
                "and join the group of the device (usually lp)"
            ) from error
        try:
            self._call(PPEXCL, 0)
            self._call(PPCLAIM, 0)
        except Error:
            os.close(self._file)
            raise

    def write(self, high: bool) -> None:
        """Drive the line from this node."""
        self._call(PPWDATA, bytes([DATA_0 if high else 0]))

    def read(self) -> bool:
        """Whether the line to this node is high."""
        register = bytearray(1)
        self._call(PPRSTATUS, register)
        return bool(register[0] & STATUS_ACK)

    def close(self) -> None:
        """Release the port for other programs."""
        self._call(PPRELEASE, 0)
        os.close(self._file)

    def _call(self, number: int, argument: int | bytes | bytearray) -> None:
        try:
            fcntl.ioctl(self._file, number, argument)
        except OSError as error:
            raise Error(
                f"the parallel port {self._path} refuses ioctl {number:#x}: {error.strerror}; is it a "
                "device of ppdev, and does no other program hold it?"
            ) from error


# --- Table 5, measured ------------------------------------------------------------------------------


def measure(comm: MPI.Intracomm, settings: Json) -> Json:
    """Seconds of rank 0's accesses to its port; the other ranks keep their lines low.

    Settings: ``port`` ("wire", the simulated one, or "ppdev", the machine's parallel port), ``calls`` and
    ``turns``. The report maps this name to a list of [write, read], the mean seconds of each turn; or
    ``refused`` to the reason why the port is missing.
    """
    makers: dict[str, Callable[[], Port]] = {"wire": lambda: SimulatedWire(comm), "ppdev": ParallelPort}
    name = settings["port"]
    try:
        with closing(makers[name]()) as port:
            return {name: [_mean_seconds(port, settings["calls"]) for _ in range(settings["turns"])]}
    except Error as error:
        return {"refused": str(error)}


def _mean_seconds(port: Port, calls: int) -> tuple[float, float]:
    begin = time.perf_counter()
    for k in range(calls):
        port.write(k % 2 == 0)
    written = time.perf_counter()
    for _ in range(calls):
        port.read()
    return (written - begin) / calls, (time.perf_counter() - written) / calls


if __name__ == "__main__":
    launch.serve(measure)
