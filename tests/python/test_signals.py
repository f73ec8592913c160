"""Whatever ends a command, and whenever: nothing of it is left.

A command is started with a variable of its own, which all processes inherit that it starts, and with a folder
of its own for temporary files. At some moment it gets a signal; then nothing may be left of either, nor any
namespace, nor a file that is not whole.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import marked
from sortlast import launch
from sortlast_testbed import Settings, Testbed, names, namespaces, why_not

pytestmark = [pytest.mark.mpi, pytest.mark.family]

VARIABLE = "SORTLAST_TEST_OF_SIGNALS"
NAME = f"signals{os.getpid()}"  # of the testbed that commands use
LIMIT = 120.0  # for what a machine under load may take long to do [s]

# Makes a testbed and measures on it, as a program of a user's: no command line has set any signal.
PROGRAM = """
from sortlast_testbed import Settings, Testbed, measure
with Testbed(Settings("k-ary-n-tree:2,2", rate_mbit=20)) as testbed:
    while True:
        measure(testbed, [0, 1, 2, 3], 100_000, 3)
"""
SORTLAST = ["-m", "sortlast"]
COMMANDS = {
    "demo": [
        *SORTLAST,
        "demo",
        "--ranks",
        "4",
        "--data",
        "hydrogen",
        "--size",
        "256x256",
        "--frames",
        "9999",
    ],
    "study": [*SORTLAST, "study", "shift-based", "--quick", "--output", "study"],
    "bandwidth": [*SORTLAST, "bandwidth", "--ranks", "3", "--repeat", "9999", "--json", "a.json"],
    "testbed": ["-c", PROGRAM],
    "testbed run": ["-m", "sortlast_testbed", "bandwidth", "--name", NAME, "--repeat", "999"],
}
NEED_ROOT = ("testbed", "testbed run")
LATEST = 6.0  # moment of a signal, after the start [s]
WAYS: dict[str, list[int]] = {
    "INT": [signal.SIGINT],
    "TERM": [signal.SIGTERM],
    "HUP": [signal.SIGHUP],
    "QUIT": [signal.SIGQUIT],
    "KILL": [signal.SIGKILL],
    "INT INT": [signal.SIGINT, signal.SIGINT],
    "INT KILL": [signal.SIGINT, signal.SIGKILL],
}


@dataclass(frozen=True)
class Moment:
    """A command, the signals that it gets, and the times of the first and between them [s].

    ``after`` is None for a signal at the start of the command's ranks.
    """

    command: str
    way: str
    after: float | None
    between: float

    def __str__(self):
        return f"{self.command}, {self.way} after {self.after:.2f} s"


def moments(count, seed):
    """As many of each command, in turn, and of each way."""
    draw = random.Random(seed)
    commands, ways = list(COMMANDS), list(WAYS)
    return [
        Moment(commands[k % 5], ways[k % 7], draw.uniform(0.1, LATEST), draw.uniform(0, 0.1))
        for k in range(count)
    ]


def left(value, folder, temporary, pid):
    """What there is of a command that has ended."""
    # Folders may go while they are walked through, which os.walk passes over.
    there = [Path(at, name) for at, folders, files in os.walk(folder) for name in (*folders, *files)]
    halves = [path.name for path in there if path.name.startswith(".")]
    for path in there:
        if path.suffix == ".json":
            with suppress(FileNotFoundError):
                json.loads(path.read_text())
    new = [name for name in namespaces.listed() if names.prefix(f"{pid}t")[:-1] in name]
    return [*marked.processes(VARIABLE, value), *halves, *os.listdir(temporary), *new]


@pytest.fixture(scope="module")
def testbed():
    """One that commands use, and that none of them removes."""
    if why_not():
        yield
        return
    with Testbed(Settings("k-ary-n-tree:2,2", rate_mbit=20), NAME) as up:
        yield up


def _hears_signals() -> None:
    """Before a command is started: nohup, or a background job of a shell, ignores some for all it starts."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def check(moment, folder, testbed):
    """Start the command, send the signals, and look."""
    if moment.command in NEED_ROOT and why_not():
        pytest.skip(why_not())
    temporary = folder / "tmp"
    temporary.mkdir()
    value = f"{os.getpid()}-{folder}"
    process = subprocess.Popen(
        [sys.executable, *COMMANDS[moment.command]],
        cwd=folder,
        env=os.environ | {VARIABLE: value, "TMPDIR": str(temporary)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=(folder / "errors").open("w"),
        preexec_fn=_hears_signals,
    )
    if moment.after is not None:
        time.sleep(moment.after)
    else:
        end = time.monotonic() + LIMIT
        while not any("_rank.py" in each for each in marked.processes(VARIABLE, value)):
            assert time.monotonic() < end
            time.sleep(0.02)
    memory = marked.shared_memory(VARIABLE, value) if moment.command not in NEED_ROOT else set()
    for number in WAYS[moment.way]:
        process.send_signal(number)
        time.sleep(moment.between)
    try:
        process.wait(LIMIT)
    finally:
        process.kill()
    waited = time.monotonic() + LIMIT
    while found := left(value, folder, temporary, process.pid):
        assert time.monotonic() < waited, (str(moment), found)
        time.sleep(0.05)
    assert [path for path in memory if Path(path).exists()] == []
    if moment.command == "testbed run":
        assert set(testbed.spaces) <= set(namespaces.listed())
    errors = (folder / "errors").read_text()
    assert "BAD TERMINATION" not in errors
    if moment.command not in NEED_ROOT:
        assert "Exception ignored" not in errors
    return process.returncode


@pytest.mark.parametrize("moment", moments(8, seed=1), ids=str)
def test_nothing_is_left_at_some_moments(moment, tmp_path, testbed):
    check(moment, tmp_path, testbed)


@pytest.mark.slow
@pytest.mark.parametrize("moment", moments(50, seed=2), ids=str)
def test_nothing_is_left_at_any_moment(moment, tmp_path, testbed):
    check(moment, tmp_path, testbed)


@pytest.mark.parametrize(
    "way", ["INT", "TERM", *(pytest.param(way, marks=pytest.mark.slow) for way in ("HUP", "QUIT"))]
)
def test_the_status_tells_the_signal(way, tmp_path, testbed):
    assert check(Moment("demo", way, None, 0.0), tmp_path, testbed) == 128 + WAYS[way][0]


def test_a_terminal_gets_its_cursor_back_and_no_banner(tmp_path):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *COMMANDS["demo"]],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    # Open MPI's launcher holds back what has no end of line, such as a bar that shows progress.
    whole_lines = launch.find_mpiexec().family == "openmpi"
    shown, late = b"", time.monotonic() + (6 if whole_lines else LIMIT)
    while b"\x1b[?25l" not in shown or not re.search(rb"frame [1-9]", shown):
        if not select.select([ours], [], [], max(0, late - time.monotonic()))[0]:
            assert whole_lines, shown
            break
        shown += os.read(ours, 1 << 16)
    os.write(ours, b"\x03")
    with suppress(OSError):  # the terminal is gone with its last process
        while more := os.read(ours, 1 << 16):
            shown += more
    assert process.wait(LIMIT) == 130
    os.close(ours)
    assert shown.rfind(b"\x1b[?25h") >= shown.rfind(b"\x1b[?25l")  # both -1 if it was never hidden
    assert b"BAD TERMINATION" not in shown
    assert b"Traceback" not in shown


def test_ignored_signals_stay_ignored(tmp_path):
    """As under nohup."""
    code = (
        "import os, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); from sortlast import _leftovers;"
        "_leftovers.end_by_signals(); os.kill(os.getpid(), signal.SIGHUP); print('alive', flush=True);"
        "os.kill(os.getpid(), signal.SIGTERM); print('not here')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "alive\n")
