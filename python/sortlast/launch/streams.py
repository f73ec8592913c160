"""Standard output and standard error of a command: a full disk or a closed stream causes no traceback.

If a write to standard output fails, a command still does its work and writes its files, as GNU coreutils do.
It reports the first failure on standard error, discards later output and exits with status 1. If the reader
of a pipe has exited (``| head``), the command reports nothing and exits with status 141, like a program
killed by SIGPIPE. The status of any other failure takes precedence. If a write to standard error fails, the
message is lost.
"""

from __future__ import annotations

import errno
import io
import locale
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, BinaryIO, TextIO

from sortlast import _leftovers

_CHUNK = 1 << 16  # bytes
_LINGER = 5.0  # maximum wait for further output after a program has ended [s]
_PERIOD = 0.05  # between two checks of that wait [s]


class _Descriptor(io.RawIOBase):
    """Writes to a file descriptor until a write fails; ``error`` is the failure, later output is lost."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.error: OSError | None = None

    def fileno(self) -> int:
        return self._number

    def isatty(self) -> bool:
        return os.isatty(self._number)

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:
        while self.error is None:
            try:
                return os.write(self._number, content)
            except BlockingIOError:  # another process has made the file non-blocking
                select.select([], [self._number], [])
            except OSError as error:
                self.error = error
                if self._number == 1 and error.errno != errno.EPIPE:
                    print(f"sortlast: cannot write to standard output: {error.strerror}", file=sys.stderr)
        return memoryview(content).nbytes


@contextmanager
def guarded() -> Iterator[None]:
    """Guard the standard streams within the block; failed writes to standard output set the exit status.

    Streams that this process has already replaced, as tests do, are not changed.
    """
    _open_missing()
    with ExitStack() as held:
        held.enter_context(_replaced("stderr", 2))
        output = held.enter_context(_replaced("stdout", 1))
        try:
            yield
        except SystemExit as end:
            sys.stdout.flush()
            if output is None or output.error is None or end.code:
                raise
            sys.exit(128 + signal.SIGPIPE if output.error.errno == errno.EPIPE else 1)


def _open_missing() -> None:
    """Open closed standard streams, so that no other file gets descriptor 0, 1 or 2.

    Standard input is then empty, writes to standard output fail, and standard error discards everything.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)
            os.dup2(opened, number)  # inheritable, for child processes
            if opened != number:
                os.close(opened)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - stays open until the process ends


@contextmanager
def _replaced(name: str, number: int) -> Iterator[_Descriptor | None]:
    stream: TextIO | None = getattr(sys, name)
    if stream is not getattr(sys, f"__{name}__"):
        yield None
        return
    descriptor = _Descriptor(number)
    encoding = locale.getpreferredencoding(False) if stream is None else stream.encoding
    text = io.TextIOWrapper(
        io.BufferedWriter(descriptor),
        encoding,
        "backslashreplace",
        line_buffering=number == 2 or descriptor.isatty(),
    )
    setattr(sys, name, text)
    try:
        yield descriptor
    finally:
        text.flush()
        setattr(sys, name, stream)


class Forwarded:
    """Pipes that are copied to the guarded streams of this process.

    A launcher of ranks ends the job when it cannot print; a pipe can always be written. Pass ``stdout`` and
    ``stderr`` to :class:`subprocess.Popen`. They are None, so that the program inherits the stream, if this
    process has not guarded it. Raises :class:`sortlast.Error` if no pipe can be made.
    """

    def __init__(self) -> None:
        self._ends: list[int] = []
        self._copies: list[_Copy] = []
        try:
            self.stdout = self._pipe(sys.stdout)
            self.stderr = self._pipe(sys.stderr)
        except OSError as error:
            self.__exit__()
            raise _leftovers.start_error(error) from error

    def _pipe(self, stream: TextIO) -> int | None:
        binary: Any = getattr(stream, "buffer", None)
        if not isinstance(getattr(binary, "raw", None), _Descriptor):
            return None
        stream.flush()
        read, write = os.pipe()
        self._ends.append(write)
        self._copies.append(_Copy(read, binary))
        return write

    def start(self) -> None:
        """Start copying, once the program runs."""
        self._close()
        for copy in self._copies:
            copy.start()

    def __enter__(self) -> Forwarded:
        return self

    def __exit__(self, *failure: object) -> None:
        """Wait until everything is copied, but not long for a process that outlives the program."""
        self._close()
        for copy in self._copies:
            copy.finish()

    def _close(self) -> None:
        while self._ends:
            os.close(self._ends.pop())


class _Copy(threading.Thread):
    """Copies a pipe to a stream until the pipe is closed at its other end."""

    def __init__(self, read: int, stream: BinaryIO) -> None:
        super().__init__(daemon=True)
        self._pipe = open(read, "rb", buffering=0)  # noqa: SIM115 - run() or finish() closes it
        self._stream = stream
        self._writing = False

    def run(self) -> None:
        with suppress(ValueError), self._pipe:  # the stream may be closed when the command ends
            while content := self._pipe.read(_CHUNK):
                self._writing = True
                self._stream.write(content)
                self._stream.flush()
                self._writing = False

    def finish(self) -> None:
        """Wait until everything is copied; the wait for further input is limited, the wait to write is not.

        A pager that the user has paused may read much later.
        """
        if self.ident is None:
            self._pipe.close()
        waited = 0.0
        while self.ident is not None and self.is_alive() and waited < _LINGER:
            self.join(_PERIOD)
            waited += 0.0 if self._writing else _PERIOD
