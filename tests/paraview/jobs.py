"""ParaView on some ranks, with IceT or with ours in its place."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

PARAVIEW = "/usr/bin"
FOLDER = Path(__file__).parent
TIMING = "sortlast: frame"  # begins the line that ours prints for a frame
LIMIT = 3600  # seconds of a job: many ranks that draw by software, perhaps on a busy machine

# The system's Open MPI, on which its ParaView runs: more ranks than cores, as root in a container.
_SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "LP_NUM_THREADS": "1",  # of a rank, for drawing
}

RANKS = (2, 3, 5)


def variables(display: str) -> dict[str, str]:
    """Those of a job: no MPI of this environment, and ours is to print a line of times for every frame."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR", "PYTHONPATH") if name in os.environ}
    path = f"{PARAVIEW}:/bin"
    return {**kept, **_SETTINGS, "PATH": path, "DISPLAY": display, "SORTLAST_ICET_TIMING": "1"}


def built_library() -> str:
    """The folder of our libraries, which ./run paraview names."""
    folder = os.environ.get("SORTLAST_ICET_LIBRARIES")
    if folder is None:
        pytest.fail("SORTLAST_ICET_LIBRARIES names no folder; these tests are run by ./run paraview")
    return folder


def program(name: str) -> str:
    """A program of the installed ParaView."""
    path = shutil.which(name, path=PARAVIEW)
    if path is None:
        pytest.fail(f"{name} is not installed; ./run paraview installs it")
    return path


def pixels(path: Path) -> np.ndarray:
    """A picture as int of shape (height, width, 4)."""
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGBA")).astype(int)


def command(ours: bool, ranks: int, arguments: Sequence[str]) -> list[str]:
    """The command that runs a program of ParaView on some ranks."""
    job = ["env", "-u", "PYTHONPATH", "mpiexec.openmpi", "-n", str(ranks), *arguments]
    if not ours:
        return job
    icet = [
        *("icet", "--for", "paraview", "--program", program("pvbatch")),
        "--library",
        built_library(),
        "--",
    ]
    return [sys.executable, "-m", "sortlast", *icet, *job]


def draw(ours: bool, ranks: int, folder: Path, display: str, *scenes: str) -> subprocess.CompletedProcess:
    """Have pvbatch draw scenes (scenes.py; none named: all) into a folder."""
    folder.mkdir(parents=True)
    arguments = [program("pvbatch"), str(FOLDER / "scenes.py"), str(folder), *scenes]
    done = subprocess.run(
        command(ours, ranks, arguments),
        env=variables(display),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "drawn" in done.stdout
    return done
