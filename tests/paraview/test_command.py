"""``sortlast icet`` on the ParaView that is installed."""

from __future__ import annotations

import json
import subprocess
import sys

import jobs


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
