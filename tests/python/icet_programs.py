"""Programs that use IceT, and libraries with its interface, which a compiler makes for the tests.

The programs print whose IceT answers them, so the loader itself says whether a line that the command prints
puts ours there.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import commands

FUNCTIONS = ("icetCreateContext", "icetDrawFrame", "icetGLInitialize")
PARTS = ("Core", "MPI", "GL")


def compiled(out: Path, text: str, *flags: str | Path) -> Path:
    """A program, or a library if a flag says so, of C text."""
    out.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["cc", "-xc", "-", "-xnone", "-o", str(out), "-Wl,--no-as-needed", *map(str, flags)],
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
