"""Ranks are started, report how they ended, and never outlive who started them."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from processes import alive, wait_until
from sortlast import Error, _leftovers, launch
from sortlast.launch import failure, mpiexec

RANK = """
import pathlib, sys, time
from sortlast import launch
comm = launch.world()
comm.Barrier()
if comm.rank == 0:
    print(f"{comm.size} ranks, launched {launch.under_mpiexec()}", sys.argv[1:], flush=True)
pathlib.Path(__file__).with_name(f"started-{comm.rank}").write_text(str(__import__("os").getpid()))
comm.Barrier()
time.sleep(float(sys.argv[1]))
sys.exit(int(sys.argv[2]))
"""


@pytest.fixture
def job(tmp_path, monkeypatch):
    """A module ``job``: waits argv[1] seconds and exits with status argv[2]."""
    (tmp_path / "job.py").write_text(RANK)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path


@pytest.mark.mpi
@pytest.mark.family
@pytest.mark.parametrize("ranks", [1, 3])
def test_ranks_see_each_other_and_their_output_comes_through(job, capfd, ranks):
    assert launch.run("job", ["0", "0", "two words"], ranks) == 0
    assert f"{ranks} ranks, launched True ['0', '0', 'two words']" in capfd.readouterr().out


@pytest.mark.mpi
@pytest.mark.family
def test_the_exit_status_of_the_ranks_is_returned(job):
    assert launch.run("job", ["0", "2"], 2) == 2


def test_what_a_rank_says_is_read_before_it_aborts(tmp_path):
    read, write = os.pipe()
    os.write(write, b"why it failed")
    reader = threading.Timer(0.2, os.read, (read, 100))
    reader.start()
    failure.wait_until_read(write, most=600)
    assert not select.select([read], [], [], 0)[0]
    reader.join()
    os.write(write, b"that nobody reads")
    failure.wait_until_read(write, most=0.1)
    assert os.read(read, 100) == b"that nobody reads"
    os.close(read), os.close(write)
    with (tmp_path / "a file").open("wb") as file:
        file.write(b"that nobody reads")
        file.flush()
        failure.wait_until_read(file.fileno())


@pytest.mark.mpi
@pytest.mark.family
def test_ranks_that_take_too_long_are_ended(job):
    with pytest.raises(TimeoutError, match=r"2 ranks (of job did not end|started) within 4 s"):
        launch.run("job", ["120", "0"], 2, timeout=4)
    for file in job.glob("started-*"):
        wait_until(lambda file=file: not alive(int(file.read_text())))


@pytest.mark.mpi
@pytest.mark.family
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_every_rank(job, number):
    code = "from sortlast import launch; launch.run('job', ['120', '0'], 3)"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    started = [job / f"started-{rank}" for rank in range(3)]
    wait_until(lambda: all(file.exists() and file.read_text() for file in started))
    process.send_signal(number)
    assert process.wait(30) != 0
    for file in started:
        wait_until(lambda: not alive(int(file.read_text())))  # noqa: B023 - called before the next turn


ASKED = """
import sys
from sortlast import Error, launch
from sortlast.launch import failure

def measure(comm, asked):
    if asked.get("refuse"):
        raise Error(asked["refuse"])
    return {"asked": asked, "ranks": comm.allgather(comm.rank)}

if __name__ == "__main__":
    launch.serve(measure, alike=True)
