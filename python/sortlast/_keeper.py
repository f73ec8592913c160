"""Run a command in a process that outlives its starter, and remove everything that either leaves behind.

``python _keeper.py PID FD FOLDER [COMMAND ...]`` makes FOLDER, runs COMMAND and exits with its status, or
128 + the signal that killed it. The keeper kills all descendants of the command and removes the folder when
the command ends, when process PID ends, or when the other end of the pipe FD is closed. Without a command it
only removes the folder, which the starter makes.

Only another process can clean up after SIGKILL. Process groups do not suffice, because mpiexec puts ranks
into their own groups and sessions. The keeper is therefore a *child subreaper*: it adopts a process when the
parent of that process ends, so all processes that the command started are its descendants.

To start within about 20 ms, it imports the standard library only and runs without site-packages.
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

NAME = b"sortlast-keeper"  # process name, at most 15 bytes
MEMORY = "/dev/shm"

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
_PR_SET_PDEATHSIG, _PR_SET_NAME, _PR_SET_CHILD_SUBREAPER = 1, 15, 36  # of linux/prctl.h
_LIMIT = 30.0  # maximum wait for killed processes to end [s]
_SETTLE = 0.01  # between two attempts to remove processes or a folder [s]
_ATTEMPTS = 500  # to remove a folder
_LOOKS, _BETWEEN = 5, 0.1  # at segments that may be of another job that starts or ends [s]
_NOTES = "segments"  # file in a keeper's folder

# Shared memory segments that MPICH, Open MPI (sm_segment.HOST.UID.JOB.RANK; vader before version 5) and UCX
# keep in /dev/shm while a job runs. No other file there is removed.
_SEGMENT = re.compile(
    r"mpich_(shm|vci)_[0-9a-f]+_\d+|(sm|vader)_segment\..+\.\d+\.[0-9a-f]+\.\d+|ucx_shm_posix_[0-9a-f]+"
)


class _Process(NamedTuple):
    pid: int
    parent: int
    name: bytes


class Segment(NamedTuple):
    """A shared memory file: path, device and inode number."""

    path: str
    device: int
    number: int


def wait_for_end(starter: int, pipe: int, wake: int | None = None) -> bool:
    """Wait until process ``starter`` has ended or its end of the pipe is closed, and return True.

    Returns False if ``wake`` becomes readable first.
    """
    waiting = [pipe] if wake is None else [pipe, wake]
    watched = None
    # The pipe alone does not suffice: a fork of the starter may hold it open.
    try:
        watched = os.pidfd_open(starter)
        waiting.append(watched)
    except ProcessLookupError:
        return True
    except (OSError, AttributeError):
        pass  # not supported by the kernel or by this Python
    events = select.poll()  # select() accepts no descriptor above 1023
    for each in waiting:
        events.register(each, select.POLLIN)
    ready = [each for each, _ in events.poll()]
    if watched is not None:
        os.close(watched)
    return ready != [wake]


def segments() -> dict[str, Segment]:
    """The MPI segments of this user, by path."""
    found = {}
    with suppress(OSError):
        for entry in os.scandir(MEMORY):
            with suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if _SEGMENT.fullmatch(entry.name) and about.st_uid == os.getuid():
                    found[entry.path] = Segment(entry.path, about.st_dev, about.st_ino)
    return found


def kill_descendants() -> set[Segment]:
    """Kill all descendants of this process, and return the segments that they mapped.

    They are stopped first, so that none reports the death of another or starts a new process. Other keepers
    are killed only after the limit, because they clean up and end without help. Raises OSError if some
    processes do not end.
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
    """List the descendants of this process, ancestors first, without zombies."""
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
    """The MPI segments that a process maps."""
    lines = _read(f"/proc/{pid}/maps").decode(errors="replace").splitlines()
    fields = [line.split(maxsplit=5) for line in lines if f" {MEMORY}/" in line]
    mapped = {(each[5], int(each[4])) for each in fields}
    # A process in another mount namespace may map a different file with the same name.
    return {each for each in segments().values() if (each.path, each.number) in mapped} if mapped else set()


def note_segments(folder: str) -> None:
    """Note the segments that this rank maps, so that the keeper with this folder removes them.

    Called after MPI has started. mpiexec may kill all ranks before the keeper can inspect them.
    """
    with open(f"{folder}/{_NOTES}", "a") as file:
        file.write("".join(f"{each.path} {each.device} {each.number}\n" for each in _mapped(os.getpid())))


