"""``sortlast icet`` on the ParaView that is installed, and what the page about it tells."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

import jobs

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "paraview.md"


def icet(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "sortlast",
            "icet",
            "--library",
            jobs.built_library(),
            "--json",
            "-",
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_libraries_that_it_needs_are_found():
    done = icet("--for", "paraview", "--program", jobs.program("pvbatch"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    names = [name.split("-pv")[0] for name in found["needs"]]
    assert sorted(names) == ["libvtkIceTCore", "libvtkIceTGL", "libvtkIceTMPI"]
    assert (found["mpi"], found["preload"]) == ("libmpi.so.40", None)
    assert all("libvtkRemotingViews" in place for place in found["in"])


def test_all_that_it_calls_is_there():
    done = icet("--check", jobs.program("pvbatch"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["missing"] == []
    assert len(found["functions"]) > 30


def test_the_loader_takes_ours(display):
    arguments = [jobs.program("pvbatch"), str(jobs.FOLDER / "loaded.py")]
    for ours in (False, True):
        done = subprocess.run(
            jobs.command(ours, 2, arguments),
            env=jobs.variables(display),
            capture_output=True,
            text=True,
            timeout=jobs.LIMIT,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        loaded = done.stdout.split()
        assert ("libsortlast_icet_openmpi.so" in done.stdout) == ours, loaded
        assert ("libvtkIceTCore" in done.stdout) != ours, loaded


def test_the_script_of_the_page_draws_the_same_with_both(display, tmp_path):
    (script,) = re.findall(r"^cat > contour.py <<END\n(.*?)^END$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "contour.py").write_text(script)
    for ours in (False, True):
        picture = tmp_path / f"{ours}.png"
        arguments = [jobs.program("pvbatch"), str(tmp_path / "contour.py"), str(picture)]
        done = subprocess.run(
            jobs.command(ours, 4, arguments),
            env=jobs.variables(display),
            capture_output=True,
            text=True,
            timeout=jobs.LIMIT,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert (jobs.TIMING in done.stderr) == ours
    assert np.array_equal(*(jobs.pixels(tmp_path / f"{ours}.png") for ours in (False, True)))
