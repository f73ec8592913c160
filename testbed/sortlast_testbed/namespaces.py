"""Network namespaces: configured through ``ip`` and ``tc``, listed and removed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

from sortlast._errors import Error

_PLACE = "/run/netns"
_LIMIT = 30.0  # time for killed processes to end [s]
_SETTLE = 0.02  # between two checks for remaining processes [s]
_PROBE = "unshare --net --uts --ipc --pid --fork --kill-child --mount-proc true"


def why_not() -> str:
    """The requirements for network namespaces that this machine does not meet; empty if it meets all."""
    if os.geteuid() != 0:
        return "hosts are network namespaces, which need root; run as root, for example with sudo"
    lacking = [command for command in ("ip", "tc", "unshare") if shutil.which(command) is None]
    if lacking:
        return (
            f"hosts are network namespaces, which need {', '.join(lacking)}; install iproute2 and util-linux"
        )
    probe = subprocess.run(_PROBE.split(), capture_output=True, text=True, check=False)
    return f"this machine refuses namespaces: {probe.stderr.strip()}" if probe.returncode else ""


def listed() -> list[str]:
    """Names of all named namespaces."""
    try:
        return sorted(os.listdir(_PLACE))
    except FileNotFoundError:
        return []


def remove(prefix: str) -> list[str]:
    """Remove namespaces by prefix, with their interfaces and processes; returns their names."""
    removed: list[str] = []
    end = time.monotonic() + _LIMIT
    while names := [name for name in listed() if name.startswith(prefix)]:
        kill(names)
        for name in names:
            command = ["ip", "netns", "delete", name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode and name in listed() and time.monotonic() > end:
                raise Error(f"{' '.join(command)} failed: {done.stderr.strip()}")
        removed += names
    return removed


def kill(names: Iterable[str]) -> None:
    """Kill all processes in namespaces, and wait until they have ended."""
    inodes = {_inode(f"{_PLACE}/{name}") for name in names} - {None}
    end = time.monotonic() + _LIMIT
    while found := [pid for pid in _all_processes() if _inode(f"/proc/{pid}/ns/net") in inodes]:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
        if time.monotonic() > end:
            raise Error(f"processes {found} in namespaces do not end though they were killed")
        time.sleep(_SETTLE)


def _all_processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _inode(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def processes(name: str) -> list[int]:
    """Numbers of the processes in a namespace."""
    return [int(pid) for pid in call("ip", "netns", "pids", name).split()]


def batch(program: str, namespace: str, lines: Sequence[str]) -> None:
    """Run lines of ``ip`` or ``tc`` in a namespace; stops at the first failure."""
    if lines:
        call(program, "-n", namespace, "-batch", "-", stdin="\n".join(lines) + "\n")


def call(*argv: str, stdin: str = "") -> str:
    """Run a command and return its output. Raises Error with its error output if it fails or is missing."""
    try:
        done = subprocess.run(argv, input=stdin, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Error(f"{argv[0]} is missing; install iproute2 and util-linux") from None
    if done.returncode:
        raise Error(f"{' '.join(argv)} failed: {done.stderr.strip()}")
    return done.stdout
