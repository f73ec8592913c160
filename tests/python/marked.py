"""Processes that inherited a variable from what a test has started, and their shared memory."""

from __future__ import annotations

from pathlib import Path


def told(path: Path) -> str:
    """What the kernel tells of a process; nothing if that has ended meanwhile."""
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def folders(variable: str, value: str) -> list[Path]:
    """Folders in /proc of living processes that inherited the variable."""
    there = Path("/proc").glob("[0-9]*")
    return [folder for folder in there if f"{variable}={value}" in told(folder / "environ").split()]


def processes(variable: str, value: str) -> list[str]:
    """Their command lines."""
    return [told(folder / "cmdline") for folder in folders(variable, value)]


def shared_memory(variable: str, value: str) -> set[str]:
    """Files of shared memory that these processes map."""
    maps = [told(folder / "maps") for folder in folders(variable, value)]
    return {word for text in maps for word in text.split() if word.startswith("/dev/shm/")}
