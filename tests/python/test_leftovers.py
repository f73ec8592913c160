"""No process, folder or segment of MPI outlives the program that started it; files of others stay."""

from __future__ import annotations

import mmap
import os
import resource
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from processes import alive, wait_until
from sortlast import Error, _keeper, _leftovers

# Writes its number to a file, in a session of its own and without a parent; and so does what has started it.
ESCAPES = """
import os, pathlib, sys, time
folder = pathlib.Path(sys.argv[1])
(folder / "child").write_text(str(os.getpid()))
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        (folder / "grandchild").write_text(str(os.getpid()))
    else:
        os._exit(0)
time.sleep(600)
"""


def number_in(path: Path) -> int:
    wait_until(lambda: path.exists() and path.read_text())
    return int(path.read_text())


def test_a_process_that_left_its_session_and_parent_is_killed(tmp_path):
    """And one of another block is not."""
    with _leftovers.start(["sleep", "600"]) as other:
        with _leftovers.start([sys.executable, "-c", ESCAPES, str(tmp_path)]) as kept:
            pids = [number_in(tmp_path / name) for name in ("child", "grandchild")]
            folder = kept.folder
            assert folder.is_dir()
        assert not any(map(alive, pids))
        assert not folder.exists()
        assert other.process.poll() is None


def test_all_goes_when_the_starter_is_killed(tmp_path):
    """Also where a fork of the starter goes on, with its files open."""
    code = f"""
import os, subprocess, sys, time
from sortlast import _leftovers
with _leftovers.folder() as folder, _leftovers.start([sys.executable, "-c", {ESCAPES!r}, {str(tmp_path)!r}]):
    if os.fork() == 0:
        time.sleep(600)
    print(folder, flush=True)
    time.sleep(600)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as starter:
        folder = Path(starter.stdout.readline().strip())
        pids = [number_in(tmp_path / name) for name in ("child", "grandchild")]
        starter.send_signal(signal.SIGKILL)
        wait_until(lambda: not any(map(alive, pids)) and not folder.exists())
        os.killpg(starter.pid, signal.SIGKILL)


def test_the_status_is_the_commands():
    for command, status in (("exit 7", 7), ("kill -TERM $$", 128 + signal.SIGTERM), ("exit 0", 0)):
        with _leftovers.start(["sh", "-c", command]) as kept:
            assert kept.process.wait(60) == status


def test_a_folder_that_cannot_be_made_is_an_error_in_one_line(tmp_path):
    command = [sys.executable, *_leftovers._KEEPER, str(os.getpid()), "0", str(tmp_path / "a" / "b"), "true"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"sortlast: cannot make the folder {tmp_path}/a/b: No such file")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "name", ["mpich_shm_{:x}_", "mpich_vci_{:x}_", "sm_segment.node7.example.0.{:x}.", "ucx_shm_posix_{:x}"]
)
def test_files_of_the_user_in_shared_memory_stay_and_segments_of_mpi_go(name):
    """A rank that is killed maps both."""
    kept_file = Path(_keeper.MEMORY, f"head-{os.getpid()}.nii")
    other = Path(_keeper.MEMORY, f"{name.format(os.getpid())}1")
    segment = Path(_keeper.MEMORY, f"{name.format(os.getpid())}0")
    code = """
import mmap, sys, time
files = [open(path, "r+b") for path in sys.argv[2:]]
held = [mmap.mmap(file.fileno(), 0) for file in files]
open(sys.argv[1], "w").close()
time.sleep(600)
"""
    try:
        for path in (kept_file, segment, other):
            path.write_bytes(b"\0" * mmap.PAGESIZE)
        with _leftovers.folder() as folder:
            command = [sys.executable, "-c", code, str(folder / "ready"), str(kept_file), str(segment)]
            with _leftovers.start(command):
                wait_until((folder / "ready").exists)
        assert [path.exists() for path in (kept_file, other, segment)] == [True, True, False]
    finally:
        for path in (kept_file, segment, other):
            path.unlink(missing_ok=True)


def test_a_segment_that_a_rank_noted_goes_although_mpiexec_has_killed_the_rank():
    segment = Path(_keeper.MEMORY, f"mpich_shm_{os.getpid():x}_5")
    code = f"""
import mmap, os, sys
from sortlast import _keeper
file = open({str(segment)!r}, "w+b")
file.truncate(mmap.PAGESIZE)
held = mmap.mmap(file.fileno(), 0)
with open(os.environ["TMPDIR"] + "/segments", "ab") as notes:
    notes.write(b"\\xff cut off\\n/dev/shm/a 1 \\n")
