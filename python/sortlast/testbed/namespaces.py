"""Network namespaces: what the kernel is told through ``ip`` and ``tc``, and what it still holds."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from sortlast._errors import Error

_PROBE = "unshare --net --uts --ipc --pid --fork --kill-child --mount-proc true"


def why_not() -> str:
    """What this machine lacks for hosts in network namespaces; empty if nothing."""
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
    """Names of all namespaces that have one."""
    return [line.split()[0] for line in call("ip", "netns", "list").splitlines() if line]


def remove(names: Iterable[str]) -> None:
    """Remove namespaces, and with them their interfaces and processes."""
    with uninterrupted():
        for name in names:
            kill([name])
            call("ip", "netns", "delete", name)


def kill(names: Iterable[str]) -> None:
    """Kill all processes in namespaces."""
    for name in names:
        for pid in processes(name):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def processes(name: str) -> list[int]:
    """Process numbers in a namespace."""
    return [int(pid) for pid in call("ip", "netns", "pids", name).split()]


def batch(program: str, namespace: str, lines: Sequence[str]) -> None:
    """Run lines of ``ip`` or ``tc`` in a namespace, until one fails."""
    if lines:
        call(program, "-n", namespace, "-batch", "-", stdin="\n".join(lines) + "\n")


def call(*argv: str, stdin: str = "") -> str:
    """Run a command and return its output. Raises Error with what it wrote if it fails or is missing."""
    try:
        done = subprocess.run(argv, input=stdin, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Error(f"{argv[0]} is missing; install iproute2 and util-linux") from None
    if done.returncode:
        raise Error(f"{' '.join(argv)} failed: {done.stderr.strip()}")
    return done.stdout


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put an interrupt off, so that what is half made is known, and what is half removed goes."""
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)
