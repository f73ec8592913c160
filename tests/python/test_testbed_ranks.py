"""Ranks on the hosts of a testbed: where they run, what is measured there, and that they end with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import references
from processes import wait_until
from sortlast import ArgumentError, fabric
from sortlast_testbed import Settings, Testbed, _cleaner, answer, measure, namespaces, run, time_pattern

pytestmark = [pytest.mark.mpi, pytest.mark.family, references.NAMESPACES]

SMALL = Settings("k-ary-n-tree:2,2", engine="d-mod-k", rate_mbit=20)

# Ranks that write where they run and with whom they share memory, and then end.
TELL = """
import pathlib, sys
from mpi4py import MPI
comm = MPI.COMM_WORLD
node = comm.Split_type(MPI.COMM_TYPE_SHARED).allgather(comm.rank)
pathlib.Path({folder!r}, str(comm.rank)).write_text(MPI.Get_processor_name() + " " + str(node))
sys.exit(3 if comm.size == 2 else 0)
"""

# A program with a testbed whose ranks would run for a minute, and say that they have begun.
HOLD = """
import sys
from sortlast_testbed import Settings, Testbed, run
with Testbed(Settings("crossbar:2", engine="minhop")) as testbed:
    print(*testbed.spaces, flush=True)
    run(testbed, [0, 1], [sys.executable, "-c", '''
import pathlib, time
from mpi4py import MPI
pathlib.Path({folder!r}, str(MPI.COMM_WORLD.rank)).touch()
time.sleep(60)
'''], ranks_per_host=2)
"""


def told(folder: Path, ranks: int) -> list[str]:
    return [(folder / str(rank)).read_text() for rank in range(ranks)]


# --- where they run ---------------------------------------------------------------------------------------


def test_ranks_run_on_the_hosts_in_the_given_order(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TELL.format(folder=str(tmp_path))]
    with Testbed(SMALL) as testbed:
        assert run(testbed, [2, 0, 3, 1], command, timeout=100) == 0
        assert told(tmp_path, 4) == ["host00002 [0]", "host00000 [1]", "host00003 [2]", "host00001 [3]"]
        assert run(testbed, [1, 3], command, timeout=100) == 3
        with pytest.raises(ArgumentError, match="twice"):
            run(testbed, [1, 1], command)
        with pytest.raises(ArgumentError, match="ranks_per_host is 0; expected 1 or more"):
            run(testbed, [1], command, ranks_per_host=0)
        assert [pid for space in testbed.spaces for pid in namespaces.processes(space)] == []


def test_ranks_of_a_host_follow_each_other_and_share_its_memory(testbed_cli, tmp_path: Path) -> None:
    command = [sys.executable, "-c", TELL.format(folder=str(tmp_path))]
    with Testbed(SMALL, "testmany") as testbed:
        assert run(testbed, [2, 0], command, timeout=100, ranks_per_host=3) == 0
        assert told(tmp_path, 6) == ["host00002 [0, 1, 2]"] * 3 + ["host00000 [3, 4, 5]"] * 3

        asked = {"testbed": testbed.name, "message_bytes": 1000, "repeat": 1}
        report = answer(testbed, [1, 3], "sortlast_testbed._ranks", asked, 100, ranks_per_host=2)
        assert report["names"] == ["host00001", "host00001", "host00003", "host00003"]

        begin = ("run", "--name", "testmany", "--ranks-per-host", 2, "--timeout", 100, "--ranks")
        assert testbed_cli(*begin, 4, "--", *command)[0] == 0
        assert told(tmp_path, 4) == ["host00000 [0, 1]"] * 2 + ["host00001 [2, 3]"] * 2
        for ranks, why in (
            (9, "9 ranks do not spread evenly over hosts of 2; ask for a multiple"),
            (10, "--ranks 10, but there are 4 nodes; a host runs 2 ranks"),
        ):
            status, _, told_why = testbed_cli(*begin, ranks, "--", *command)
            assert (status, told_why) == (2, f"sortlast: {why}\n")


# --- what is measured there -------------------------------------------------------------------------------


def test_two_hosts_have_only_mutual_pairs() -> None:
    with Testbed(SMALL) as testbed:
        found = measure(testbed, [0, 3], message_bytes=50_000, repeat=1, timeout=100)
    assert found.mutual == {(0, 1), (1, 0)}
    assert found.rank_correlation is None
    assert found.flows_differ == 0


@pytest.mark.parametrize("hosts", [[0, 1, 2, 3], [0, 2, 1, 3]], ids=["routing order", "another order"])
def test_every_channel_carries_as_many_messages_as_the_tables_say(hosts: list[int]) -> None:
    with Testbed(SMALL) as testbed:
        found = measure(testbed, hosts, message_bytes=100_000, repeat=1, timeout=100)
    contention = fabric.contention(testbed.routes, "shift", hosts)
    assert found.predicted_flows.max() == contention.max_flows
    assert found.flows_differ == 0
    assert (found.flows >= found.predicted_flows).all()
    assert found.dropped == 0
    # Nobody sends faster than the link, but for what a shaper lets pass at once at each of up to four hops.
    assert found.bandwidths.maximum < 1.25 * found.link_bandwidth


def test_a_ring_takes_as_long_as_predicted_in_either_order() -> None:
    pattern = fabric.pattern("ring", 4, rank_bytes=400_000)
    with Testbed(SMALL) as testbed:
        fast = time_pattern(testbed, [0, 1, 2, 3], pattern, repeat=2, timeout=100)
        # Hosts of one leaf stand apart, and all four leave it by the same up-link.
        slow = time_pattern(testbed, [0, 2, 1, 3], pattern, repeat=2, timeout=100)
        with pytest.raises(ArgumentError, match="3 hosts for 4 participants, repeat 1; expected a host"):
            time_pattern(testbed, [0, 1, 2], pattern, repeat=1)
    assert len(fast.seconds) == 2
    assert (fast.dropped, slow.dropped) == (0, 0)
    for found in (fast, slow):
        assert found.max_flows == fabric.contention(testbed.routes, pattern, found.hosts).max_flows
        # Links send no faster than their rate, but for what a shaper lets pass at once.
        assert found.median > 0.8 * found.predicted.free_running


@pytest.mark.slow
def test_a_ring_in_a_random_order_is_no_faster_than_the_tables_say() -> None:
    with Testbed(Settings("k-ary-n-tree:4,2", engine="d-mod-k", rate_mbit=50)) as testbed:
        pattern = fabric.pattern("ring", 16, rank_bytes=4_000_000)
        routing, mixed = (
            time_pattern(testbed, testbed.order(order), pattern, repeat=3, timeout=100)
            for order in ("routing", "random")
        )
    assert (routing.max_flows, mixed.max_flows) == (1, 2)
    # On a busy machine it takes longer. The command `time` shows what an order costs on a quiet one.
    for found in (routing, mixed):
        assert found.median > 0.8 * found.predicted.free_running


# --- how they end -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunningJob:
    """A process with a testbed, its namespaces, and the processes that run there."""

    process: subprocess.Popen[str]
    spaces: set[str]
    pids: list[int]


@pytest.fixture
def job(tmp_path: Path) -> Iterator[RunningJob]:
    begun, temporary = tmp_path / "begun", tmp_path / "temporary"
    begun.mkdir()
    temporary.mkdir()
    command = [sys.executable, "-c", HOLD.format(folder=str(begun))]
    environ = os.environ | {"TMPDIR": str(temporary)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stdout is not None
        spaces = set(process.stdout.readline().split())
        wait_until(lambda: len(list(begun.iterdir())) == 4)
        pids = [pid for space in spaces for pid in namespaces.processes(space)]
        assert len(spaces) == 3
        assert len(pids) >= 4
        yield RunningJob(process, spaces, pids)
        process.kill()


def command_line(pid: int) -> list[str]:
    """Of a process; empty if it has ended, also if it still waits for its parent."""
    try:
        return Path("/proc", str(pid), "cmdline").read_text().split("\0")[:-1]
    except (FileNotFoundError, ProcessLookupError):
        return []


def cleaner_of(pid: int) -> int:
    """The process that removes a testbed after its maker's end."""
    numbers = (int(folder.name) for folder in Path("/proc").glob("[0-9]*"))
    (found,) = [each for each in numbers if command_line(each)[2:4] == [_cleaner.__name__, str(pid)]]
    return found


def test_an_interrupt_removes_all_and_ends_the_ranks(job: RunningJob) -> None:
    job.process.send_signal(signal.SIGINT)
    assert job.process.wait(timeout=20) != 0
    assert not job.spaces & set(namespaces.listed())
    wait_until(lambda: not any(command_line(pid) for pid in job.pids))


def test_the_next_testbed_removes_what_a_killed_process_left(job: RunningJob) -> None:
    """Also where the process is killed that would have removed it."""
    os.kill(cleaner_of(job.process.pid), signal.SIGKILL)
    job.process.kill()
    job.process.wait(timeout=20)
    assert job.spaces <= set(namespaces.listed())
    with Testbed(SMALL):
        assert not job.spaces & set(namespaces.listed())
    wait_until(lambda: not any(command_line(pid) for pid in job.pids))
