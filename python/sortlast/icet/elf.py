"""Contents of an ELF file: needed libraries, their search paths, and its functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sortlast import Error
from sortlast._extras import needed

with needed("reading programs and libraries"):
    from elftools.common.exceptions import ELFError
    from elftools.elf.dynamic import DynamicSection
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection


@dataclass(frozen=True)
class Elf:
    """A program or a shared library.

    Attributes:
        path: where it was found.
        kind: machine and word size; a program loads only libraries of its own kind.
        needed: names of the libraries that it needs, in its order.
        rpath: folders that are searched before LD_LIBRARY_PATH.
        runpath: folders that are searched after LD_LIBRARY_PATH.
    """

    path: Path
    kind: tuple[str, int]
    needed: tuple[str, ...]
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]


def is_elf(path: Path) -> bool:
    """Whether a file can be read and begins like an ELF file."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def read(path: Path) -> Elf:
    """Read the dependencies of a file; raises Error if it cannot be read, or is no dynamic ELF file."""
    with _opened(path) as file:
        tags: dict[str, list[str]] = {"DT_NEEDED": [], "DT_RPATH": [], "DT_RUNPATH": []}
        for section in file.iter_sections():
            if isinstance(section, DynamicSection):
                for tag in section.iter_tags():
                    if tag.entry.d_tag in tags:
                        name = tag.entry.d_tag.removeprefix("DT_").lower()
                        tags[tag.entry.d_tag].append(getattr(tag, name))
        folders = {
            name: tuple(each for text in tags[name] for each in text.split(":") if each)
            for name in ("DT_RPATH", "DT_RUNPATH")
        }
        # The loader ignores RPATH if there is a RUNPATH.
        rpath = () if folders["DT_RUNPATH"] else folders["DT_RPATH"]
        kind = (str(file.header["e_machine"]), int(file.elfclass))
        return Elf(path, kind, tuple(tags["DT_NEEDED"]), rpath, folders["DT_RUNPATH"])


def functions(path: Path, prefix: str) -> tuple[frozenset[str], frozenset[str]]:
    """Names with a prefix that a file imports, and names that it exports.

    Raises Error if it cannot be read.
    """
    taken: set[str] = set()
    given: set[str] = set()
    with _opened(path) as file:
        for section in file.iter_sections():
            if not isinstance(section, SymbolTableSection) or section.header.sh_type != "SHT_DYNSYM":
                continue
            if prefix.encode() not in section.stringtable.data():  # the usual case; avoids reading symbols
                continue
            for symbol in section.iter_symbols():
                if symbol.name.startswith(prefix):
                    (taken if symbol.entry.st_shndx == "SHN_UNDEF" else given).add(symbol.name)
    return frozenset(taken), frozenset(given)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with path.open("rb") as file:
            yield ELFFile(file)
    except OSError as error:
        raise Error(f"{path} cannot be read: {error.strerror}") from None
    except (ELFError, ValueError, KeyError, AttributeError, UnicodeError) as error:
        raise Error(f"{path} is no whole ELF file: {str(error) or type(error).__name__}") from None
