"""Names of network namespaces, which identify their testbed: ``sortlast-SCOPE-TESTBED-HOST``.

SCOPE is the number of the process namespace: containers that share the folder of network namespaces do not
see each other's processes, so they cannot know whether another container's testbed is in use. Each container
has its own scope and sees only its own testbeds. TESTBED is either a word that begins with a letter, or it
names the process that will remove it and begins with a digit, so that it cannot be a name chosen by a user.
"""

from __future__ import annotations

import os
import re
from itertools import count
from pathlib import Path

from sortlast._errors import ArgumentError

_WORD = re.compile(r"[a-z][a-z0-9]{0,19}")
_OWNER = re.compile(r"(\d+)t(\d+)n\d+")
_count = count()


SCOPE = "SORTLAST_TESTBED_SCOPE"  # variable of ranks on hosts, which have separate process namespaces


def scope() -> str:
    """An identifier shared by the processes that see each other."""
    return os.environ.get(SCOPE) or _processes()


def _processes() -> str:
    """Number of the process namespace."""
    return re.sub(r"\D", "", os.readlink("/proc/self/ns/pid"))


def prefix(testbed: str) -> str:
    """The prefix of the names of a testbed's namespaces."""
    return f"sortlast-{scope()}-{testbed}-"


def testbed_of(namespace: str) -> str | None:
    """The testbed of this scope that a namespace belongs to; None if it belongs to none."""
    match = re.match(rf"sortlast-{scope()}-([a-z0-9]+)-", namespace)
    return match[1] if match else None


def own() -> str:
    """A new name for a testbed of this process."""
    return f"{owner()}n{next(_count)}"


def check(testbed: str, *, own: bool = False) -> None:
    """Raise ArgumentError for an invalid testbed name; with ``own``, names from :func:`own` are valid too."""
    if own and _OWNER.fullmatch(testbed):
        return
    if not _WORD.fullmatch(testbed):
        raise ArgumentError(
            f"a testbed cannot be called {testbed!r}; use up to 20 of a-z and 0-9, a letter first"
        )


def is_stale(testbed: str) -> bool:
    """Whether the testbed is named by a process that has ended."""
    match = _OWNER.fullmatch(testbed)
    return match is not None and not lives(f"{match[1]}t{match[2]}")


def owner() -> str:
    """Identify this process: its number and its start time, since numbers are reused."""
    return f"{os.getpid()}t{_start(os.getpid())}"


def lives(owner: str) -> bool:
    """Whether a process from :func:`owner` still runs. True if it cannot be seen, as in a rank."""
    if scope() != _processes():
        return True
    pid, _, start = owner.partition("t")
    return _start(int(pid)) == start


def _start(pid: int) -> str:
    """The start time of a process; empty if it has ended."""
    try:
        state, *more = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if state in "ZX" else more[18]
