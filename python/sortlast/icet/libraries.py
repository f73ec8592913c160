"""Our libraries with IceT's interface: their paths, and folders of links with the names a program needs."""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sortlast import Error
from sortlast._errors import ArgumentError
from sortlast.icet import elf, loader, program
from sortlast.icet.loader import Loaded

VARIABLE = "SORTLAST_ICET_LIBRARIES"
FAMILIES = {"openmpi": "Open MPI", "mpich": "MPICH"}
_PREFIXES = ("/usr/local", "/opt/sortlast", "/usr")


@dataclass(frozen=True)
class Library:
    """A library with IceT's interface for one family of MPI."""

    path: Path
    family: str
    mpi: str | None

    @property
    def folder(self) -> Path:
        """The library's folder, which also has links with IceT's names."""
        return self.path.parent

    def functions(self) -> frozenset[str]:
        """The functions of IceT that it exports."""
        return elf.functions(self.path, "icet")[1]


def find(family: str, given: Path | None = None) -> Library:
    """Find the library for an MPI family: in the given folder, or else where it is installed.

    Raises ArgumentError if it is not in the given folder, and Error if it is not found anywhere.
    """
    name = f"libsortlast_icet_{family}.so"
    title = FAMILIES[family]
    how = (
        "build it with -DSORTLAST_BUILD_ICET=ON against that MPI, and name the folder where it lies by"
        f" --library or {VARIABLE}"
    )
    if given is not None:
        folders = _below([given], family)
        for folder in folders:
            if (folder / name).exists():
                return _library(folder / name, family)
        raise ArgumentError(f"--library {given}: there is no {name}, the library for {title}; {how}")
    looked = [*_below(_named(), family), *_installed(family)]
    for folder in looked:
        if (folder / name).exists():
            return _library(folder / name, family)
    raise Error(
        f"no library with IceT's interface for {title} is installed: there is no {name} in"
        f" {', '.join(map(str, looked))}; {how}"
    )


def installed_family(given: Path | None) -> str:
    """The first family with an installed library; the first of all if there is none."""
    for family in FAMILIES:
        with suppress(Error):
            find(family, given)
            return family
    return next(iter(FAMILIES))


def finds(library: Library, mpi: Path) -> bool:
    """Whether the library by itself would load the given MPI library."""
    found = loader.find(mpi.name, Loaded(elf.read(library.path)))
    return found is not None and found.path.resolve() == mpi.resolve()


def folder_for(library: Library, names: Iterable[str]) -> Path:
    """A folder for LD_LIBRARY_PATH in which the library has all these names.

    This is the library's own folder if it has them; otherwise a new one in the user's cache.
    Raises Error if it cannot be created.
    """
    wanted = tuple(names)
    target = library.path.resolve()
    if all((library.folder / name).resolve() == target for name in wanted):
        return library.folder
    mark = hashlib.sha256(str(target).encode()).hexdigest()[:12]
    folder = _cache() / f"{library.family}-{mark}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in wanted:
            # Rename atomically: another command may be looking.
            link = folder / f".{name}.{os.getpid()}"
            link.unlink(missing_ok=True)
            link.symlink_to(target)
            link.replace(folder / name)
    except OSError as error:
        raise Error(
            f"{folder} for links to {library.path} cannot be made: {error.strerror}; set XDG_CACHE_HOME to a"
            " folder that can be written to"
        ) from None
    return folder


def _library(path: Path, family: str) -> Library:
    # Keep the folder as it was named: the target of a link says nothing about the files next to the link.
    return Library(Path(os.path.abspath(path)), family, program.mpi_of(elf.read(path).needed))


def _named() -> list[Path]:
    return [Path(each) for each in os.environ.get(VARIABLE, "").split(":") if each]


def _below(folders: Iterable[Path], family: str) -> list[Path]:
    """Each folder, followed by its subfolder for the family."""
    return [place for folder in folders for place in (folder, folder / family)]


def _installed(family: str) -> Iterator[Path]:
    multiarch = sysconfig.get_config_var("MULTIARCH")
    names = ["lib", *([f"lib/{multiarch}"] if multiarch else []), "lib64"]
    for prefix in dict.fromkeys((sys.prefix, *_PREFIXES)):
        for name in names:
            yield Path(prefix, name, "sortlast", "icet", family)


def _cache() -> Path:
    kept = os.environ.get("XDG_CACHE_HOME")
    if kept:
        return Path(kept, "sortlast", "icet")
    try:
        return Path.home() / ".cache" / "sortlast" / "icet"
    except RuntimeError:
        raise Error("there is no folder for links to the library: set HOME or XDG_CACHE_HOME") from None
