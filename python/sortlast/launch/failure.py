"""Ends a failed command: one line for an expected error, and never a hanging rank."""

from __future__ import annotations

import fcntl
import os
import stat
import struct
import sys
import tempfile
import termios
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn, TypeVar

import sortlast
from sortlast import _extras
from sortlast._shown import shown
from sortlast.files import NO_ROOM
from sortlast.launch import mpiexec

if TYPE_CHECKING:
    from mpi4py import MPI

Result = TypeVar("Result")


def together(comm: MPI.Intracomm, work: Callable[[], Result]) -> Result:
    """Call ``work()`` on every rank; if it fails on some, raise the lowest rank's error on all.

    For work that depends on the rank, such as reading a file: the others would otherwise wait for the failed
    rank. Handles only :class:`sortlast.Error` and :class:`OSError`. Communicates.
    """
    failure, result = None, None
    try:
        result = work()
    except (sortlast.Error, OSError) as error:
        failure = f"rank {comm.rank}: {error}" if comm.size > 1 else str(error)
    failures = [text for text in comm.allgather(failure) if text is not None]
    if failures:
        raise sortlast.Error(failures[0])
    return result  # type: ignore[return-value]


_PAUSE = 0.005  # between two checks of a pipe [s]
_SAID = 2  # maximum exit status of a rank that has reported its error
_NOT_IN_THE_DEMO = ("_fabric", "_simulate", "_bench_mpich", "_bench_openmpi")


def end(error: Exception, *, alike: bool = True) -> NoReturn:
    """Report an error and end the process, and with it every rank that might wait for this one.

    A :class:`sortlast.Error` becomes one message and exit status 2; any other exception (a defect) gives a
    traceback and exit status 1. Errors that are the same on every rank are reported by rank 0 only. With
    ``alike``, this applies to every :class:`sortlast.Error` except timeouts and MPI errors. If started ranks
    have reported their error, this process exits with their status and prints nothing more.
    """
    if isinstance(error, ModuleNotFoundError):
        error = _explained(error)
    elif isinstance(error, OSError) and error.errno in NO_ROOM and not isinstance(error, sortlast.Error):
        place = error.filename or tempfile.gettempdir()
        error = sortlast.Error(f"cannot write to {place}: {os.strerror(error.errno)}; make room there")
    elif isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        error = sortlast.Error("cannot start a thread; end some processes or allow more (ulimit -u)")
    if isinstance(error, mpiexec.RanksError) and error.status <= _SAID:
        sys.exit(error.status)
    status = 2 if isinstance(error, sortlast.Error) else 1
    comm = _ranks()
    if comm is None:
        _report(error, "sortlast")
    elif alike and status == 2 and not isinstance(error, (sortlast.TimeoutError, sortlast.MpiError)):
        if comm.rank == 0:
            _report(error, "sortlast")
    else:
        _report(error, f"sortlast: rank {comm.rank}")
        wait_until_read(sys.stderr.fileno())
        comm.Abort(status)
    sys.exit(status)


def wait_until_read(stream: int, most: float = 2.0) -> None:
    """Wait until a pipe's reader has read everything written to it, for at most ``most`` seconds.

    mpiexec reads the ranks' output through pipes, and drops unread output when they are aborted.
    """
    if not stat.S_ISFIFO(os.fstat(stream).st_mode):
        return
    end = time.monotonic() + most
    with suppress(OSError):  # the kernel does not count unread bytes
        while struct.unpack("i", fcntl.ioctl(stream, termios.FIONREAD, bytes(4)))[0]:
            if time.monotonic() > end:
                return
            time.sleep(_PAUSE)


def _explained(error: ModuleNotFoundError) -> Exception:
    """If an optional module is missing, return an error that names the remedy."""
    if (error.name or "").removeprefix("sortlast.") in _NOT_IN_THE_DEMO:
        only = "this installation holds only what the demo needs"
        remedy = "./run setup adds it in about three minutes"
        return sortlast.Error(f"{only}, and {error.name} is missing; {remedy}")
    return _extras.instead_of(error, "this command") or error


def _report(error: Exception, prefix: str) -> None:
    if isinstance(error, sortlast.Error):
        print(shown(f"{prefix}: {error}", keep="\n\t"), file=sys.stderr, flush=True)
    else:
        traceback.print_exception(error)


def _ranks() -> MPI.Intracomm | None:
    """All ranks if there are several and MPI is running, else None."""
    if not mpiexec.under_mpiexec() or "mpi4py.MPI" not in sys.modules:
        return None
    from mpi4py import MPI

    running = MPI.Is_initialized() and not MPI.Is_finalized()
    return MPI.COMM_WORLD if running and MPI.COMM_WORLD.size > 1 else None
