"""What this process makes and has to remove: processes, temporary folders and files, namespaces.

Each is told to a watcher (:mod:`sortlast._watcher`) before it is made, and taken back once it is gone, so
that none is left however this process ends. The watcher is started with the first of them.
"""

from __future__ import annotations

import atexit
import itertools
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NoReturn

from sortlast import _watcher
from sortlast._errors import Error

Kind = Literal["processes", "namespaces", "path"]

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
_LIMIT = 60.0  # time for the watcher to remove everything [s]

_lock = threading.RLock()
_numbers = itertools.count()


class _Watcher:
    """The watcher of one process; a copy of the process (a fork) needs one of its own."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.mark = f"{self.pid}-{secrets.token_hex(8)};"
        self.ended = False
        # A session of its own, so that no signal for this one's reaches it, and no mark.
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", _watcher.__file__, str(self.pid), self.mark],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            env={name: value for name, value in os.environ.items() if name != _watcher.MARK},
        )

    def tell(self, *words: int | str) -> None:
        """Tell it one thing; it has it when this returns, whatever becomes of this process."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it was killed
            os.write(self.process.stdin.fileno(), json.dumps(words).encode() + b"\n")

    def end(self) -> None:
        """Let it remove what is left, and wait for that."""
        if not self.ended:
            self.ended = True
            assert self.process.stdin is not None
            self.process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_LIMIT)


_current: _Watcher | None = None


def _watching() -> _Watcher:
    global _current
    with _lock:
        if _current is None or _current.pid != os.getpid():
            _current = _Watcher()
        return _current


def add(kind: Kind, value: str) -> int:
    """Have something removed when this process has ended, unless :func:`done` was called with the number.

    To be called before it is made; see :mod:`sortlast._watcher` for the kinds.
    """
    number = next(_numbers)
    _watching().tell(number, kind, value)
    return number


def done(number: int) -> None:
    """Take something back that has gone, or that shall stay."""
    _watching().tell(number)


@contextmanager
def folder() -> Iterator[Path]:
    """A temporary folder that is gone at the end of the block, or of this process."""
    try:
        place = tempfile.gettempdir()
    except FileNotFoundError as error:
        raise Error(f"{error.strerror}; set TMPDIR to another folder") from error
    path = Path(place, f"sortlast-{secrets.token_hex(6)}")
    number = add("path", str(path))
    try:
        path.mkdir(mode=0o700)
    except OSError as error:
        raise Error(
            f"cannot make the folder {path}: {error.strerror}; set TMPDIR to another folder"
        ) from error
    try:
        yield path
    finally:
        _remove(path)
        done(number)


def _remove(path: Path, attempts: int = 100) -> None:
    """Remove a folder, of which a process that is just ending may still make and remove files."""
    for attempt in range(attempts):
        try:
            shutil.rmtree(path)
            return
        except OSError:
            if not path.exists():
                return
            if attempt + 1 == attempts:
                raise
            time.sleep(0.05)


def mark() -> dict[str, str]:
    """Variables for short processes that this one waits for; if it is killed, they are."""
    return {_watcher.MARK: _watching().mark}


@contextmanager
def processes() -> Iterator[dict[str, str]]:
    """Variables for processes that are started in the block, and for those which they start.

    All of them are killed at the end of the block, or of this process.
    """
    mark = f"{_watching().mark}{next(_numbers)};"
    number = add("processes", mark)
    try:
        yield {_watcher.MARK: mark}
    finally:
        _watcher.kill_marked(mark)
        done(number)


def end_by_signals() -> None:
    """From here on a signal that asks this process to end makes it end at once, with nothing left behind.

    These are hang-up, interrupt, quit and termination; one that is ignored stays so, as for a command under
    nohup. The status is 128 + the signal. For commands: no exception is raised, which would pass through
    whatever runs, and could be lost there or be followed by another one.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, frame: object) -> NoReturn:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    _end_watcher()
    if os.isatty(2):
        os.write(2, b"\x1b[?25h\n")  # the cursor, which a bar of progress hides
    os._exit(128 + number)


@atexit.register
def _end_watcher() -> None:
    if _current is not None and _current.pid == os.getpid():
        _current.end()
