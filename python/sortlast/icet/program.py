"""An installed ParaView or VisIt: the names of the IceT libraries that it needs, and how it finds them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sortlast import Error
from sortlast._errors import ArgumentError
from sortlast.icet import elf, loader
from sortlast.icet.loader import Loaded

_ICET = re.compile(r"lib(?:vtk)?IceT\w*(?:-pv[\d.]+)?\.so[\d.]*")
# MPI libraries for C, with their interface version: 40 is Open MPI's, 12 MPICH's. Other implementations use
# version 12 under their own names, such as libmpi_gnu_123 of Cray. C++ and Fortran libraries are excluded.
_MPI = re.compile(r"lib(?:mpi|mpich|mpi_(?!cxx|mpifh|usempi)\w+)\.so\.(\d+)")
_OPENMPI = "40"


@dataclass(frozen=True)
class Kind:
    """A known kind of program: its names, and the files and folders near it that may need IceT."""

    title: str
    programs: tuple[str, ...]
    holders: tuple[str, ...]
    folders: tuple[str, ...]


KINDS = {
    "paraview": Kind(
        "ParaView",
        ("pvbatch", "pvserver", "paraview"),
        (
            "libvtkRemotingViews*.so*",
            "libvtkPVClientServerCoreRendering*.so*",
            "libvtkPVVTKExtensionsRendering*.so*",
        ),
        ("", "../lib", "../lib64", "../lib/*-linux-gnu", "../lib/paraview*"),
    ),
    "visit": Kind(
        "VisIt",
        ("visit", "engine_par"),
        ("*engine*", "*_par.so*", "*_par"),
        ("", "../lib", "*/linux*/bin", "*/linux*/lib", "../*/linux*/bin", "../*/linux*/lib"),
    ),
}


@dataclass(frozen=True)
class Program:
    """A program that needs IceT.

    Attributes:
        path: the program, as it was found.
        needs: (name of an IceT library, file that needs it), in load order.
        mpi: name of the MPI library that it is linked with.
        mpi_path: where the program finds it; None: only with the environment that its launcher sets.
        preload: why LD_LIBRARY_PATH cannot replace IceT's library; None: it can.
    """

    path: Path
    needs: tuple[tuple[str, Path], ...]
    mpi: str
    mpi_path: Path | None
    preload: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the IceT libraries that it needs."""
        return tuple(dict.fromkeys(name for name, _ in self.needs))


def is_icet(name: str) -> bool:
    """Whether a library belongs to IceT, judging by its name."""
    return _ICET.fullmatch(name) is not None


def mpi_of(names: tuple[str, ...]) -> str | None:
    """The MPI library among names of needed libraries."""
    return next((name for name in names if _MPI.fullmatch(name)), None)


def family(mpi: str) -> str:
    """The family of an MPI library's interface: mpich or openmpi."""
    found = _MPI.fullmatch(mpi)
    assert found
    return "openmpi" if found[1] == _OPENMPI else "mpich"


def find(kind: Kind, given: str | None = None) -> Program:
    """Find the installed program of a kind, or the one given by path or name.

    Raises ArgumentError if it does not exist, and Error if it needs no IceT or no known MPI.
    """
    path = _path_of(kind, given)
    users, whole = _users(kind, path)
    needs = tuple((name, user.elf.path) for user in users for name in user.elf.needed if is_icet(name))
    if not needs:
        raise Error(
            f"{path} needs no library of IceT, so that nothing can be put in its place: a {kind.title} that"
            " was built without MPI has none (conda-forge's is such a one), and one may hold IceT inside its"
            " own libraries; install one that was built with MPI, or name another by --program"
        )
    mpi, place = _mpi(users)
    if mpi is None:
        raise Error(
            f"{users[0].elf.path} needs IceT but no MPI library that is known (libmpi.so.40 of Open MPI,"
            " libmpi.so.12 of MPICH and those with its interface); sortlast icet cannot tell which of its"
            " libraries fits"
        )
    return Program(path, needs, mpi, place, _why_preload(path, users, whole))


@dataclass(frozen=True)
class Calls:
    """Functions of IceT called by files.

    Attributes:
        by: function -> files that call it.
        family: of the MPI library that one of them needs; None if none is known.
    """

    by: dict[str, tuple[Path, ...]]
    family: str | None


def calls(all_loaded: list[Loaded]) -> Calls:
    """The functions of IceT called by files outside IceT."""
    by: dict[str, tuple[Path, ...]] = {}
    for each in all_loaded:
        if is_icet(each.elf.path.name):
            continue
        for name in elf.functions(each.elf.path, "icet")[0]:
            by[name] = (*by.get(name, ()), each.elf.path)
    named = filter(None, (mpi_of(each.elf.needed) for each in all_loaded))
    return Calls(by, next(map(family, named), None))


def _path_of(kind: Kind, given: str | None) -> Path:
    if given is not None:
        found = shutil.which(given)
        if found is None:
            raise ArgumentError(
                f"--program {given}: no such program; expected the path of {kind.title}'s {kind.programs[0]}"
            )
        return Path(found)
    for name in kind.programs:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    raise Error(
        f"{kind.title} is not on the PATH (looked for {', '.join(kind.programs)}); name its program by"
        " --program"
    )


def _users(kind: Kind, path: Path) -> tuple[list[Loaded], bool]:
    """The files that need IceT, and whether the program itself loads them (else they are in its folders)."""
    real = path.resolve()
    if elf.is_elf(real):
        users = _needing(loader.walk(real))
        if users:
            return users, True
    for holder in _holders(kind, real):
        users = _needing(loader.walk(holder, [holder.parent]))
        if users:
            return users, False
    return [], False


def _needing(all_loaded: list[Loaded]) -> list[Loaded]:
    return [
        each
        for each in all_loaded
        if not is_icet(each.elf.path.name) and any(is_icet(name) for name in each.elf.needed)
    ]


def _holders(kind: Kind, program: Path) -> Iterator[Path]:
    """Files near a program that may need IceT, each once."""
    seen: set[Path] = set()
    for folder in kind.folders:
        for pattern in kind.holders:
            for each in sorted(program.parent.glob(f"{folder}/{pattern}".lstrip("/"))):
                real = each.resolve()
                if real not in seen and elf.is_elf(real):
                    seen.add(real)
                    yield real


def _mpi(users: list[Loaded]) -> tuple[str | None, Path | None]:
    """The MPI library of the files that need IceT, or of the files that load them, and its path."""
    for user in users:
        for each in user.chain():
            name = mpi_of(each.elf.needed)
            if name is not None:
                found = loader.find(name, each, [each.elf.path.parent])
                return name, found.path if found is not None else None
    return None, None


def _why_preload(path: Path, users: list[Loaded], whole: bool) -> str | None:
    if not whole:
        return (
            f"{path} starts another program, and such a launcher sets LD_LIBRARY_PATH itself"
            if elf.is_elf(path.resolve())
            else f"{path} is a script, and such a launcher sets LD_LIBRARY_PATH itself"
        )
    for user in users:
        for name in filter(is_icet, user.elf.needed):
            for folder in user.rpath():
                if elf.is_elf(folder / name):
                    how = f"by an RPATH, {folder}, which comes before LD_LIBRARY_PATH"
                    return f"{user.elf.path} finds {name} {how}"
    return None
