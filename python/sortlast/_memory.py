"""How much memory data may take: what a file claims is held against a limit before anything is allocated.

A damaged or hostile header may claim any size in a hundred bytes, and a kernel that overcommits memory says
no only when it is too late. So every reader of data works out what it is about to take and calls
:func:`check` first, and what comes from a foreign package is read within :func:`foreign`.
"""

from __future__ import annotations

import logging
import re
import resource
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sortlast._errors import Error

_SHARE = 0.5  # of what is available: needs are estimates, and others use the machine too
_MACHINE = Path("/proc/meminfo")
_STATUS = Path("/proc/self/status")
_GROUPS = Path("/proc/self/cgroup")
_GROUP_ROOT = Path("/sys/fs/cgroup")
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}

DEFLATE_RATIO = 1032  # bytes that one byte of zlib's format can stand for, at most


def limit(asked: int | None = None, sharers: int = 1) -> int | None:
    """Bytes that data may take: those ``asked`` for, or this process's share of half of what is available.

    ``sharers`` processes of this machine take as much each. None if neither is known.
    """
    if asked is not None:
        return asked
    free = available()
    return None if free is None else int(_SHARE * free) // sharers


def available() -> int | None:
    """Bytes that this process can still take: of the machine, its control group and its address space.

    None where nothing tells.
    """
    found = [value_in(_MACHINE, "MemAvailable"), _left_in_group(), _left_in_address_space()]
    return min((each for each in found if each is not None), default=None)


def check(
    path: str | Path,
    what: str,
    needs: int,
    most: int | None,
    remedy: str = "raise the limit (--memory) or make the data smaller",
) -> None:
    """Raise :class:`sortlast.Error`, naming the file, if ``what`` it holds needs more than ``most`` bytes.

    ``remedy``: what a user can do about it.
    """
    if most is not None and needs > most:
        raise Error(
            f"{path}: {what} need {in_words(needs)} of memory, more than the limit of {in_words(most)};"
            f" if the file is sound, {remedy}"
        )


def check_holds(path: str | Path, what: str, needs: int, there: int, ratio: int = 1) -> None:
    """Raise :class:`sortlast.Error`, naming the file, if ``what`` its header tells of cannot be in it.

    That is if ``there`` bytes, each of which may stand for ``ratio`` others, are fewer than it ``needs``.
    """
    if needs > there * ratio:
        packed = " even if they are compressed" if ratio > 1 else ""
        raise Error(
            f"{path}: the header tells of {what}, {needs:,} bytes, which the {there:,} bytes of the file"
            f" cannot hold{packed}: it is cut off or damaged; get it anew"
        )


@contextmanager
def foreign(path: str | Path, kind: str) -> Iterator[None]:
    """Within: whatever a foreign package raises over a file is one line that names the file.

    The package may know no better than to raise anything at all for a damaged file, and to warn on the way.
    """
    logged = logging.root.manager.disable
    logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Error:
        raise
    except MemoryError:
        raise Error(f"{path}: not enough memory to read it as {kind}; make the data smaller") from None
    except OSError as error:
        raise Error(f"cannot read {path} as {kind}: {error.strerror or _line(error)}") from error
    except Exception as error:
        raise Error(f"cannot read {path} as {kind}: {_line(error)}; is it damaged?") from error
    finally:
        logging.disable(logged)


def parse(text: str) -> int:
    """Bytes of a text such as "500M" or "8G" (powers of 1024). Raises ValueError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None or not float(found[1]) > 0:
        raise ValueError(f"{text!r} is not a size such as 500M or 8G")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def in_words(count: int) -> str:
    """Bytes in the unit that reads best: "1.5 GiB"."""
    for unit, scale in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale:
            return f"{count / scale:,.1f} {unit}"
    return f"{count} bytes"


def value_in(table: Path, name: str) -> int | None:
    """The bytes of a line "name: N kB" of a table of /proc; None if there is none."""
    try:
        lines = table.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        key, _, value = line.partition(":")
        if key == name:
            return 1024 * int(value.split()[0])
    return None


def _left_in_group() -> int | None:
    """What the control groups above this process leave it (version 2 of the interface)."""
    try:
        name = next(line for line in _GROUPS.read_text().splitlines() if line.startswith("0::"))[3:]
    except (OSError, StopIteration):
        return None
    group = _GROUP_ROOT / name.lstrip("/")
    left = []
    for folder in (group, *group.parents):
        try:
            most, used = (int((folder / f"memory.{each}").read_text()) for each in ("max", "current"))
        except (OSError, ValueError):  # no such file, or "max": no limit
            continue
        left.append(max(0, most - used))
    return min(left, default=None)


def _left_in_address_space() -> int | None:
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    used = value_in(_STATUS, "VmSize")
    return None if most == resource.RLIM_INFINITY or used is None else max(0, most - used)


def _line(error: Exception) -> str:
    """What an exception says, on one line, or its kind if it says nothing."""
    return " ".join(str(error).split()) or type(error).__name__
