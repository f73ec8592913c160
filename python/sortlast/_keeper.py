"""A process that runs a command and outlives its starter, to remove whatever either leaves behind.

``python _keeper.py PID FD FOLDER [COMMAND ...]`` makes FOLDER, runs the command, and exits with its status
(128 + the signal if one ended it). When the command ends, process PID ends or the pipe FD is closed at its
other end, the keeper kills every process that descends from the command and removes the folder. Without a
command it only guards the folder, which its starter makes.

Why a process: the kernel runs nothing on behalf of a process killed by SIGKILL. Process groups do not
suffice, since mpiexec puts ranks into groups and sessions of their own. The keeper is a *child subreaper*
instead: a process whose parent has ended becomes its child, so its descendants are exactly the processes that
the command started.

The standard library alone is imported, without site-packages: the start takes some 20 ms.
"""

from __future__ import annotations

import ctypes
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, NoReturn

NAME = b"sortlast-keeper"  # of the process: at most 15 bytes
MEMORY = "/dev/shm"

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
_PR_SET_PDEATHSIG, _PR_SET_NAME, _PR_SET_CHILD_SUBREAPER = 1, 15, 36  # of linux/prctl.h
_LIMIT = 30.0  # time for killed processes to end [s]
_SETTLE = 0.01  # between two looks at what is left [s]
_ATTEMPTS = 500  # to remove a folder
_NOTES = "segments"  # file of a keeper's folder

# Segments that MPICH and UCX name in /dev/shm for as long as a job runs. No other file there is ever removed.
_SEGMENT = re.compile(r"mpich_(shm|vci)_[0-9a-f]+_\d+|ucx_shm_posix_[0-9a-f]+")


class _Process(NamedTuple):
    pid: int
    parent: int
    name: bytes


class Segment(NamedTuple):
    """A file of shared memory: its path, and the device and number of the file."""

    path: str
    device: int
    number: int


def wait_for_end(starter: int, pipe: int, wake: int | None = None) -> bool:
    """Wait until process ``starter`` has ended or its end of the pipe is closed; whether that is so.

    False if ``wake`` can be read before.
    """
    waiting = [pipe] if wake is None else [pipe, wake]
    watched = None
    # A fork of the starter may hold the pipe open.
    try:
        watched = os.pidfd_open(starter)
        waiting.append(watched)
    except ProcessLookupError:
        return True
    except (OSError, AttributeError):
        pass  # the kernel or this Python has no such call
    ready, _, _ = select.select(waiting, [], [])
    if watched is not None:
        os.close(watched)
    return ready != [wake]


def segments() -> dict[str, Segment]:
    """Segments of MPI libraries that belong to this user, by path."""
    found = {}
    with suppress(OSError):
        for entry in os.scandir(MEMORY):
            with suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if _SEGMENT.fullmatch(entry.name) and about.st_uid == os.getuid():
                    found[entry.path] = Segment(entry.path, about.st_dev, about.st_ino)
    return found


def kill_descendants() -> set[Segment]:
    """Kill all descendants of this process, until there is none; the segments that they mapped.

    They are stopped first, so that none reports the death of another or starts a new one. Keepers among them
    are left alone until the limit: each ends by itself and cleans up. Raises OSError if some do not end.
    """
    end = time.monotonic() + _LIMIT
    mapped: set[Segment] = set()
    while found := _descendants():
        late = time.monotonic() > end
        pids = [each.pid for each in found if late or each.name != NAME]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in pids:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
                if number == signal.SIGSTOP:
                    mapped |= _mapped(pid)
        if late and time.monotonic() > end + 1:
            raise OSError(f"processes {pids} do not end though they were killed")
        _reap()
        time.sleep(_SETTLE)
    return mapped


