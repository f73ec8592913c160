"""Standard output and standard error of a command: a full disk or a closed stream causes no traceback.

A command whose standard output cannot be written does its work and writes its files, as the tools of GNU
coreutils do: it reports the first failure at once on standard error, drops what it prints after that, and
ends with status 1. If the reader of a pipe has gone (``| head``), it reports nothing and ends with status
141, like a program that SIGPIPE ends. The status of another failure takes precedence. Messages that standard
error cannot take are lost.
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

_CHUNK = 1 << 16  # bytes
_LINGER = 5.0  # wait for what a program has printed before it ended [s]


class _Descriptor(io.RawIOBase):
    """Writes to an open file until that fails; the rest is dropped, and ``error`` says why."""

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
            except BlockingIOError:  # another process has set the file so
                select.select([], [self._number], [])
            except OSError as error:
                self.error = error
                if self._number == 1 and error.errno != errno.EPIPE:
                    print(f"sortlast: cannot write to standard output: {error.strerror}", file=sys.stderr)
        return memoryview(content).nbytes


@contextmanager
def guarded() -> Iterator[None]:
    """Within: the command's streams are guarded, and its exit status says whether all was printed.

    A stream that this process has replaced, as tests do, is left alone.
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
    """Open closed standard streams, so that no file of this process gets their numbers.

    Writing to standard output fails then, as it should; standard error discards everything.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)
            os.dup2(opened, number)  # which programs that are started inherit
            if opened != number:
                os.close(opened)


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
    """Pipes through which programs print where a guarded command does, whether that can be written or not.

    Launchers of ranks end the job when they cannot print. ``stdout`` and ``stderr`` are for
    :class:`subprocess.Popen`; where the stream is not guarded, the program inherits it.
    """

    def __init__(self) -> None:
        self._ends: list[int] = []
        self._threads: list[threading.Thread] = []
        self.stdout = self._pipe(sys.stdout)
        self.stderr = self._pipe(sys.stderr)

    def _pipe(self, stream: TextIO) -> int | None:
        binary = getattr(stream, "buffer", None)
        if not isinstance(getattr(binary, "raw", None), _Descriptor):
            return None
        stream.flush()
        read, write = os.pipe()
        self._ends.append(write)
        self._threads.append(threading.Thread(target=_copy, args=(read, binary), daemon=True))
        return write

    def start(self) -> None:
        """Begin to forward, once the program runs."""
        self._close()
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Forwarded:
        return self

    def __exit__(self, *failure: object) -> None:
        """Wait until all is printed. Not for long: a process that outlives the program may hold a pipe."""
        self._close()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(_LINGER)

    def _close(self) -> None:
        while self._ends:
            os.close(self._ends.pop())


def _copy(read: int, stream: BinaryIO) -> None:
    with suppress(ValueError), open(read, "rb", buffering=0) as pipe:  # the command has ended meanwhile
        while content := pipe.read(_CHUNK):
            stream.write(content)
            stream.flush()
