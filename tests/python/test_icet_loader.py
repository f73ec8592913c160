"""The libraries of a program and what they need, read from their files, are those that the loader takes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from icet_programs import PRINT, compiled, path_flags
from sortlast import Error
from sortlast.icet import elf, loader, program

pytestmark = pytest.mark.usefixtures("icet_surroundings")


def by_ldd(path: Path) -> set[Path]:
    """What the loader itself takes, but for what it finds without a file and itself."""
    done = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=True)
    return {Path(place).resolve() for place in re.findall(r" => (/.*) \(0x", done.stdout)}


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("path", [None, "ours/openmpi", "paraview/lib"])
def test_libraries_are_those_that_the_loader_takes(tmp_path, monkeypatch, old, path, install):
    made = install(tmp_path, old=old)
    if path is not None:
        monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / path))
    own = {Path(sys.executable), made.pvbatch}
    for each in own:
        found = {one.elf.path.resolve() for one in loader.walk(each)[1:]}
        assert {one for one in found if not one.name.startswith("ld-linux")} == by_ldd(each)


def test_words_in_paths_are_filled_in(tmp_path, install):
    made = install(tmp_path)
    for word in ("$ORIGIN/../lib", "${ORIGIN}/../lib", f"{made.prefix}/lib:/nowhere"):
        compiled(
            made.pvbatch, PRINT, made.views, f"-Wl,-rpath-link,{made.prefix}/lib", *path_flags(False, word)
        )
        assert {one.elf.path.resolve() for one in loader.walk(made.pvbatch)[1:]} >= {made.views.resolve()}


def test_a_library_of_another_machine_is_passed_over(tmp_path, monkeypatch, install):
    made = install(tmp_path)
    wrong = tmp_path / "wrong" / made.views.name
    wrong.parent.mkdir()
    damaged = bytearray(made.views.read_bytes())
    damaged[18:20] = (183).to_bytes(2, "little")  # e_machine: AArch64
    wrong.write_bytes(damaged)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(wrong.parent))
    assert made.views.resolve() in {one.elf.path.resolve() for one in loader.walk(made.pvbatch)}


def test_files_that_are_cut_off_are_errors_and_never_anything_else(tmp_path, install):
    whole = install(tmp_path).views.read_bytes()
    cut = tmp_path / "cut.so"
    for length in (*range(0, 256, 8), *range(256, len(whole), 256)):
        cut.write_bytes(whole[:length])
        told = str(cut)
        try:
            elf.read(cut)
            elf.functions(cut, "icet")
        except Error as error:
            told = str(error)
        assert str(cut) in told


def test_names_of_icet_and_of_mpi_are_told_apart():
    for name in ("libIceTCore.so", "libIceTGL3.so", "libvtkIceTMPI-pv5.11.so.1", "libIceTCore.so.2.1.1"):
        assert program.is_icet(name)
    for name in ("libvtkRemotingViews-pv5.11.so.1", "libsortlast_icet_openmpi.so", "libicetea.so"):
        assert not program.is_icet(name)
    assert program.mpi_of(("libm.so.6", "libmpi_cxx.so.40", "libmpi.so.40")) == "libmpi.so.40"
    assert program.mpi_of(("libmpicxx.so.12", "libmpichfort.so.12", "libmpi.so.12")) == "libmpi.so.12"
    for name, family in (
        ("libmpi.so.40", "openmpi"),
        ("libmpi.so.12", "mpich"),
        ("libmpich.so.12", "mpich"),
        ("libmpi_gnu_123.so.12", "mpich"),
    ):
        assert (program.mpi_of((name,)), program.family(name)) == (name, family)