"""


@pytest.mark.mpi
@pytest.mark.family
def test_ranks_are_asked_and_rank_0_tells(job, capfd):
    (job / "asked.py").write_text(ASKED)
    told = launch.ranks("asked", {"numbers": [1, 2], "path": job}, 3)
    assert told == {"asked": {"numbers": [1, 2], "path": str(job)}, "ranks": [0, 1, 2]}
    with pytest.raises(launch.RanksError, match="2 ranks of asked failed with status 2") as failed:
        launch.ranks("asked", {"refuse": "that is too much"}, 2)
    assert failed.value.status == 2
    assert capfd.readouterr().err.count("that is too much") == 1


def test_ranks_may_be_started_elsewhere():
    def start(command):
        assert command == launch.rank_command("asked", command[-2:])
        asked, told = map(Path, command[-2:])
        told.write_text(asked.read_text())
        return 0

    assert launch.ranks("asked", {"a": 1}, 7, start=start) == {"a": 1}
    with pytest.raises(launch.RanksError, match="7 ranks of asked failed with status 9"):
        launch.ranks("asked", {}, 7, start=lambda command: 9)


def fake_mpiexec(folder: Path, text: str) -> str:
    """An mpiexec that does what it is told, first on PATH; the PATH."""
    (folder / "mpiexec").write_text(f"#!/bin/sh\n[ $1 != --version ] || exec echo MPICH\n{text}\n")
    (folder / "mpiexec").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_a_launcher_that_starts_no_ranks_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", fake_mpiexec(tmp_path, "exec sleep 600"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setenv("SORTLAST_START_TIMEOUT", "0.5")
    with pytest.raises(TimeoutError, match=r"0 of 3 ranks started within 0\.5 s.*SORTLAST_START_TIMEOUT"):
        launch.run("job", [], 3)
    monkeypatch.setenv("SORTLAST_START_TIMEOUT", "600")
    with pytest.raises(TimeoutError, match=r"0 of 3 ranks started within 0\.4 s"):
        launch.run("job", [], 3, timeout=0.4)
    for text in ("long", "0", "nan"):
        monkeypatch.setenv("SORTLAST_START_TIMEOUT", text)
        with pytest.raises(Error, match=f"SORTLAST_START_TIMEOUT is '{text}'; expected a number of seconds"):
            launch.run("job", [], 3)


def test_a_timeout_includes_the_start():
    begun = time.monotonic() - 600
    with (
        _leftovers.start(["sleep", "600"]) as kept,
        pytest.raises(TimeoutError, match="did not end within 600 s"),
    ):
        mpiexec._wait(kept, 600, "the job", begun)


def test_a_limit_of_processes_that_is_too_low_is_an_error(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (7, 7))
    with pytest.raises(Error, match=r"cannot start 5 ranks: they need 14 more .* ulimit -u allows 7; raise"):
        launch.run("job", [], 5)


@pytest.mark.mpi
@pytest.mark.family
@pytest.mark.parametrize("safe", ["", "1"])
def test_modules_in_the_current_folder_are_not_imported(job, tmp_path, monkeypatch, safe):
    here = tmp_path / "here"
    here.mkdir()
    for name in ("numpy", "json", "mpi4py", "job", "failure", "sortlast"):
        (here / f"{name}.py").write_text("import sys; sys.exit('planted')")
    monkeypatch.chdir(here)
    monkeypatch.setenv("PYTHONSAFEPATH", safe)
    assert launch.run("job", ["0", "0"], 2) == 0
    assert (job / "started-1").exists()


@pytest.mark.mpi
@pytest.mark.family
def test_ranks_of_another_mpi_notice_that_they_are_alone(monkeypatch):
    code = "from sortlast import launch; launch.world()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"SORTLAST_RANKS": "4"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "mpiexec started 4 processes but MPI" in done.stderr


def test_the_mpiexec_of_this_environment_comes_first(tmp_path, monkeypatch):
    beside, elsewhere = tmp_path / "env" / "bin" / "mpiexec", tmp_path / "path" / "mpiexec"
    for path, text in ((beside, "HYDRA build details:"), (elsewhere, "mpiexec (Open MPI) 5.0.11")):
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\necho '{text}'\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(elsewhere.parent))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "env"))
    assert launch.find_mpiexec() == launch.Launcher(beside, "mpich")
    beside.unlink()
    assert launch.find_mpiexec() == launch.Launcher(elsewhere, "openmpi")
    elsewhere.write_text("#!/bin/sh\necho 'Vendor MPI 1'\n")
    with pytest.raises(Error, match="'Vendor MPI 1', which is neither MPICH nor Open MPI"):
        launch.find_mpiexec()
    elsewhere.unlink()
    with pytest.raises(Error, match=r"no mpiexec in .*pip install"):
        launch.find_mpiexec()


def test_settings_are_made_where_they_help():
    assert launch.environment("mpich", ranks=2, cores=2, superuser=True) == {}
    assert (
        launch.environment("mpich", ranks=3, cores=2, superuser=False)["MPIR_CVAR_ENABLE_HEAVY_YIELD"] == "1"
    )
    assert "OMPI_ALLOW_RUN_AS_ROOT" in launch.environment("openmpi", ranks=1, cores=2, superuser=True)
    assert "OMPI_ALLOW_RUN_AS_ROOT" not in launch.environment("openmpi", ranks=9, cores=2, superuser=False)


def test_no_ranks_is_an_error():
    with pytest.raises(Error, match="0 ranks"):
        launch.run("job", [], 0)


@pytest.mark.parametrize("name", ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"])
def test_every_process_manager_is_noticed(name):
    assert launch.under_mpiexec({name: "0"})
    assert not launch.under_mpiexec({"PATH": "/bin"})
