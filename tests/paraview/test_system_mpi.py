"""The Python package, built with Open MPI 5, on the Open MPI of the system, which may be version 4."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import jobs

PROGRAM = """
import numpy as np
import sortlast
from mpi4py import MPI

comm = MPI.COMM_WORLD
image = np.full((6, 8, 4), (comm.rank + 1) / 64, np.float32)
for node_ranks in (None, 1):
    with sortlast.Compositor(comm, node_ranks=node_ranks) as comp:
        frame = comp.gather(comp.composite(image, op="add"))
        assert frame is None or (frame.colour == 6 / 64).all()
        for call, error in (
            (lambda: comp.composite(image[: 6 - comm.rank]), sortlast.MismatchError),
            (comp.shrink, sortlast.UsageError),
        ):
            try:
                call()
            except error:
                continue
            raise AssertionError(f"no {error.__name__}")
if comm.rank == 0:
    print(MPI.Get_library_version())
"""


def test_frames_and_errors(tmp_path):
    libraries = sorted(Path("/usr/lib").glob("*/libmpi.so.40"))
    if not libraries:
        pytest.fail("the system has no Open MPI; ./run paraview installs it")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [jobs.program("mpiexec.openmpi"), "-n", "3", sys.executable, str(program)],
        env=jobs.variables("") | {"MPI4PY_LIBMPI": str(libraries[0])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Open MPI v")
