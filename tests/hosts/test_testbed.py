"""The testbed itself: it leaves nothing behind, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import mpirun
from testbed import Testbed, why_not

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.family,
    pytest.mark.skipif(why_not() != "", reason=why_not() or "not skipped"),
]

# Ranks that would run for a minute, and say that they have begun.
SCRIPT = """
from testbed import Testbed
with Testbed(hosts=2) as testbed:
    print(*testbed.hosts, flush=True)
    testbed.run(2, '''
        import pathlib, time
        pathlib.Path({folder!r}, str(rank)).touch()
        time.sleep(60)
    ''')
"""


def ip(*args: str) -> str:
    return subprocess.run(["ip", *args], capture_output=True, text=True, check=True).stdout


def namespaces() -> set[str]:
    return {line.split()[0] for line in ip("netns", "list").splitlines() if line}


def test_a_failure_inside_removes_all() -> None:
    with pytest.raises(ZeroDivisionError), Testbed(hosts=2) as testbed:  # noqa: PT012
        hosts = set(testbed.hosts)
        assert hosts <= namespaces()
        raise ZeroDivisionError
    assert not hosts & namespaces()


def test_a_failure_while_making_removes_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without tc the switch and the first host are made, and then nothing goes on."""
    path = shutil.which("ip")
    assert path is not None
    (tmp_path / "ip").symlink_to(path)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        with pytest.raises(FileNotFoundError, match="'tc'"), Testbed(hosts=2):
            pass
    assert not [name for name in namespaces() if name.startswith(f"sortlast-{os.getpid()}-")]


@pytest.mark.parametrize(("hosts", "rate"), [(0, 100), (201, 100), (8, 0), (8, -1)])
def test_impossible_testbeds_are_refused(hosts: int, rate: int) -> None:
    with pytest.raises(ValueError, match="expected 1 to 200 hosts and at least 1 Mbit/s"):
        Testbed(hosts, rate)


def test_ranks_that_do_not_spread_evenly_are_refused() -> None:
    with pytest.raises(ValueError, match="9 ranks do not spread evenly over 8 hosts"):
        Testbed(hosts=8).run(9, "report(rank)")


@dataclass(frozen=True)
class RunningJob:
    """A process with a testbed, its hosts, and the processes that run there."""

    process: subprocess.Popen[str]
    hosts: set[str]
    pids: list[int]


@pytest.fixture
def job(tmp_path: Path) -> Iterator[RunningJob]:
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(Path(mpirun.__file__).parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", SCRIPT.format(folder=str(tmp_path))]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    ) as process:
        assert process.stdout is not None
        hosts = set(process.stdout.readline().split())
        wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
        pids = [int(pid) for host in hosts for pid in ip("netns", "pids", host).split()]
        assert len(pids) >= len(hosts) == 2
        yield RunningJob(process, hosts, pids)
        process.kill()


def wait_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.05)


def runs(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent has no command line."""
    try:
        return Path("/proc", str(pid), "cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_an_interrupt_removes_all_and_ends_the_ranks(job: RunningJob) -> None:
    job.process.send_signal(signal.SIGINT)
    assert job.process.wait(timeout=20) != 0
    assert not job.hosts & namespaces()
    wait_until(lambda: not any(runs(pid) for pid in job.pids))


def test_the_next_testbed_removes_what_a_killed_process_left(job: RunningJob) -> None:
    job.process.kill()
    job.process.wait(timeout=20)
    assert job.hosts <= namespaces()
    with Testbed(hosts=1):
        assert not job.hosts & namespaces()
    wait_until(lambda: not any(runs(pid) for pid in job.pids))
