"""Network namespaces: what the kernel is told through ``ip`` and ``tc``, and what it still holds."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence

from sortlast import _leftovers, _watcher
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
    return _watcher.namespaces()


def remove(prefix: str) -> list[str]:
    """Remove the namespaces whose names begin so, with their interfaces and processes; the names."""
    try:
        return _watcher.remove_namespaces(prefix)
    except OSError as error:
        raise Error(f"cannot remove namespaces {prefix}*: {error}") from error


def kill(names: Iterable[str]) -> None:
    """Kill all processes in namespaces, until there is none."""
    try:
        _watcher.kill_inside(names)
    except OSError as error:
        raise Error(f"cannot end what runs in namespaces: {error}") from error


def processes(name: str) -> list[int]:
    """Process numbers in a namespace."""
    return [int(pid) for pid in call("ip", "netns", "pids", name).split()]


def batch(program: str, namespace: str, lines: Sequence[str]) -> None:
    """Run lines of ``ip`` or ``tc`` in a namespace, until one fails."""
    if lines:
        call(program, "-n", namespace, "-batch", "-", stdin="\n".join(lines) + "\n")


def call(*argv: str, stdin: str = "") -> str:
    """Run a command and return its output. Raises Error with what it wrote if it fails or is missing."""
    env = {**os.environ, **_leftovers.mark()}
    try:
        done = subprocess.run(argv, input=stdin, capture_output=True, text=True, check=False, env=env)
    except FileNotFoundError:
        raise Error(f"{argv[0]} is missing; install iproute2 and util-linux") from None
    if done.returncode:
        raise Error(f"{' '.join(argv)} failed: {done.stderr.strip()}")
    return done.stdout
