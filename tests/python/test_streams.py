"""Output that cannot be written, and full disks: files are whole or absent, and one line says why."""

from __future__ import annotations

import errno
import io
import os
import resource
import shlex
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
import typer

import commands
import deep_images
from sortlast import Error, cinema_files, deep_files, image_files, launch, tune
from sortlast.cli._app import app
from sortlast.files import replacing, write_text
from sortlast.launch import mpiexec, streams
from sortlast.plot import figure
from sortlast.schedule import Machine
from sortlast.view import film

TREE = "--net k-ary-n-tree:3,2"

# Every command, with the files a* that it is asked to write.
HERE = {
    "fabric build": f"{TREE} --output a.net --json a.json",
    "fabric check": f"{TREE} --prices prices.json --csv a.csv --json a.json",
    "fabric draw": f"{TREE} --output a.html",
    "fabric order": f"{TREE} --launcher mpich --hostfile a.hosts --json a.json",
    "fabric route": f"{TREE} --output a.lft --json a.json",
    "price": "--p 4 --json a.json",
    "schedule": "shift --p 4 --draw a.svg --json a.json",
    "simulate": f"shift {TREE} --trace a.trace.json --json a.json",
}
ON_RANKS = {
    "bandwidth": "--ranks 2 --bytes 64 --repeat 1 --matrix a.txt --json a.json",
    "bench composite": "--ranks 2 --size 8x8 --algorithms shift --peers sortlast --frames 1 --json a.json",
    "composite": "0.npy 1.npy --output a.npy",
    "demo": "--ranks 2 --data hydrogen --size 8x8 --output a.png --json a.json",
    "tune": "--ranks 2 --seconds 0.01 --output a.json",
    "view": "hydrogen --ranks 2 --size 8x8 --frames 1 --record a",
}
NOT_HERE = {  # they take hours, or need IceT or a study's data
    *("bench matrix", "icet", "study"),
}


def words(name):
    return [*name.split(), *shlex.split((HERE | ON_RANKS)[name])]


def files(folder):
    return {path.name for path in folder.iterdir() if not path.name.startswith(("0", "1", "prices"))}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with what the commands read."""
    monkeypatch.chdir(tmp_path)
    Path("prices.json").write_text('{"switch": {"port squared": 20}, "cable": {"any": 150}}')
    for name in ("0.npy", "1.npy"):
        np.save(name, np.ones((40, 40, 4), np.float32))
    return tmp_path


def test_every_command_is_listed():
    def leaves(group, before=""):
        for name, command in group.commands.items():
            inner = hasattr(command, "commands") and name not in NOT_HERE
            yield from leaves(command, f"{before}{name} ") if inner else [before + name]

    assert {*leaves(typer.main.get_command(app))} == {*HERE, *ON_RANKS, *NOT_HERE}


# --- standard output and standard error that cannot be written --------------------------------------------


@contextmanager
def full():
    with open("/dev/full", "wb") as file:
        yield file.fileno()


@contextmanager
def closed():
    yield None


@contextmanager
def without_reader():
    read, write = os.pipe()
    os.close(read)
    try:
        yield write
    finally:
        os.close(write)


REASONS = {full: errno.ENOSPC, closed: errno.EBADF, without_reader: None}


@pytest.mark.parametrize(
    ("name", "output"),
    [
        *((name, full) for name in HERE),
        *(("fabric check", output) for output in (closed, without_reader)),
        *(pytest.param(name, full, marks=pytest.mark.mpi) for name in ON_RANKS),
        pytest.param("composite", without_reader, marks=pytest.mark.mpi),
    ],
)
def test_what_cannot_be_printed_stops_no_work(folder, name, output):
    with output() as stream:
        done = commands.run(*words(name), folder=folder, streams={1: stream})
    reason = REASONS[output]
    told = "" if reason is None else f"sortlast: cannot write to standard output: {os.strerror(reason)}\n"
    assert done.returncode == (141 if reason is None else 1), done
    assert told in done.stderr if name in ON_RANKS else done.stderr == told  # a bar of progress may stay
    assert "Traceback" not in done.stderr
    assert files(folder) == {word for word in words(name) if word == "a" or word.startswith("a.")}


@pytest.mark.parametrize("output", [full, closed])
def test_errors_that_cannot_be_printed_are_lost_and_the_status_stays(folder, output):
    with output() as stream:
        done = commands.run("price", "--p", 4, "--json", "a.json", streams={2: stream})
        assert (done.returncode, files(folder)) == (0, {"a.json"})
        assert done.stdout.startswith("Communication")
        assert commands.run("price", "--p", "x", streams={2: stream}).returncode == 2
        assert commands.run("price", "--p", 4, streams={1: stream, 2: stream}).returncode == 1


def test_a_failure_keeps_its_status_whatever_standard_output_does(folder):
    with without_reader() as stream:
        done = commands.run("fabric", "check", "--net", "ring", streams={1: stream})
    assert done.returncode == 2
    assert "ring" in done.stderr


def test_a_closed_standard_input_is_empty():
    script = 'exec "$@" <&-'
    command = ["sh", "-c", script, "sh", sys.executable, "-m", "sortlast", "fabric", "check", "--net", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done


@contextmanager
def guarded_output(monkeypatch):
    """The read end of a full pipe that guarded standard output writes to."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with suppress(BlockingIOError):
        while True:
            os.write(write, bytes(1 << 12))
    os.set_blocking(write, True)
    with open(read, "rb", buffering=0) as pipe, open(write, "wb"):
        buffer = io.BufferedWriter(streams._Descriptor(write))
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", io.TextIOWrapper(buffer))
            yield pipe


