"""A real parallel port, through Linux' ppdev: ``/dev/parport0`` and its ioctls.

The numbers are those of <linux/ppdev.h> on the architectures with the generic layout of ioctl numbers (x86,
ARM, RISC-V). The paper writes to the port's registers itself, with ioperm; ppdev does the same in the kernel
and leaves the rest of the machine alone.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from sortlast import Error


def _ioctl(direction: int, number: int, size: int) -> int:
    """The number of an ioctl of ppdev, whose type is 'p'; direction: 0 none, 1 write, 2 read."""
    return direction << 30 | size << 16 | ord("p") << 8 | number


PPRSTATUS = _ioctl(2, 0x81, 1)
PPWDATA = _ioctl(1, 0x86, 1)
PPCLAIM = _ioctl(0, 0x8B, 0)
PPRELEASE = _ioctl(0, 0x8C, 0)
PPEXCL = _ioctl(0, 0x8F, 0)

FIRST_PORT = Path("/dev/parport0")

DATA_0 = 0x01  # pin 2: the line from this node
STATUS_ACK = 0x40  # pin 10: the line to it; of the status lines one that is not inverted


class ParallelPort:
    """The port's pin 2 drives this node's line, its pin 10 reads the common one.

    Args:
        path: of the device.
        output: the bit of the data register that is driven; the others are 0.
        status: the bit of the status register that is read.

    Raises:
        Error: there is no such port, it may not be opened, or another program has it.
    """

    def __init__(self, path: Path = FIRST_PORT, output: int = DATA_0, status: int = STATUS_ACK) -> None:
        self._output, self._status = output, status
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
        self._call(PPWDATA, bytes([self._output if high else 0]))

    def read(self) -> bool:
        """Whether the line to this node is high."""
        register = bytearray(1)
        self._call(PPRSTATUS, register)
        return bool(register[0] & self._status)

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
