"""Ours in IceT's place: found, checked and run, with programs and libraries that a compiler makes here.

The programs print whose IceT answers them, so the loader itself says whether a line that the command prints
puts ours there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import commands
import references
from refusals import refused
from sortlast import Error
from sortlast.icet import elf, loader, program

pytestmark = pytest.mark.references("cc", "ldd")

FUNCTIONS = ("icetCreateContext", "icetDrawFrame", "icetGLInitialize")
PARTS = ("Core", "MPI", "GL")


def compiled(out: Path, text: str, *flags: str | Path) -> Path:
    """A program, or a library if a flag says so, of C text."""
    out.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [references.find("cc"), "-xc", "-", "-xnone", "-o", str(out), "-Wl,--no-as-needed", *map(str, flags)],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out


def shared(out: Path, text: str, *flags: str | Path) -> Path:
    """A shared library whose own name is that of its file."""
    return compiled(out, text, "-shared", "-fPIC", f"-Wl,-soname,{out.name}", *flags)


def answers(who: str, names: tuple[str, ...] = FUNCTIONS) -> str:
    return "".join(f'const char *{name}(void) {{ return "{who}"; }}\n' for name in names)


def path_flags(old: bool, *folders: str) -> list[str]:
    """RUNPATH, or the older RPATH."""
    dtags = "--disable-new-dtags" if old else "--enable-new-dtags"
    return [f"-Wl,{dtags}", *(f"-Wl,-rpath,{folder}" for folder in folders)]


@dataclass
class Installed:
    """A program of our making in a prefix, and the folder of ours."""

    prefix: Path
    ours: Path
    mpi: str

    @property
    def pvbatch(self) -> Path:
        return self.prefix / "bin" / "pvbatch"

    @property
    def views(self) -> Path:
        return self.prefix / "lib" / "libvtkRemotingViews-pv5.11.so.1"


CALLS = "".join(f"const char *{name}(void);\n" for name in FUNCTIONS)
PRINT = "const char *ask(void);\nint puts(const char *);\nint main(void) { puts(ask()); return 0; }\n"


def build(
    folder: Path,
    *,
    mpi: str = "libmpi.so.40",
    version: str = "5.11",
    old: bool = False,
    names: tuple[str, ...] = FUNCTIONS,
    shown: tuple[str, ...] = PARTS,
) -> Installed:
    """Make a ParaView, with IceT's libraries, and ours for its MPI.

    Args:
        folder: for both.
        mpi: library that it is linked with.
        version: in the names of IceT's libraries.
        old: whether it finds libraries by RPATH.
        names: functions that ours has.
        shown: parts of IceT of whose names ours has links.
    """
    made = Installed(folder / "paraview", folder / "ours", mpi)
    lib = made.prefix / "lib"
    mpi_library = shared(lib / mpi, "int MPI_Init(void) { return 0; }\n")
    icet = [
        shared(lib / f"libvtkIceT{part}-pv{version}.so.1", answers("IceT") if part == "Core" else "")
        for part in PARTS
    ]
    asked = "".join(f"{name}();" for name in FUNCTIONS) + f"return {FUNCTIONS[0]}();"
    shared(
        made.views,
        f"{CALLS}const char *ask(void) {{ {asked} }}\n",
        *icet,
        mpi_library,
        *path_flags(old, "$ORIGIN"),
    )
    compiled(made.pvbatch, PRINT, made.views, f"-Wl,-rpath-link,{lib}", *path_flags(old, "$ORIGIN/../lib"))
    family = "openmpi" if mpi.endswith(".40") else "mpich"
    ours = shared(made.ours / family / f"libsortlast_icet_{family}.so", answers("ours", names), mpi_library)
    for part in shown:
        (ours.parent / f"libvtkIceT{part}-pv5.11.so.1").symlink_to(ours.name)
    return made


@pytest.fixture(scope="module")
def install(tmp_path_factory):
    """Install what build() makes in a folder; what was made before is copied."""
    kept: dict[object, Installed] = {}

    def make(folder: Path, **settings: object) -> Installed:
        key = tuple(sorted(settings.items()))
        if key not in kept:
            kept[key] = build(tmp_path_factory.mktemp("built"), **settings)
        shutil.copytree(kept[key].ours.parent, folder, symlinks=True, dirs_exist_ok=True)
        return Installed(folder / "paraview", folder / "ours", kept[key].mpi)

    return make


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path):
    """No setting and no installation of this machine's has a say."""
    for name in ("LD_LIBRARY_PATH", "LD_PRELOAD", "SORTLAST_ICET_LIBRARIES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def use(made: Installed, *arguments: object, **variables: str) -> subprocess.CompletedProcess:
    return commands.run(
        *("icet", "--for", "paraview", "--program", made.pvbatch, "--library", made.ours, *arguments),
        variables={"PATH": os.environ["PATH"], **variables},
    )


def runs(made: Installed, **variables: str) -> str:
    """Whose IceT the program finds under the command."""
    done = use(made, "--", made.pvbatch, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def report(made: Installed, *arguments: object, **variables: str) -> dict[str, object]:
    done = use(made, "--json", "-", *arguments, **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# --- using it --------------------------------------------------------------------------------------------


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


def test_what_is_shown_has_the_facts_and_ends_with_the_line(tmp_path, install):
    made = install(tmp_path)
    shown = use(made).stdout
    assert str(made.views) in shown
    assert "Open MPI, libmpi.so.40" in shown
    assert str(report(made)["line"]) in shown.splitlines()


# --- what cannot be --------------------------------------------------------------------------------------


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


# --- checking --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["bin/pvbatch", "lib/libvtkRemotingViews-pv5.11.so.1"])
def test_check_lists_what_is_called_and_what_is_there(tmp_path, part, install):
    made = install(tmp_path)
    done = commands.run(
        "icet", "--check", made.prefix / part, "--library", made.ours, "--json", tmp_path / "a.json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "has 3 of 3 functions of IceT that are called" in done.stdout
    found = json.loads((tmp_path / "a.json").read_text())
    assert found["missing"] == []
    by = [str(made.views.resolve())]
    shown = [
        {**each, "called_by": [str(Path(place).resolve()) for place in each["called_by"]]}
        for each in found["functions"]
    ]
    assert shown == [{"name": name, "called_by": by, "has": True} for name in sorted(FUNCTIONS)]


def test_check_finds_what_ours_lacks(tmp_path, install):
    made = install(tmp_path, names=FUNCTIONS[:2])
    done = commands.run("icet", "--check", made.pvbatch, "--library", made.ours)
    assert done.returncode == 1
    (row,) = [line for line in done.stdout.splitlines() if "missing" in line]
    assert FUNCTIONS[2] in row


def test_check_of_what_calls_no_icet_is_refused(cli, tmp_path):
    alone = shared(tmp_path / "alone.so", "int f(void) { return 0; }\n")
    assert "calls no function of IceT" in refused(cli("icet", "--check", alone))


# --- as the loader finds them ----------------------------------------------------------------------------


def by_ldd(path: Path) -> set[Path]:
    """What the loader itself takes, but for what it finds without a file and itself."""
    done = subprocess.run([references.find("ldd"), str(path)], capture_output=True, text=True, check=True)
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