_keeper.note_segments(os.environ["TMPDIR"])
os.kill(os.getpid(), 9)
"""
    try:
        with _leftovers.start([sys.executable, "-c", code]) as kept:
            assert kept.process.wait(120) == 128 + signal.SIGKILL
        assert not segment.exists()
        assert not kept.folder.exists()
    finally:
        segment.unlink(missing_ok=True)


def test_a_segment_that_a_failed_command_left_is_named(capfd):
    segment = Path(_keeper.MEMORY, f"mpich_shm_{os.getpid():x}_7")
    try:
        for status in (0, 1):
            with _leftovers.start(["sh", "-c", f"echo > {segment}; exit {status}"]) as kept:
                assert kept.process.wait(60) == status
            assert (f"MPI left shared memory in {segment}" in capfd.readouterr().err) == (status == 1)
            assert segment.exists()
            segment.unlink()
    finally:
        segment.unlink(missing_ok=True)


def test_a_segment_of_another_job_that_starts_is_not_named(monkeypatch, capfd):
    """It is made when the command ends, and mapped a moment later."""
    segment = Path(_keeper.MEMORY, f"mpich_shm_{os.getpid():x}_8")
    try:
        segment.write_bytes(bytes(mmap.PAGESIZE))
        others = {path: each for path, each in _keeper.segments().items() if path != str(segment)}
        with segment.open("rb") as file, ExitStack() as job:

            def sleep(seconds: float) -> None:
                if seconds:
                    job.enter_context(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))

            with monkeypatch.context() as patch:
                patch.setattr(_keeper.time, "sleep", sleep)
                _keeper._report_segments(others)
            assert str(segment) not in capfd.readouterr().err
        _keeper._report_segments(others)
        assert str(segment) in capfd.readouterr().err
    finally:
        segment.unlink(missing_ok=True)


def test_what_a_keeper_cannot_print_stops_no_clean_up():
    segment = Path(_keeper.MEMORY, f"mpich_shm_{os.getpid():x}_9")
    try:
        with open("/dev/full", "wb") as full:
            command = ["sh", "-c", f"echo > {segment}; exit 3"]
            with _leftovers.start(command, stderr=full) as kept:
                assert kept.process.wait(60) == 3
        assert not kept.folder.exists()
    finally:
        segment.unlink(missing_ok=True)


def test_noted_segments_go_although_processes_do_not_end(tmp_path):
    segment = Path(_keeper.MEMORY, f"mpich_shm_{os.getpid():x}_11")
    segment.write_bytes(b"x")
    code = f"""
import os
from sortlast import _keeper
def fail():
    raise OSError("processes do not end")
_keeper.kill_descendants = fail
about = os.stat({str(segment)!r})
note = f"{segment} {{about.st_dev}} {{about.st_ino}}"
command = ["sh", "-c", f"echo {{note}} > $TMPDIR/segments"]
_keeper.main(os.getpid(), os.pipe()[0], {str(tmp_path / "kept")!r}, command)
"""
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "sortlast: processes do not end\n")
        assert not segment.exists()
        assert not (tmp_path / "kept").exists()
    finally:
        segment.unlink(missing_ok=True)


def test_a_signal_after_the_end_of_the_command_changes_nothing():
    code = """
import os, signal, sys
from sortlast import _keeper
reap = _keeper._reap
def then_signal(child=0):
    status = reap(child)
    if status is not None:
        signal.raise_signal(signal.SIGTERM)
    return status
_keeper._reap = then_signal
sys.exit(_keeper._run(os.getpid(), os.pipe()[0], ["sh", "-c", "exit 7"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (7, "")


@contextmanager
def descriptors_used(count, more):
    """All file descriptors below ``count`` are in use, and ``more`` others can be opened."""
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as held:
        held.callback(resource.setrlimit, resource.RLIMIT_NOFILE, usual)
        resource.setrlimit(resource.RLIMIT_NOFILE, (count + more, usual[1]))
        opened = 0
        with suppress(OSError):
            while opened < count - 1:
                opened = os.open(os.devnull, os.O_RDONLY)
                held.callback(os.close, opened)
        yield


def test_a_pipe_with_a_descriptor_above_1023_is_watched():
    with descriptors_used(1040, 20), _leftovers.start(["sh", "-c", "exit 7"]) as kept:
        assert kept.process.wait(60) == 7


def test_no_descriptor_leaks_where_nothing_can_be_started():
    def used():
        return set(os.listdir("/proc/self/fd"))

    before = used()
    for more in range(4):
        refused = pytest.raises(Error, match=r"cannot start a process: Too many open files.*\(ulimit -n\)")
        with descriptors_used(200, more), refused:
            _leftovers.start(["true"])
    with pytest.raises(ValueError, match="null byte"):
        _leftovers.start(["a\0b"])
    assert used() <= before


def test_a_folder_goes_although_files_in_it_come_and_go():
    begun = threading.Event()

    def write(path):
        for number in range(3000):
            try:
                (path / f"{number % 40}").write_text("x")
                (path / f"{(number + 20) % 40}").unlink(missing_ok=True)
            except FileNotFoundError:  # the folder has gone
                return
            begun.set()

    for _ in range(5):
        begun.clear()
        with _leftovers.folder() as path:
            writer = threading.Thread(target=write, args=[path])
            writer.start()
            assert begun.wait(60)
        writer.join()
        assert not path.exists()


def test_a_process_that_cannot_be_started_is_an_error(monkeypatch):
    def refuse(*arguments, **options):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(Error, match=r"cannot start a process: Resource temp.*allow more \(ulimit -u\)"):
        _leftovers.start(["true"])
