"""Ranks that stay for the next test: what one test does, another does not notice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import mpirun
import pool

pytestmark = [pytest.mark.mpi, pytest.mark.family]

WHERE = "import os\nreport([os.getpid(), comm.size])"


def pids() -> list[int]:
    """Processes of the pool of three ranks."""
    return [pid for pid, _ in mpirun.run(3, WHERE).reports]


def test_the_ranks_stay() -> None:
    assert pids() == pids()
    assert [size for _, size in mpirun.run(3, WHERE).reports] == [3, 3, 3]
    assert not set(pids()) & {pid for pid, _ in mpirun.run(3, WHERE, alone=True).reports}


def test_nothing_of_a_script_is_left_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = """
    import os, signal, sys, warnings
    import sortlast
    from sortlast import tune
    report([os.getcwd(), dict(os.environ), sys.argv[1:], sys.path, repr(signal.getsignal(signal.SIGTERM)),
            repr(warnings.filters), sorted(sys.modules["__main__"].__dict__.keys() - {"comm"}),
            sortlast.Compositor.__name__, tune.measure.__name__, tune.TIMES])
    """
    before = mpirun.run(3, state)
    spoilt = mpirun.run(
        3,
        """
        import os, signal, sys, warnings
        import sortlast
        from sortlast import tune
        os.chdir("/")
        os.environ["HOME"] = "/nowhere"
        sys.argv.append("more")
        sys.path.append("/nowhere")
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        warnings.simplefilter("error")
        left = sortlast.Compositor = tune.measure = int
        tune.TIMES += ("of day",)
        comm.Free()
        print("printed on", rank, flush=True)
        os.system("echo in a shell >&2")
        """,
    )
    assert spoilt.returncode == 0, spoilt
    assert spoilt.stdout == "printed on 0\nprinted on 1\nprinted on 2\n"
    assert spoilt.stderr == "in a shell\n" * 3
    after = mpirun.run(3, state)
    assert after.reports == before.reports
    assert (after.stdout, after.stderr) == ("", "")
    # What the test's own process has changed meanwhile, the ranks have too.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    for folder, variables, *_ in mpirun.run(3, state).reports:
        assert folder == str(tmp_path)
        assert variables["XDG_CACHE_HOME"] == str(tmp_path)
        assert "HOME" not in variables


@pytest.mark.parametrize(
    ("breaks", "told"),
    [
        ("raise ValueError('given up')", "ValueError: given up\nrank 1 of the pool raised an exception\n"),
        ("os.kill(os.getpid(), 9)", "rank 1 of the pool ended\n"),
        ("sys.exit(3)", "SystemExit: 3\nrank 1 of the pool raised an exception\n"),
    ],
)
def test_a_script_that_breaks_the_pool_fails_and_the_next_gets_another(breaks: str, told: str) -> None:
    before = pids()
    job = mpirun.run(
        3, f"import os\nprint('before', flush=True)\nif rank == 1:\n    {breaks}\ncomm.recv(source=1)"
    )
    assert job.returncode != 0
    assert "before" in job.stdout
    assert told in job.stderr
    assert_gone(before)
    assert not set(pids()) & set(before)


def test_ranks_that_ended_while_they_waited_are_replaced() -> None:
    before = pids()
    os.kill(before[0], signal.SIGKILL)
    assert_gone(before)
    assert not set(pids()) & set(before)


def test_ranks_that_wait_take_no_time_of_a_core() -> None:
    used = "import resource\nreport(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))"
    before = mpirun.run(3, used).reports
    time.sleep(1.0)
    after = mpirun.run(3, used).reports
    assert max(late - early for early, late in zip(before, after, strict=True)) < 0.5


def test_a_pool_gives_way_to_those_that_are_used() -> None:
    (first,) = mpirun.run(1, WHERE).reports
    for ranks in range(2, 7):
        assert mpirun.run(ranks, WHERE).returncode == 0
    assert sum(pool.kept()) <= pool.KEPT < sum(range(1, 7))
    assert 6 in pool.kept()
    assert_gone([first[0]])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_rank_outlives_its_session(number: int, tmp_path: Path) -> None:
    """One waits for a script and another computes."""
    (tmp_path / "test_two_pools.py").write_text(
        textwrap.dedent(
            f"""
            import pathlib
            import mpirun

            def test():
                told = mpirun.run(1, {WHERE!r}).reports
                job = mpirun.run(2, '''
                    import json, os
                    pids = comm.gather(os.getpid())
                    if rank == 0:
                        pathlib.Path({str(tmp_path / "new")!r}).write_text(json.dumps(pids))
                        os.rename({str(tmp_path / "new")!r}, {str(tmp_path / "pids")!r})
                    while True:
                        pass
                ''')
            """
        )
    )
    here = Path(__file__).parent
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", "/dev/null", str(tmp_path)]
    path = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
    session = subprocess.Popen(
        [*command, "--confcutdir", str(tmp_path)],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_until((tmp_path / "pids").exists)
    ranks = [int(each) for each in (tmp_path / "pids").read_text().strip("[]").split(",")]
    memory = [file for rank in ranks for file in shared_memory(rank)]
    session.send_signal(number)
    session.wait(60)
    assert_gone(ranks)
    wait_until(lambda: not any(map(os.path.exists, memory)))


def shared_memory(pid: int) -> set[str]:
    """Files of shared memory that a process maps."""
    maps = Path(f"/proc/{pid}/maps").read_text().split()
    return {word for word in maps if word.startswith("/dev/shm/")}


def assert_gone(processes: list[int]) -> None:
    wait_until(lambda: not any(alive(pid) for pid in processes))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, limit: float = 60.0) -> None:
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
