"""``sortlast icet`` puts ours in IceT's place, whichever way a program finds its libraries."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import commands
from icet_programs import CALLS, FUNCTIONS, PARTS, answers, path_flags, report, runs, shared, use

pytestmark = pytest.mark.usefixtures("icet_surroundings")


def test_a_program_that_finds_icet_by_runpath_gets_ours_by_the_library_path(tmp_path, install):
    made = install(tmp_path)
    plain = subprocess.run([made.pvbatch], capture_output=True, text=True, check=True)
    assert plain.stdout == "IceT\n"
    found = report(made)
    assert found["needs"] == [f"libvtkIceT{part}-pv5.11.so.1" for part in PARTS]
    assert found["in"] == [str(made.views)]
    assert (found["mpi"], found["family"], found["preload"]) == ("libmpi.so.40", "openmpi", None)
    assert found["value"] == str(made.ours / "openmpi")
    assert runs(made) == "ours"


def test_the_line_is_one_that_a_shell_runs(tmp_path, install):
    made = install(tmp_path / "a folder")
    (tmp_path / "bin").mkdir()
    mpiexec = tmp_path / "bin" / "mpiexec"
    mpiexec.write_text('#!/bin/sh\necho "$1 $2 $3 $4"\nshift 4\nexec "$@"\n')
    mpiexec.chmod(0o755)
    path = f"{mpiexec.parent}:/usr/bin:/bin"
    line = str(report(made, PATH=str(mpiexec.parent))["line"])
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env={"PATH": path}, check=True)
    assert done.stdout == "-x LD_LIBRARY_PATH -n 4\nours\n"


def test_what_is_on_the_library_path_stays_there(tmp_path, install):
    made = install(tmp_path)
    line = str(report(made, LD_LIBRARY_PATH="/elsewhere")["line"])
    assert line.startswith(
        f"LD_LIBRARY_PATH={made.ours}/openmpi${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}} mpiexec"
    )
    shown = use(made, "--", "sh", "-c", "echo $LD_LIBRARY_PATH", LD_LIBRARY_PATH="/elsewhere").stdout
    assert shown == f"{made.ours}/openmpi:/elsewhere\n"


def test_an_rpath_comes_before_the_library_path_so_ours_is_preloaded(tmp_path, install):
    made = install(tmp_path, old=True)
    by_path = subprocess.run(
        [made.pvbatch],
        capture_output=True,
        text=True,
        env={"LD_LIBRARY_PATH": f"{made.ours}/openmpi"},
        check=True,
    )
    assert by_path.stdout == "IceT\n"
    found = report(made)
    assert "by an RPATH" in str(found["preload"])
    assert re.match(r"mpiexec\S* -n 4 env LD_PRELOAD=", str(found["line"]))
    assert runs(made) == "ours"


def test_an_rpath_of_the_program_holds_for_a_library_without_paths_of_its_own(tmp_path, install):
    made = install(tmp_path, old=True)
    lib = made.views.parent
    asked = f"const char *ask(void) {{ return {FUNCTIONS[0]}(); }}\n"
    parts = [lib / f"libvtkIceT{part}-pv5.11.so.1" for part in PARTS]
    shared(made.views, CALLS + asked, *parts, lib / made.mpi)
    assert "by an RPATH" in str(report(made)["preload"])
    assert runs(made) == "ours"


def test_a_script_that_sets_the_library_path_itself_gets_ours_preloaded(tmp_path, install):
    made = install(tmp_path)
    real = made.pvbatch.rename(made.pvbatch.with_name("pvbatch-real"))
    made.pvbatch.write_text(f'#!/bin/sh\nexport LD_LIBRARY_PATH={made.prefix}/lib\nexec {real} "$@"\n')
    made.pvbatch.chmod(0o755)
    found = report(made)
    assert "is a script" in str(found["preload"])
    # The MPI that the program finds is loaded first; ours would find none by itself.
    assert found["value"] == f"{made.prefix}/lib/libmpi.so.40:{made.ours}/openmpi/libsortlast_icet_openmpi.so"
    assert runs(made) == "ours"


def test_visit_is_found_by_its_engine_beside_the_script(tmp_path, install):
    made = install(tmp_path)
    lib = tmp_path / "visit" / "3.4.1" / "linux-x86_64" / "lib"
    mpi = shared(lib / "libmpi.so.40", "")
    icet = [shared(lib / f"libIceT{part}.so", answers("IceT") if part == "Core" else "") for part in PARTS]
    shared(lib / "libengine_par.so", CALLS, *icet, mpi, *path_flags(False, "$ORIGIN"))
    script = tmp_path / "visit" / "bin" / "visit"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    done = commands.run("icet", "--for", "visit", "--library", made.ours, "--program", script, "--json", "-")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["needs"] == [f"libIceT{part}.so" for part in PARTS]
    assert found["line"].startswith(f"LD_PRELOAD={lib}/libmpi.so.40:")
    assert found["line"].endswith(f"{script} -np 4")


def test_a_name_that_ours_lacks_is_linked_in_the_cache(tmp_path, install):
    made = install(tmp_path, version="9.9")
    for _ in range(2):  # made, and found again
        folder = Path(str(report(made)["value"]))
        assert folder.parent == tmp_path / "cache" / "sortlast" / "icet"
        assert sorted(each.name for each in folder.iterdir()) == sorted(
            f"libvtkIceT{part}-pv9.9.so.1" for part in PARTS
        )
    assert runs(made) == "ours"


def test_a_name_in_the_folder_that_is_another_library_is_not_taken_for_ours(tmp_path, install):
    made = install(tmp_path, shown=("Core", "MPI"))
    shared(made.ours / "openmpi" / "libvtkIceTGL-pv5.11.so.1", "")
    assert "/cache/" in str(report(made)["value"])


def test_mpich_has_a_library_and_a_launcher_of_its_own(tmp_path, install):
    made = install(tmp_path, mpi="libmpi.so.12")
    found = report(made)
    assert found["family"] == "mpich"
    assert re.search(r" mpiexec(\.mpich)? -genvlist LD_LIBRARY_PATH -n 4 ", str(found["line"]))
    assert runs(made) == "ours"


def test_status_and_signals_are_those_of_the_command(tmp_path, install):
    made = install(tmp_path)
    assert use(made, "--", "sh", "-c", "exit 7").returncode == 7
    assert use(made, "--", "sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM
    assert use(made, "--", "sh", "-c", "trap").stdout == ""


@pytest.mark.parametrize("where", ["variable", "prefix"])
def test_ours_is_found_where_it_is_installed(tmp_path, monkeypatch, cli, where, install):
    made = install(tmp_path)
    if where == "variable":
        monkeypatch.setenv("SORTLAST_ICET_LIBRARIES", f"/nowhere:{made.ours}")
        place = made.ours
    else:
        place = tmp_path / "env" / "lib" / "sortlast" / "icet"
        shutil.copytree(made.ours, place, symlinks=True)
        monkeypatch.setattr(sys, "prefix", str(tmp_path / "env"))
    status, out, _ = cli("icet", "--for", "paraview", "--program", made.pvbatch, "--json", "-")
    assert status == 0
    assert json.loads(out)["library"] == str(place / "openmpi" / "libsortlast_icet_openmpi.so")