def test_output_is_kept_for_a_reader_that_pauses(monkeypatch):
    monkeypatch.setattr(streams, "_LINGER", 0.1)
    found = []
    with guarded_output(monkeypatch) as pipe:

        def read():
            found.append(b"begun")
            found.append(pipe.read(1 << 20))

        with streams.Forwarded() as output:
            os.write(output.stdout, b"the end")
            output.start()
            reader = threading.Timer(1.0, read)
            reader.start()
        assert found  # the exit has waited for the reader
        reader.join()
        os.set_blocking(pipe.fileno(), False)
        found.append(pipe.read())
    assert b"".join(filter(None, found)).endswith(b"the end")


def test_a_process_that_holds_the_pipe_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(streams, "_LINGER", 0.1)
    with guarded_output(monkeypatch), streams.Forwarded() as output:
        held = os.dup(output.stdout)
        output.start()
    os.close(held)


def test_pipes_that_no_program_got_are_closed(monkeypatch):
    with guarded_output(monkeypatch):
        before = set(os.listdir("/proc/self/fd"))
        with streams.Forwarded() as output:
            assert output.stdout is not None
        assert set(os.listdir("/proc/self/fd")) <= before


# --- full disks -------------------------------------------------------------------------------------------


@contextmanager
def most_bytes(count):
    """No file can grow beyond so many bytes."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


@pytest.mark.parametrize("name", HERE)
def test_a_full_disk_is_one_line_that_names_the_file(folder, cli, name):
    with most_bytes(10):
        status, _, errors = cli(*words(name))
    assert status == 2
    first = next(word for word in words(name) if word == "a" or word.startswith("a."))
    assert errors.startswith("sortlast: cannot write a")
    assert errors.endswith(": File too large; choose another place\n")
    assert errors.count("\n") == 1
    assert files(folder) <= {"a"}, first
    assert not [*folder.glob("a/*")]


def image(name):
    return lambda path: image_files.write(path / name, image_files.Image(np.ones((60, 60, 4), np.float32)))


def picture(name):
    return lambda path: figure.save(figure.empty(3, 2)[0], path / name)


def turn(path):
    pixels = np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)
    with film._to_file(film.Film(path / "a.mp4", (64, 64), 9)) as keep:
        for _ in range(9):
            keep(pixels)


WRITERS = {
    **{f"a.{kind}": image(f"a.{kind}") for kind in ("png", "npy", "exr", "tif")},
    **{f"a.{kind}": picture(f"a.{kind}") for kind in ("pdf", "svg")},
    "a.deep.exr": lambda path: deep_files.write(path / "a.deep.exr", deep_images.fragments(1)),
    "a.cdb": lambda path: cinema_files.write(path / "a.cdb", deep_images.fragments(1)),
    "a.mp4": turn,
    "a.json": lambda path: tune.save(Machine(), path / "a.json"),
    "a.txt": lambda path: write_text(path / "a.txt", 1000 * "long "),
}


@pytest.mark.parametrize("name", WRITERS)
def test_no_writer_leaves_a_part_where_the_disk_is_full(tmp_path, name):
    with most_bytes(100), pytest.raises(Error, match=rf"cannot write {tmp_path}/{name}: File too large; "):
        WRITERS[name](tmp_path)
    assert [*tmp_path.iterdir()] == []
    WRITERS[name](tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_errors_of_other_files_and_other_errors_stay_what_they_are(tmp_path):
    for error in (FileNotFoundError(errno.ENOENT, "no", "other"), ZeroDivisionError()):
        with pytest.raises(type(error)), replacing(tmp_path / "a"):
            raise error


def test_full_places_of_temporary_files_and_of_the_cache_are_named(folder, cli, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    with most_bytes(10):
        status, _, errors = cli(*words("composite"))
        with pytest.raises(Error, match=rf"cannot write {folder}/cache/sortlast/.*json: File too large"):
            tune.keep(Machine())
    assert status == 2
    assert "settings.json: File too large; make room there, or set TMPDIR to another folder\n" in errors


RANK = """
import os, sys
from sortlast import launch
def measure(comm, settings):
    if comm.rank == 0:
        os.symlink("/dev/full", sys.argv[2])
    return "long" * 10000
launch.serve(measure)
"""


@pytest.mark.mpi
def test_ranks_that_cannot_write_end_the_command_with_one_line(folder, monkeypatch, capfd):
    Path("a.npy").symlink_to("/dev/full")
    done = commands.run(*words("composite"), folder=folder)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("sortlast: rank 0: cannot write a.npy: No space left")
    Path("rank.py").write_text(RANK)
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    with pytest.raises(launch.RanksError):
        launch.ranks("rank", {}, 2)
    assert "report.json: No space left on device; make room there" in capfd.readouterr().err


def test_a_rank_without_room_for_its_mark_ends_with_one_line(tmp_path):
    (tmp_path / mpiexec.STARTED).symlink_to("/dev/full")
    entry = Path(launch.__file__).with_name("_rank.py")
    variables = {**os.environ, mpiexec.STARTED: "1", "TMPDIR": str(tmp_path)}
    command = [sys.executable, entry, "this"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr == f"sortlast: cannot write to {tmp_path}: No space left on device; make room there\n"
