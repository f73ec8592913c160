"""A process that removes what the one that started it leaves behind, however that ends.

``python _watcher.py PID MARK`` is told by process PID, on standard input, what is to go when it ends: one
line of JSON for each thing before it is made, ``[number, kind, value]``, and ``[number]`` once it is gone. At
the end of the input, or of the process, it removes what was not taken back, and ends.

==========  ============================================================================================
kind        value
==========  ============================================================================================
processes   a mark; all processes whose variable ``SORTLAST_MARK`` begins with it, whoever is their parent
namespaces  what the names of network namespaces begin with; with the processes in them
path        a file, or a folder with what it holds
==========  ============================================================================================

Why a process: nothing that a killed process has set up still runs. The kernel can tell the children of one
that dies (PR_SET_PDEATHSIG), but a launcher's children are not the ranks, and namespaces and files have no
parent. A variable is inherited by all that a launcher starts, through whatever daemons and sessions.

It uses the standard library alone, and starts without the package: in some 20 ms.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

MARK = "SORTLAST_MARK"  # variable of processes that belong to one that is watched
NAMESPACES = "/run/netns"

_MEMORY = "/dev/shm/"
_LIMIT = 30.0  # time for processes to end that were killed [s]
_SETTLE = 0.02  # time between two looks at what is left [s]


def kill_marked(mark: str) -> None:
    """Kill all processes whose mark begins so, until there is none, and remove what has a name of theirs.

    That is their shared memory, and the folders of Open MPI's launchers, which outlive them. A later launcher
    that has the number of the dead one would find that folder in its place, and give up.
    """
    wanted = f"{MARK}={mark}".encode()
    _kill(lambda pid: any(each.startswith(wanted) for each in _read(pid, "environ").split(b"\0")))


def kill_inside(names: Iterable[str]) -> None:
    """Kill all processes in network namespaces, until there is none."""
    inodes = {_inode(f"{NAMESPACES}/{name}") for name in names} - {None}
    if inodes:
        _kill(lambda pid: _inode(f"/proc/{pid}/ns/net") in inodes)


def remove_namespaces(prefix: str) -> list[str]:
    """Remove the network namespaces whose names begin so, with their processes, until there is none."""
    removed: list[str] = []
    end = time.monotonic() + _LIMIT
    while names := [name for name in namespaces() if name.startswith(prefix)]:
        kill_inside(names)
        for name in names:
            command = ["ip", "netns", "delete", name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode and name in namespaces() and time.monotonic() > end:
                raise OSError(f"{' '.join(command)} failed: {done.stderr.strip()}")
        removed += names
    return removed


def namespaces() -> list[str]:
    """Names of the network namespaces of this machine that have one."""
    try:
        return sorted(os.listdir(NAMESPACES))
    except FileNotFoundError:
        return []


def remove_path(path: str) -> None:
    """Remove a file, or a folder with what it holds, if it is there."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(path)


def _kill(meant: Callable[[int], bool]) -> None:
    """Kill all processes that are meant.

    They are stopped first, so that none says that another has died, or starts one.
    """
    end = time.monotonic() + _LIMIT
    named: set[str] = set()
    while found := [pid for pid in _processes() if pid != os.getpid() and meant(pid)]:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
                if number == signal.SIGSTOP:
                    named |= _memory(pid) | _session(pid)
        if time.monotonic() > end:
            raise OSError(f"processes {found} do not end though they were killed")
        time.sleep(_SETTLE)
    for path in named:
        remove_path(path)


def _memory(pid: int) -> set[str]:
    """Files of shared memory that a process maps."""
    lines = [line.split(maxsplit=5) for line in _read(pid, "maps").decode(errors="replace").splitlines()]
    mapped = {(each[5], int(each[4])) for each in lines if len(each) == 6 and each[5].startswith(_MEMORY)}
    # A host of a testbed has a folder of its own under the same name.
    return {path for path, number in mapped if (_inode(path) or (0, 0))[1] == number}


def _session(pid: int) -> set[str]:
    """The folder that a process has if it is a launcher of Open MPI 5."""
    lines = _read(pid, "environ").decode(errors="replace").split("\0")
    variables = dict(line.split("=", 1) for line in lines if "=" in line)
    place = next(filter(None, map(variables.get, ("TMPDIR", "TEMP", "TMP"))), "/tmp")
    path = f"{place}/ompi.{pid}"
    return {path} if os.path.isdir(path) else set()


def _processes() -> list[int]:
    return sorted(int(name) for name in os.listdir("/proc") if name.isdigit())


def _read(pid: int, name: str) -> bytes:
    """A file of a process; empty if it is gone or another user's."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def _inode(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


_REMOVE: dict[str, Callable[[str], object]] = {
    "processes": kill_marked,
    "namespaces": remove_namespaces,
    "path": remove_path,
}


def _told(watched: int) -> dict[int, tuple[str, str]]:
    """What is left to remove once the process has ended."""
    left: dict[int, tuple[str, str]] = {}
    text = b""
    waiting = [0]
    # The input may outlive the process, in a copy of it that has inherited the other end.
    with suppress(OSError, AttributeError):
        waiting.append(os.pidfd_open(watched))
    os.set_blocking(0, False)
    while True:
        ready, _, _ = select.select(waiting, [], [])
        with suppress(BlockingIOError):
            while more := os.read(0, 1 << 16):
                text += more
            return _noted(left, text)
        if len(ready) > 1 or ready != [0]:
            return _noted(left, text)
        whole, _, text = text.rpartition(b"\n")
        _noted(left, whole)


def _noted(left: dict[int, tuple[str, str]], lines: bytes) -> dict[int, tuple[str, str]]:
    for line in lines.splitlines():
        number, *thing = json.loads(line)
        if thing:
            left[number] = (thing[0], thing[1])
        else:
            left.pop(number, None)
    return left


def main(watched: int, mark: str) -> None:
    """Wait for the end of a process, and remove what it has left; ``mark``: of all that it starts."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    left = list(_told(watched).values())
    if not left:
        return

    # Processes first: they would go on making files.
    for kind, remove in _REMOVE.items():
        for value in (value for other, value in [("processes", mark), *left] if other == kind):
            try:
                remove(value)
            except OSError as error:
                print(f"sortlast: {error}", file=sys.stderr, flush=True)

    # A bar of progress may have hidden the cursor.
    if os.isatty(2):
        os.write(2, b"\x1b[?25h")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
