"""Installations that hold less: what `./run demo` needs, and what a build without MPI has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sortlast


@pytest.mark.parametrize(
    ("missing", "command"),
    [
        ("_fabric", ("fabric", "build", "--net", "crossbar:4")),
        ("_simulate", ("simulate", "shift", "--net", "crossbar:4", "--bytes", "64")),
    ],
)
def test_a_missing_module_is_named_with_the_command_that_adds_it(
    missing: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    left_out = shutil.ignore_patterns(f"{missing}.*.so", "__pycache__")
    shutil.copytree(Path(sortlast.__file__).parent, tmp_path / "sortlast", ignore=left_out)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-P", "-m", "sortlast", *arguments]
        return subprocess.run(argv, capture_output=True, text=True, env=environment, check=False)

    done = run(*command)
    assert done.returncode == 2, done
    assert f"sortlast.{missing} is missing; ./run setup adds it in about three minutes" in done.stderr

    # All else is there.
    assert run("--help").returncode == 0
    assert run("price", "--help").returncode == 0


@pytest.mark.mpi
def test_a_build_without_mpi_says_so(tmp_path: Path) -> None:
    left_out = shutil.ignore_patterns("_mpi_*.so", "__pycache__")
    shutil.copytree(Path(sortlast.__file__).parent, tmp_path / "sortlast", ignore=left_out)
    program = (
        "import sortlast\ntry: sortlast.tune.kept_profile()\nexcept sortlast.Error as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=True,
    )
    runs, built = (
        r"mpi4py runs on (MPICH|Open MPI) \S+",
        "this sortlast was built without MPI; install its wheel",
    )
    assert re.fullmatch(rf"{runs}, but {built}, .*\n", done.stdout), done
