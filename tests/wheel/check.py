"""Checks the wheels of a folder in new environments, with packages from PyPI:

    python tests/wheel/check.py build/wheel/dist [build/wheel/core]

``build/wheel/core`` holds a wheel that was built without MPI. ./run wheel calls this with all its Pythons.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = ("mpich", "openmpi")
RANKS = 4

# More ranks than cores, and the superuser.
SETTINGS = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


class Environment:
    """A new environment, with what is installed into it."""

    def __init__(self, folder: Path, *packages: str, wheels: Path) -> None:
        venv.create(folder, with_pip=True)
        self.bin = folder / "bin"
        self.folder = folder
        began = time.monotonic()
        pip = ("python", "-m", "pip", "install", "--disable-pip-version-check", "--only-binary", ":all:")
        self.run(*pip, "--no-deps", "--no-index", "--find-links", wheels, "sortlast")
        self.run(*pip, *packages)
        print(f"installed {' '.join(packages)} in {time.monotonic() - began:.0f} s", flush=True)

    def run(self, program: str, *arguments: str | Path, fails: bool = False) -> str:
        """What a program of the environment prints, on both outputs if it is to fail."""
        done = subprocess.run(
            [self.bin / program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
            env={**os.environ, **SETTINGS, "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}"},
            check=False,
        )
        assert (done.returncode != 0) == fails, f"{program} {arguments}: {done.returncode}\n{done.stdout}"
        return done.stdout

    def installed(self) -> set[str]:
        """Names of the packages, without those that every environment begins with."""
        lines = self.run("python", "-m", "pip", "list", "--format", "freeze").splitlines()
        names = {line.partition("==")[0].lower() for line in lines if "==" in line}
        return names - {"pip", "setuptools"}


def check_contents(wheels: Path) -> None:
    """A wheel has the modules of both families, and no library of MPI."""
    for wheel in wheels.glob("*.whl"):
        assert "manylinux" in wheel.name, wheel
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        modules = {name.partition(".")[0] for name in names if name.endswith(".so")}
        parts = {"_core", "_fabric", "_simulate"}
        parts |= {f"_{part}_{family}" for part in ("mpi", "bench") for family in FAMILIES}
        assert modules == {f"sortlast/{part}" for part in parts}, modules
        assert not [name for name in names if "libmpi" in name], names
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB")


def check_numpy_alone(folder: Path, wheels: Path) -> None:
    """Without extras NumPy comes alone, and what needs no MPI works."""
    plain = Environment(folder, "sortlast", wheels=wheels)
    assert plain.installed() == {"numpy", "sortlast"}, plain.installed()
    program = "from sortlast import fabric as f; print(f.route(f.crossbar(4), 'minhop').engine)"
    assert plain.run("python", "-c", program) == "minhop\n"
    said = plain.run("sortlast", "--version", fails=True)
    assert said == 'sortlast: the command line needs the package typer: pip install "sortlast[cli]"\n', said


def program_of_the_readme() -> str:
    """The Python program of the page that people read first."""
    _, _, text = (ROOT / "README.md").read_text().partition("## Python\n")
    found = re.search(r"```python\n(.*?)```", text, re.S)
    assert found
    return found[1]


def check_family(folder: Path, wheels: Path, family: str) -> bytes:
    """The README's program runs under an MPI of PyPI; returns its picture. So does the command line."""
    one = Environment(folder, "sortlast[mpi,cli,files]", family, wheels=wheels)
    (folder / "discs.py").write_text(program_of_the_readme())
    began = time.monotonic()
    print(one.run("mpiexec", "-n", str(RANKS), "python", "discs.py").strip())
    print(f"{family}: {RANKS} ranks in {time.monotonic() - began:.1f} s")
    vendor = one.run("python", "-c", "from mpi4py import MPI; print(MPI.get_vendor()[0])").strip()
    assert vendor == {"mpich": "MPICH", "openmpi": "Open MPI"}[family]
    said = one.run("sortlast", "composite", "discs.png", "discs.png", "-o", "twice.png")
    assert "wrote twice.png: 2 images of 640x480" in said, said
    return (folder / "discs.png").read_bytes()


def check_core(folder: Path, core: Path) -> None:
    """What was built without MPI has all else, and says so of the compositor."""
    one = Environment(folder, "sortlast[mpi]", "mpich", wheels=core)
    assert one.run("python", "-c", "import sortlast; print(sortlast.schedule.make('shift', p=3, n=9).name)")
    said = one.run("python", "-c", "import sortlast; sortlast.tune.kept_profile()", fails=True)
    assert re.search(r"mpi4py runs on MPICH \S+, but this sortlast was built without MPI; install", said)


def main() -> None:
    """Check all that the arguments name."""
    wheels, *cores = (Path(each).resolve() for each in sys.argv[1:])
    check_contents(wheels)
    folder = Path(tempfile.mkdtemp(prefix="sortlast-wheel-"))
    try:
        check_numpy_alone(folder / "plain", wheels)
        first, second = (check_family(folder / family, wheels, family) for family in FAMILIES)
        assert first == second, "the two families give different pictures"
        for core in cores:
            check_core(folder / "core", core)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
