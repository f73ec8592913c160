"""Child processes and temporary folders that are removed when this process ends, even if it is killed.

A separate process (:mod:`sortlast._keeper`) watches this one and removes them when it ends.
"""

from __future__ import annotations

import errno
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from sortlast import _keeper
from sortlast._errors import Error

SIGNALS = _keeper.SIGNALS
_ELSEWHERE = "set TMPDIR to another folder"
_LIMIT = 60.0  # maximum wait for a keeper to remove everything [s]
_SETTLE = 0.005  # between two checks of a keeper [s]
_ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT


_ADVICE = {
    errno.EAGAIN: "; end some processes or allow more (ulimit -u)",
    errno.EMFILE: "; close some files or allow more (ulimit -n)",
}


def start_error(error: OSError) -> Error:
    """The error to raise if no process can be started, or no pipe to one can be made."""
    return Error(f"cannot start a process: {error.strerror}{_ADVICE.get(error.errno or 0, '')}")


class Kept:
    """A process that cleans up at the end of the block or when this process ends.

    Args:
        script: run as ``python SCRIPT PID FD ARGUMENTS``; PID is this process, FD is a pipe. The other end of
            the pipe is closed at the end of the block. The script calls
            :func:`sortlast._keeper.wait_for_end`.
        popen: keyword arguments for :class:`subprocess.Popen`.

    Attributes:
        process: the :class:`subprocess.Popen` object of the script.
        folder: the temporary folder; only :func:`start` sets it.

    Raises :class:`sortlast.Error` if the process cannot be started.
    """

    folder: Path

    def __init__(self, script: Sequence[str], *arguments: str, **popen: Any) -> None:
        self._owner = os.getpid()
        try:
            read, self._pipe = os.pipe()
            try:
                command = [sys.executable, *script, str(self._owner), str(read), *arguments]
                passed = [read, *popen.pop("pass_fds", [])]
                # In a new session, signals from a terminal do not reach it.
                self.process: subprocess.Popen[Any] = subprocess.Popen(
                    command, pass_fds=passed, start_new_session=True, **popen
                )
            except BaseException:
                os.close(self._pipe)
                raise
            finally:
                os.close(read)
        except OSError as error:
            raise start_error(error) from error
        _open.add(self)

    def close(self) -> None:
        """End the process, and wait until it has removed everything."""
        if self in _open and self._owner == os.getpid():
            _open.remove(self)
            os.close(self._pipe)
            # Not process.wait(): a signal handler that calls close() may interrupt it while it holds a lock.
            end = time.monotonic() + _LIMIT
            with suppress(ChildProcessError):
                while os.waitid(os.P_PID, self.process.pid, _ENDED) is None and time.monotonic() < end:
                    time.sleep(_SETTLE)
            self.process.poll()

    def __enter__(self) -> Kept:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_open: set[Kept] = set()
_KEEPER = ["-I", "-S", "-B", _keeper.__file__]


def start(command: Sequence[str], env: Mapping[str, str] | None = None, **popen: Any) -> Kept:
    """Run a command, and kill it and all its descendants at the end of the block.

    The returned object's ``process`` ends after the command and all its descendants. Its exit status is the
    command's, or 128 + the signal that killed the command. The command's ``TMPDIR`` is ``folder``, which is
    removed at the end. Without ``stdin`` in ``popen``, standard input is empty.
    """
    path = _new_folder()
    kept = Kept(_KEEPER, str(path), *command, env=env, **{"stdin": subprocess.DEVNULL, **popen})
    kept.folder = path
    return kept


@contextmanager
def folder() -> Iterator[Path]:
    """Make a temporary folder, and remove it at the end of the block or when this process ends."""
    path = _new_folder()
    with guarded(path):
        try:
            path.mkdir(mode=0o700)
        except OSError as error:
            raise Error(f"cannot make the folder {path}: {error.strerror}; {_ELSEWHERE}") from error
        yield path


def guarded(path: Path) -> Kept:
    """Remove a folder, if it exists, at the end of the block or when this process ends."""
    return Kept(_KEEPER, str(path), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/")


def _new_folder() -> Path:
    try:
        place = tempfile.gettempdir()
    except FileNotFoundError as error:
        raise Error(f"{error.strerror}; {_ELSEWHERE}") from error
    return Path(place, f"sortlast-{secrets.token_hex(6)}")


def end_by_signals() -> None:
    """Handle hang-up, interrupt, quit and termination: clean up, then exit with 128 + the signal.

    For commands only. The handler raises no exception, because the code that it interrupts could catch or
    replace it. Signals that are ignored, as under nohup, remain ignored.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, frame: object) -> NoReturn:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    for kept in list(_open):
        kept.close()
    if os.isatty(2):
        os.write(2, b"\x1b[?25h\n")  # the cursor, which a progress bar hides
    os._exit(128 + number)