def _noted(folder: str) -> set[Segment]:
    """The segments that ranks have noted. Malformed lines, as a killed rank may leave, are skipped."""
    noted = set()
    for line in _read(f"{folder}/{_NOTES}").decode(errors="replace").splitlines():
        with suppress(ValueError):
            path, device, number = line.split()
            noted.add(Segment(path, int(device), int(number)))
    return noted


def _remove_segments(mapped: set[Segment]) -> None:
    for segment in mapped & set(segments().values()):
        with suppress(OSError):
            os.unlink(segment.path)


def _report_segments(before: dict[str, Segment]) -> None:
    """Report segments that appeared while the command ran and that no process maps any more.

    The segments of another job are mapped by no process for a moment when it starts, and when it ends.
    """
    left = {segment for path, segment in segments().items() if before.get(path) != segment}
    for look in range(_LOOKS):
        time.sleep(_BETWEEN if look and left else 0)
        left &= set(segments().values())
        left -= set().union(*(_mapped(int(pid)) for pid in os.listdir("/proc") if pid.isdigit() and left))
    for segment in sorted(left):
        _print(f"MPI left shared memory in {segment.path}; remove the file unless another job uses it")


def _print(message: str) -> None:
    """Print to standard error; if that is full or closed, the message is lost."""
    with suppress(OSError):
        os.write(2, f"sortlast: {message}\n".encode(errors="replace"))


def _read(path: str) -> bytes:
    """Read a file; the result is empty if it cannot be read, as in /proc for a process of another user."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _reap(child: int = 0) -> int | None:
    """Collect the children that have ended, and return the status of ``child`` if it is one of them."""
    found = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == child:
                found = os.waitstatus_to_exitcode(ended[1])
    return found


def _run(starter: int, pipe: int, command: list[str]) -> int | None:
    """Run the command until it or its starter ends; return its status, or None if the starter ended."""
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _ignore)
    try:
        # The command inherits the files that the starter has passed to the keeper.
        process = subprocess.Popen(command, close_fds=False, preexec_fn=_end_with_keeper)
    except OSError as error:
        _print(f"cannot start {command[0]}: {error.strerror}")
        return 127

    def forward(number: int, frame: object) -> None:
        with suppress(ProcessLookupError):  # the command may already have been collected
            os.kill(process.pid, number)

    _on_signals(forward)
    status = None
    while status is None and not wait_for_end(starter, pipe, wake):
        with suppress(BlockingIOError):
            os.read(wake, 1 << 12)
        status = _reap(process.pid)
    _on_signals(_ignore)
    return status


def _on_signals(handler: Callable[[int, object], None]) -> None:
    """Handle signals that ask a process to end, unless the starter ignores them.

    Unlike SIG_IGN, a handler is not inherited by the command.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _end_with_keeper() -> None:
    """Ask the kernel to terminate this process if the keeper is killed."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _prctl(option: int, value: object) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _remove(folder: str) -> None:
    """Remove a folder, even if processes that are about to end still make files in it."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(_SETTLE)


def _ignore(number: int, frame: object) -> None:
    """Do nothing on a signal."""


def main(starter: int, pipe: int, folder: str, command: list[str]) -> NoReturn:
    """Run the command and clean up; see the module's docstring."""
    _on_signals(_ignore)
    os.set_inheritable(pipe, False)
    _prctl(_PR_SET_NAME, NAME)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    status: int | None = 0
    if command:
        try:
            os.mkdir(folder, 0o700)
        except OSError as error:
            _print(f"cannot make the folder {folder}: {error.strerror}; set TMPDIR to another folder")
            sys.exit(1)
    try:
        if command:
            status = _guard(starter, pipe, folder, command)
        else:
            wait_for_end(starter, pipe)
    finally:
        _remove(folder)

    # A progress bar may have hidden the cursor.
    if status is None and os.isatty(2):
        with suppress(OSError):
            os.write(2, b"\x1b[?25h")
    sys.exit(1 if status is None else status if status >= 0 else 128 - status)


def _guard(starter: int, pipe: int, folder: str, command: list[str]) -> int | None:
    """Run the command, then remove its descendants and segments; return its status as _run() does."""
    os.environ["TMPDIR"] = folder
    before = segments()
    status = _run(starter, pipe, command)
    try:
        _remove_segments(kill_descendants())
    except OSError as error:
        _print(str(error))
    _remove_segments(_noted(folder))
    if status:
        _report_segments(before)
    return status


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
