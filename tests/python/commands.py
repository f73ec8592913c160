"""The command line in a process of its own, that is there at once.

    done = commands.run("price", "--p", 4)
    assert done.returncode == 0, done.stderr

A Python that imports the command line takes longer to start than most commands take to run. So a process
that has imported it stays, and each command is a copy of it, see command_server.py: with variables, a folder,
files and an end of its own, as under ``python -m sortlast``.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from sortlast import _leftovers

_SERVER = Path(__file__).with_name("command_server.py")


class Server:
    """The process that commands are copies of, of the given Python."""

    def __init__(self, python: Path) -> None:
        self._held = ExitStack()
        inherited = dict(os.environ)
        if python != Path(sys.executable):
            inherited.pop("PYTHONPATH", None)  # which names packages of ours
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._held.enter_context(self._socket)
        with theirs:
            self._held.enter_context(
                _leftovers.start(
                    [str(python), str(_SERVER), str(theirs.fileno())],
                    inherited,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                )
            )

    def run(self, task: Mapping[str, object], files: list[int], timeout: float) -> int:
        """Run one command; its status as subprocess has it. Raises TimeoutError, after it was killed."""
        socket.send_fds(self._socket, [json.dumps(task).encode()], files)
        self._socket.settimeout(None)
        pid = int(self._socket.recv(32))
        self._socket.settimeout(timeout)
        try:
            return int(self._socket.recv(32))
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            raise

    def close(self) -> None:
        """End it, and what still runs of a command."""
        self._held.close()


_kept: dict[Path, Server] = {}  # those of this session that were needed


def run(
    *arguments: object,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    given: bytes = b"",
    together: bool = False,
    text: bool = True,
    timeout: float = 120.0,
    python: Path | None = None,
    streams: Mapping[int, int | None] | None = None,
) -> subprocess.CompletedProcess:
    """Run ``sortlast`` with these arguments, and return what it printed.

    Args:
        arguments: of the command, made text.
        folder: where it runs; this process's.
        variables: its environment on top of this process's.
        given: what a pipe gives it as standard input, up to 64 kB.
        together: errors are printed where output is.
        text: what it printed is text.
        timeout: limit in seconds; raises TimeoutError after that.
        python: of another environment, which has the command line.
        streams: open files instead of standard output (1) and standard error (2); None: it is closed.
    """
    task = {
        "arguments": list(map(str, arguments)),
        "folder": str(folder or os.getcwd()),
        "variables": os.environ | (variables or {}),
        "closed": [number for number, file in (streams or {}).items() if file is None],
    }
    python = python or Path(sys.executable)
    if python not in _kept:
        _kept[python] = Server(python)
    with ExitStack() as held:
        stdout, stderr = (held.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        files = [_pipe(given), stdout.fileno(), (stdout if together else stderr).fileno()]
        held.callback(os.close, files[0])
        for number, file in (streams or {}).items():
            files[number] = files[number] if file is None else file
        try:
            status = _kept[python].run(task, files, timeout)
        except BaseException:
            close_all()
            raise
        stdout.seek(0)
        stderr.seek(0)
        printed = [stdout.read(), stderr.read()]
    if text:
        printed = [each.decode() for each in printed]
    return subprocess.CompletedProcess(["sortlast", *task["arguments"]], status, *printed)


def _pipe(given: bytes) -> int:
    """The end to read of a pipe that holds some bytes."""
    assert len(given) <= 1 << 16
    read, write = os.pipe()
    os.write(write, given)
    os.close(write)
    return read


def close_all() -> None:
    """End the session's servers."""
    while _kept:
        _kept.popitem()[1].close()
