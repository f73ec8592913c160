"""Limits the memory that data may take: a file's claims are checked before anything is allocated.

A damaged or hostile header of a hundred bytes may claim any size, and a kernel that overcommits memory fails
only when it is too late. Every reader of data therefore estimates its memory and calls :func:`check` first,
and reads data with third-party packages inside :func:`foreign`.
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

_SHARE = 0.5  # of the available memory: needs are estimates, and others use the machine too
_MACHINE = Path("/proc/meminfo")
_STATUS = Path("/proc/self/status")
_GROUPS = Path("/proc/self/cgroup")
_GROUP_ROOT = Path("/sys/fs/cgroup")
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}

DEFLATE_RATIO = 1032  # maximum compression ratio of zlib's format


def limit(asked: int | None = None, sharers: int = 1) -> int | None:
    """Maximum bytes for data: ``asked``, or this process's share of half of the available memory.

    ``sharers`` processes of this machine get equal shares. None if neither is known.
    """
    if asked is not None:
        return asked
    free = available()
    return None if free is None else int(_SHARE * free) // sharers


def available() -> int | None:
    """Available bytes for this process: limited by the machine, its control group and its address space.

    None if not known.
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
    """Raise :class:`sortlast.Error`, naming the file, if its ``what`` needs more than ``most`` bytes.

    ``remedy``: advice to the user.
    """
    if most is not None and needs > most:
        raise Error(
            f"{path}: {what} need {in_words(needs)} of memory, more than the limit of {in_words(most)};"
            f" if the file is sound, {remedy}"
        )


def check_holds(path: str | Path, what: str, needs: int, there: int, ratio: int = 1) -> None:
    """Raise :class:`sortlast.Error`, naming the file, if it is too short for ``what`` its header claims.

    This is the case if ``there`` bytes, times a compression ratio of ``ratio``, are fewer than ``needs``.
    """
    if needs > there * ratio:
        packed = " even if they are compressed" if ratio > 1 else ""
        raise Error(
            f"{path}: the header claims {what}, {needs:,} bytes, which the {there:,} bytes of the file"
            f" cannot hold{packed}: it is cut off or damaged; get a new copy"
        )


@contextmanager
def foreign(path: str | Path, kind: str) -> Iterator[None]:
    """Context that turns any exception of a third-party package into a one-line error with the file's name.

    For a damaged file, such a package may raise any exception, and issue warnings.
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
    """Parse a size such as "500M" or "8G" (powers of 1024) into bytes. Raises ValueError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None or not float(found[1]) > 0:
        raise ValueError(f"{text!r} is not a size such as 500M or 8G")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def in_words(count: int) -> str:
    """Bytes in a suitable unit: "1.5 GiB"."""
    for unit, scale in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale:
            return f"{count / scale:,.1f} {unit}"
    return f"{count} bytes"


def value_in(table: Path, name: str) -> int | None:
    """The bytes of a line "name: N kB" in a file of /proc; None if there is none."""
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
    """The memory left by the control groups above this process (version 2 of the interface)."""
    try:
        name = next(line for line in _GROUPS.read_text().splitlines() if line.startswith("0::"))[3:]
    except (OSError, StopIteration):
        return None
    group = _GROUP_ROOT / name.lstrip("/")
    left = []
    for folder in (group, *group.parents):
        try:
            most, used = (int((folder / f"memory.{each}").read_text()) for each in ("max", "current"))
        except (OSError, ValueError):  # no such file, or "max", which means no limit
            continue
        left.append(max(0, most - used))
    return min(left, default=None)


def _left_in_address_space() -> int | None:
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    used = value_in(_STATUS, "VmSize")
    return None if most == resource.RLIM_INFINITY or used is None else max(0, most - used)


def _line(error: Exception) -> str:
    """The message of an exception on one line, or its type if it has none."""
    return " ".join(str(error).split()) or type(error).__name__
