"""The libraries that a program loads, found like in the loader ld.so, without starting the program.

A name is looked up in the RPATH of the file that needs it and of its chain of loaders, then in
LD_LIBRARY_PATH, then in the file's RUNPATH, then in the system folders (``man ld.so``). A library on
LD_LIBRARY_PATH therefore replaces one on a RUNPATH, but not one on an RPATH.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sortlast import Error
from sortlast.icet import elf
from sortlast.icet.elf import Elf

_SYSTEM = ("lib", "lib64", "usr/lib", "usr/lib64")


@dataclass(frozen=True)
class Loaded:
    """A file of a running program, and the file that needed it (None for the program itself)."""

    elf: Elf
    by: Loaded | None = field(default=None, repr=False)

    def chain(self) -> Iterator[Loaded]:
        """Iterate over this file, the file that loaded it, and so on up to the program."""
        each: Loaded | None = self
        while each is not None:
            yield each
            each = each.by

    def rpath(self) -> list[Path]:
        """Folders searched before LD_LIBRARY_PATH for this file's dependencies; none if it has a RUNPATH."""
        if self.elf.runpath:
            return []
        return [folder for each in self.chain() for folder in _expanded(each.elf.rpath, each.elf)]


def walk(path: Path, beside: Iterable[Path] = ()) -> list[Loaded]:
    """List the program or library and all libraries that it needs and that can be found, each once.

    Args:
        path: of the program or library.
        beside: folders to search last, such as the program's own.

    Raises Error if ``path`` is no ELF file; other unreadable files are left out.
    """
    first = Loaded(elf.read(path))
    found, names, left = [first], set(), deque([first])
    folders = [*beside]
    while left:
        loaded = left.popleft()
        for name in loaded.elf.needed:
            if name in names:
                continue
            names.add(name)
            library = find(name, loaded, folders)
            if library is not None:
                found.append(Loaded(library, loaded))
                left.append(found[-1])
    return found


def find(name: str, loaded: Loaded, beside: Iterable[Path] = ()) -> Elf | None:
    """The library that the loader takes for a name needed by a file; None if there is none."""
    if "/" in name:
        return _of_kind(Path(name), loaded.elf.kind)
    variable = filter(None, re.split("[:;]", os.environ.get("LD_LIBRARY_PATH", "")))
    folders = (
        *loaded.rpath(),
        *map(Path, variable),
        *_expanded(loaded.elf.runpath, loaded.elf),
    )
    places = (
        *(folder / name for folder in folders),
        *_cached().get(name, ()),
        *(folder / name for folder in (*_system(), *beside)),
    )
    for place in places:
        library = _of_kind(place, loaded.elf.kind)
        if library is not None:
            return library
    return None


def _of_kind(place: Path, kind: tuple[str, int]) -> Elf | None:
    if not elf.is_elf(place):
        return None
    try:
        library = elf.read(place)
    except Error:
        return None
    return library if library.kind == kind else None


def _expanded(folders: Iterable[str], of: Elf) -> list[Path]:
    """Folders with the loader's variables expanded."""
    words = {"ORIGIN": str(of.path.resolve().parent), "PLATFORM": platform.machine()}
    expanded = []
    for folder in folders:
        for lib in ("lib", "lib64", *_multiarch("lib")) if re.search(r"\$(\{LIB\}|LIB)", folder) else ("",):
            known = {**words, "LIB": lib}
            pattern = r"\$(?:\{(\w+)\}|(ORIGIN|PLATFORM|LIB))"
            place = re.sub(pattern, lambda m, known=known: known.get(m[1] or m[2], m[0]), folder)  # type: ignore[misc]
            expanded.append(_short(place))
    return expanded


def _short(place: str) -> Path:
    """Remove the parts a/.. from a folder's name, if it remains the same folder."""
    short = os.path.normpath(place)
    return Path(short if os.path.realpath(short) == os.path.realpath(place) else place)


@cache
def _cached() -> dict[str, tuple[Path, ...]]:
    """The loader's cache: name -> paths."""
    program = shutil.which("ldconfig", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        return {}
    done = subprocess.run([program, "-p"], capture_output=True, text=True, check=False)
    found: dict[str, tuple[Path, ...]] = {}
    for name, place in re.findall(r"^\t(\S+) \(.*\) => (.+)$", done.stdout, re.MULTILINE):
        found[name] = (*found.get(name, ()), Path(place))
    return found


def _system() -> list[Path]:
    return [Path("/", each) for each in (*_multiarch("lib"), *_multiarch("usr/lib"), *_SYSTEM)]


def _multiarch(below: str) -> list[str]:
    """Debian's folders for this machine's libraries."""
    return [f"{below}/{platform.machine()}-linux-gnu"]
