"""Processes and temporary folders that never outlive this process, however it ends.

Each is in the care of a process of its own (:mod:`sortlast._keeper`), which notices the end of this one.
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
_LIMIT = 60.0  # time for a keeper to remove everything [s]
_SETTLE = 0.005  # between two looks at a keeper [s]
_ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT


class Kept:
    """A process that cleans up at the end of the block, or of this process.

    Args:
        script: run as ``python script PID FD ARGUMENTS``; PID is this process, and FD a pipe whose other end
            closes at the end of the block. It calls :func:`sortlast._keeper.wait_for_end`.
        popen: of :class:`subprocess.Popen`.

    Attributes:
        process: the :class:`subprocess.Popen` of the script.
        folder: its temporary folder, of those that have one.

    Raises :class:`sortlast.Error` if no process can be started.
    """

    folder: Path

    def __init__(self, script: Sequence[str], *arguments: str, **popen: Any) -> None:
        self._owner = os.getpid()
        read, self._pipe = os.pipe()
        command = [sys.executable, *script, str(self._owner), str(read), *arguments]
        passed = [read, *popen.pop("pass_fds", [])]
        try:
            # A session of its own, so that no signal of a terminal reaches it.
            self.process: subprocess.Popen[Any] = subprocess.Popen(
                command, pass_fds=passed, start_new_session=True, **popen
            )
        except OSError as error:
            os.close(self._pipe)
            advice = "; end some processes or allow more (ulimit -u)" if error.errno == errno.EAGAIN else ""
            raise Error(f"cannot start a process: {error.strerror}{advice}") from error
        finally:
            os.close(read)
        _open.add(self)

    def close(self) -> None:
        """End it, and wait until it has removed everything."""
        if self in _open and self._owner == os.getpid():
            _open.remove(self)
            os.close(self._pipe)
            # A signal may interrupt process.wait(), whose lock is held then.
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
    """Run a command; at the end of the block, all processes that descend from it are killed.

    ``process`` of what is returned ends with the command, after all of its descendants; its status is the
    command's, or 128 + the signal that ended that. ``TMPDIR`` of the command is ``folder``, which is removed
    at the end. Without ``stdin`` in ``popen``, there is no standard input.
    """
    path = _new_folder()
    kept = Kept(_KEEPER, str(path), *command, env=env, **{"stdin": subprocess.DEVNULL, **popen})
    kept.folder = path
    return kept


@contextmanager
def folder() -> Iterator[Path]:
    """A temporary folder that is gone at the end of the block, or of this process."""
    path = _new_folder()
    with guarded(path):
        try:
            path.mkdir(mode=0o700)
        except OSError as error:
            raise Error(f"cannot make the folder {path}: {error.strerror}; {_ELSEWHERE}") from error
        yield path


def guarded(path: Path) -> Kept:
    """Removes a folder at the end of the block, or of this process, if it is there."""
    return Kept(_KEEPER, str(path), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/")


def _new_folder() -> Path:
    try:
        place = tempfile.gettempdir()
    except FileNotFoundError as error:
        raise Error(f"{error.strerror}; {_ELSEWHERE}") from error
    return Path(place, f"sortlast-{secrets.token_hex(6)}")


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
    for kept in list(_open):
        kept.close()
    if os.isatty(2):
        os.write(2, b"\x1b[?25h\n")  # the cursor, which a progress bar hides
    os._exit(128 + number)
