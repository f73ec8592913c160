"""What ``sortlast icet`` cannot do is one line that says why and what to do."""

from __future__ import annotations

import sys

import pytest

from icet_programs import CALLS, compiled, path_flags, shared
from refusals import refused

pytestmark = pytest.mark.usefixtures("icet_surroundings")


def test_a_paraview_without_mpi_has_no_icet(cli, tmp_path, install):
    made = install(tmp_path)
    shared(made.views, 'const char *ask(void) { return "nobody"; }\n')
    line = refused(cli("icet", "--for", "paraview", "--program", made.pvbatch, "--library", made.ours))
    assert "needs no library of IceT" in line
    assert "conda-forge" in line


def test_an_mpi_of_another_name_is_refused(cli, tmp_path, install):
    made = install(tmp_path, mpi="libmpich.so.12")
    other = install(tmp_path / "other", mpi="libmpi.so.12")
    line = refused(cli("icet", "--for", "paraview", "--program", made.pvbatch, "--library", other.ours))
    assert "needs libmpi.so.12" in line
    assert "libmpich.so.12: one process cannot have two MPI libraries" in line


def test_icet_without_a_known_mpi_is_refused(cli, tmp_path, install):
    made = install(tmp_path)
    shared(made.views, CALLS, made.views.parent / "libvtkIceTCore-pv5.11.so.1", *path_flags(False, "$ORIGIN"))
    compiled(made.pvbatch, "int main(void) { return 0; }", made.views, *path_flags(False, "$ORIGIN/../lib"))
    line = refused(cli("icet", "--for", "paraview", "--program", made.pvbatch, "--library", made.ours))
    assert "needs IceT but no MPI library that is known" in line


def test_what_is_missing_is_named_with_what_to_do(cli, tmp_path, monkeypatch, install):
    made = install(tmp_path)
    line = refused(cli("icet", "--for", "paraview", "--program", made.pvbatch, "--library", tmp_path))
    assert "there is no libsortlast_icet_openmpi.so" in line
    assert "-DSORTLAST_BUILD_ICET=ON" in line
    monkeypatch.setattr("sortlast.icet.libraries._PREFIXES", ())
    line = refused(cli("icet", "--for", "paraview", "--program", made.pvbatch))
    assert f"{sys.prefix}/lib/sortlast/icet/openmpi" in line
    line = refused(cli("icet", "--for", "paraview", "--program", tmp_path / "pvbatch"))
    assert "no such program" in line
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "VisIt is not on the PATH (looked for visit, engine_par)" in refused(cli("icet", "--for", "visit"))
    line = refused(
        cli("icet", "--for", "paraview", "--program", made.pvbatch, "--library", made.ours, "--", "nope", "4")
    )
    assert line == "sortlast: nope cannot be started: No such file or directory\n"


def test_folders_that_cannot_be_made_are_named(cli, tmp_path, monkeypatch, install):
    made = install(tmp_path, version="9.9")
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    line = refused(cli("icet", "--for", "paraview", "--program", made.pvbatch, "--library", made.ours))
    assert "set XDG_CACHE_HOME" in line


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "say either --for"),
        (("--for", "visit", "--check", "a.so"), "say either --for"),
        (("--check", "a.so", "--", "true"), "--check runs nothing"),
        (("--check", "a.so", "--program", "b"), "--check runs nothing"),
        (("--for", "visit", "--json", "a.json", "--", "true"), "leave one of them out"),
        (("--check", "/nowhere/a.so"), "/nowhere/a.so cannot be read: No such file or directory"),
        (("--check", __file__), "is no whole ELF file"),
    ],
)
def test_wrong_calls_are_one_line(cli, arguments, told):
    assert told in refused(cli("icet", *arguments))