def _descendants() -> list[_Process]:
    """Ancestors first, zombies left out."""
    children: dict[int, list[_Process]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            pid, rest = int(name), _read(f"/proc/{name}/stat")
            command, _, fields = rest.partition(b"(")[2].rpartition(b")")
            if fields and (state := fields.split())[0] != b"Z":
                children.setdefault(int(state[1]), []).append(_Process(pid, int(state[1]), command))
    found, new = [], [os.getpid()]
    while new:
        below = [each for pid in new for each in children.get(pid, [])]
        found += below
        new = [each.pid for each in below]
    return found


def _mapped(pid: int) -> set[Segment]:
    """Segments of MPI libraries that a process maps."""
    lines = _read(f"/proc/{pid}/maps").decode(errors="replace").splitlines()
    fields = [line.split(maxsplit=5) for line in lines if f" {MEMORY}/" in line]
    mapped = {(each[5], int(each[4])) for each in fields}
    # In a mount namespace of its own a process may map another file of the same name.
    return {each for each in segments().values() if (each.path, each.number) in mapped} if mapped else set()


def note_segments(folder: str) -> None:
    """In a rank after MPI has started: have the keeper whose folder this is remove the segments mapped here.

    mpiexec may kill all ranks before the keeper can look at them.
    """
    with open(f"{folder}/{_NOTES}", "a") as file:
        file.write("".join(f"{each.path} {each.device} {each.number}\n" for each in _mapped(os.getpid())))


def _noted(folder: str) -> set[Segment]:
    lines = _read(f"{folder}/{_NOTES}").decode().splitlines()
    return {Segment(path, int(device), int(number)) for path, device, number in map(str.split, lines)}


def _remove_segments(mapped: set[Segment]) -> None:
    for segment in mapped & set(segments().values()):
        with suppress(OSError):
            os.unlink(segment.path)


def _report_segments(before: dict[str, Segment]) -> None:
    """Name segments that appeared while the command ran and that no process maps any more."""
    new = [segment for path, segment in segments().items() if before.get(path) != segment]
    used = set().union(*(_mapped(int(pid)) for pid in os.listdir("/proc") if pid.isdigit())) if new else set()
    for segment in sorted(set(new) - used):
        print(
            f"sortlast: MPI left shared memory in {segment.path}; remove the file unless another job uses it",
            file=sys.stderr,
            flush=True,
        )


def _read(path: str) -> bytes:
    """A file of /proc; empty if its process has ended or belongs to another user."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _reap(child: int = 0) -> int | None:
    """Collect the children that have ended; the status of ``child`` if it is one of them."""
    found = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == child:
                found = os.waitstatus_to_exitcode(ended[1])
    return found


def _run(starter: int, pipe: int, command: list[str]) -> int | None:
    """Run the command to its end or its starter's; the status, or None if it was the starter that ended."""
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _ignore)
    try:
        # Files that the starter passes on are for the command.
        process = subprocess.Popen(command, close_fds=False, preexec_fn=_end_with_keeper)
    except OSError as error:
        print(f"sortlast: cannot start {command[0]}: {error.strerror}", file=sys.stderr, flush=True)
        return 127
    _on_signals(lambda number, frame: os.kill(process.pid, number))
    status = None
    while status is None and not wait_for_end(starter, pipe, wake):
        with suppress(BlockingIOError):
            os.read(wake, 1 << 12)
        status = _reap(process.pid)
    _on_signals(_ignore)
    return status


def _on_signals(handler: Callable[[int, object], None]) -> None:
    """Handle signals that ask a process to end, but for those that the starter ignores.

    Unlike SIG_IGN, a handler is not inherited by the command.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _end_with_keeper() -> None:
    """Have the kernel end this process if the keeper is killed."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _prctl(option: int, value: object) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _remove(folder: str) -> None:
    """Remove a folder in which processes that are about to end may still make files."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(_SETTLE)


def _ignore(number: int, frame: object) -> None:
    """Outlive a signal."""


def main(starter: int, pipe: int, folder: str, command: list[str]) -> NoReturn:
    """See the head of the file."""
    _on_signals(_ignore)
    os.set_inheritable(pipe, False)
    _prctl(_PR_SET_NAME, NAME)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    status: int | None = 0
    if not command:
        wait_for_end(starter, pipe)
    else:
        os.mkdir(folder, 0o700)
        os.environ["TMPDIR"] = folder
        before = segments()
        status = _run(starter, pipe, command)
        try:
            _remove_segments(kill_descendants() | _noted(folder))
        except OSError as error:
            print(f"sortlast: {error}", file=sys.stderr, flush=True)
        if status:
            _report_segments(before)
    _remove(folder)

    # A progress bar may have hidden the cursor.
    if status is None and os.isatty(2):
        os.write(2, b"\x1b[?25h")
    sys.exit(1 if status is None else status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
