"""A rank dies at a random moment: the others get an error within the limit, and nothing is left.

SORTLAST_DEATHS is how many moments the long test tries; it prints a table of what became of them.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

import dead_rank
import marked
from sortlast import _leftovers, _watcher, launch

pytestmark = [pytest.mark.mpi, pytest.mark.family]

LIMIT = 2.0  # of the compositor [s]
SLACK = 20.0  # on top of it, for a machine under load [s]
START = 120.0  # for all ranks to come [s]
AT_ONCE = 5.0  # for what waits for nobody, on a machine under load [s]
TOGETHER = 2  # jobs at a time, for the time in which ranks wait
WAYS = {"KILL": signal.SIGKILL, "STOP": signal.SIGSTOP, "SEGV": signal.SIGSEGV}
ALGORITHMS = ["auto", "direct-send", "radix-k", "shift", "tree", "two-level"]
MPI_MEMORY = "mpich_shm_"  # what MPICH leaves of ranks that are killed (docs/reference/errors.md)
# How a family's mpiexec lets the other ranks live when one has died; without that it ends them.
OUTLIVE = {"mpich": ["-disable-auto-cleanup"], "openmpi": ["--with-ft", "ulfm"]}


@dataclass(frozen=True)
class Death:
    """Who dies when, and in which job."""

    seed: int
    ranks: int
    victim: int
    way: str
    after: float  # the first frame [s]
    woken: bool  # a stopped rank goes on after the others have had their error; else it is killed
    outlive: bool  # mpiexec lets the others live
    algorithm: str
    node_ranks: int
    limit: float = LIMIT

    def __str__(self):
        return f"{self.seed}: rank {self.victim} of {self.ranks}, {self.way} after {self.after:.3f} s"


def deaths(count: int, seed: int) -> list[Death]:
    drawn = []
    for number in range(seed, seed + count):
        draw = random.Random(number)
        ranks = draw.randint(2, 16)
        drawn.append(
            Death(
                number,
                ranks,
                victim=draw.randrange(ranks),
                way=draw.choice(list(WAYS)),
                after=draw.uniform(0, 0.5),
                woken=draw.random() < 0.5,
                outlive=draw.random() < 0.5,
                algorithm=draw.choice(ALGORITHMS),
                node_ranks=draw.choice([0, 0, 1, 2]),
            )
        )
    return drawn


def until(condition: Callable[[], object], seconds: float) -> bool:
    """Wait until something is so; whether it is."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Trial:
    """A job in which a rank dies. ``counts`` tells what became of it, ``faults`` what was not as promised."""

    def __init__(self, death: Death, folder: Path) -> None:
        self.death, self.folder = death, folder
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.survivors = [rank for rank in range(death.ranks) if rank != death.victim]
        launcher = launch.find_mpiexec()
        self.family = launcher.family
        self.ulfm = death.outlive and self.family == "openmpi" and death.way != "STOP"
        options = OUTLIVE[self.family] if death.outlive else []
        settings = json.dumps(asdict(death) | {"ulfm": self.ulfm})
        command = [sys.executable, dead_rank.__file__, str(folder), settings]
        self.argv = [str(launcher.path), *options, "-n", str(death.ranks), *command]
        cores = len(os.sched_getaffinity(0))
        self.settings = launch.environment(self.family, death.ranks, cores, os.geteuid() == 0)

    def run(self) -> None:
        temporary = self.folder / "tmp"
        temporary.mkdir()
        with _leftovers.processes() as mark:
            with (self.folder / "output").open("w") as output:
                self.process = subprocess.Popen(
                    self.argv,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env={**os.environ, **self.settings, **mark, "TMPDIR": str(temporary)},
                    start_new_session=True,
                )
            if not until(lambda: len(list(self.folder.glob("*.ready"))) == self.death.ranks, START):
                self.fault("the ranks did not start", (self.folder / "output").read_text()[-2000:])
                return
            value = mark[_watcher.MARK]
            memory = marked.shared_memory(_watcher.MARK, value)
            self.kill_one()
            if not until(lambda: self.process.poll() is not None, SLACK):
                self.fault("hang: mpiexec")
            self.counts["left by MPI: processes"] += len(marked.folders(_watcher.MARK, value))
            self.counts["left by MPI: files of shared memory"] += sum(map(os.path.exists, memory))
        self.process.wait()
        self.look_for_what_is_left(value, memory)
        self.judge()

    def fault(self, what: str, more: object = "") -> None:
        self.counts[what] += 1
        self.faults.append(f"{self.death}: {what} {more}")

    def kill_one(self) -> None:
        """Let the rank die, and the others report; then let all go."""
        death, victim = self.death, int((self.folder / f"{self.death.victim}.ready").read_text())
        time.sleep(death.after)
        self.died = time.monotonic()
        os.kill(victim, WAYS[death.way])
        until(lambda: self.process.poll() is not None or self.reported(self.survivors), LIMIT + SLACK)
        if death.way == "STOP":
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGCONT if death.woken else signal.SIGKILL)
            if death.woken and not until(lambda: self.reported([death.victim]), LIMIT + SLACK):
                self.fault("hang: a rank that was woken")
        (self.folder / dead_rank.GO).touch()

    def reported(self, ranks: list[int]) -> bool:
        return all((self.folder / f"{rank}.json").exists() for rank in ranks)

    def look_for_what_is_left(self, value: str, memory: set[str]) -> None:
        for command in marked.processes(_watcher.MARK, value):
            self.fault("leak: process", command)
        for path in map(Path, filter(os.path.exists, memory)):
            if not path.name.startswith(MPI_MEMORY):
                self.fault("leak: shared memory", path)
            path.unlink()

    def judge(self) -> None:
        death = self.death
        # mpiexec ends the others of a rank that has died, unless it is told not to.
        ended = death.way != "STOP" and not (death.outlive and self.family == "openmpi")
        for rank in self.survivors:
            if (self.folder / f"{rank}.crash").read_text():
                self.fault("crash of a survivor", (self.folder / f"{rank}.crash").read_text())
            elif self.reported([rank]):
                self.judge_report(rank)
            elif ended and self.process.returncode != 0:
                told_not_to = " though it was told not to" if death.outlive else ""
                self.counts[f"survivors that mpiexec ended{told_not_to}"] += 1
            else:
                self.fault("hang: a survivor", (self.folder / "output").read_text()[-2000:])
        if death.way == "STOP" and death.woken and self.reported([death.victim]):
            self.judge_report(death.victim)

    def judge_report(self, rank: int) -> None:
        report = json.loads((self.folder / f"{rank}.json").read_text())
        who = "woken ranks" if rank == self.death.victim else "survivors"
        kind, text = report.get("error", ["nothing", ""])
        if report["wrong"]:
            self.fault("wrong pictures", report)
        # Who reads the memory of a process as it ends gets an Error that says so.
        gone = kind == "Error" and text.startswith("cannot read the memory of process")
        if kind not in ("TimeoutError", "RemoteError", "MpiError") and not gone:
            self.fault(f"{who}: another error", f"{kind}: {text}")
        elif who == "survivors" and report["at"] - self.died > LIMIT + SLACK:
            self.fault("survivors: an error past the limit", report)
        else:
            self.counts[f"{who} that got a {kind}"] += 1
        if report.get("again", ["nothing"])[0] not in ("TimeoutError", "RemoteError", "MpiError"):
            self.fault("a second call that did not fail", report)
        if report["end"] > AT_ONCE:
            self.fault("an end that waited", report)
        if self.ulfm:
            if report["rest"] == [self.death.ranks - 1, True]:
                self.counts["survivors that went on without the dead rank"] += 1
            else:
                self.fault("survivors that did not go on", report["rest"])


def check(tried: list[Death], folder: Path) -> None:
    """Try all of them; print a table, and fail for what was not as promised."""
    trials = [Trial(death, folder / str(death.seed)) for death in tried]
    for trial in trials:
        trial.folder.mkdir()
    with ThreadPoolExecutor(TOGETHER) as pool:
        list(pool.map(Trial.run, trials))
    counts: Counter[str] = Counter()
    for trial in trials:
        counts["deaths"] += 1
        counts[f"deaths by {trial.death.way}"] += 1
        counts += trial.counts
    for what, number in sorted(counts.items()):
        print(f"{number:7d} {what}")
    faults = [fault for trial in trials for fault in trial.faults]
    assert not faults, "\n".join(faults)


def test_deaths_at_some_moments(tmp_path):
    check(deaths(4, seed=1), tmp_path)


@pytest.mark.slow
def test_deaths_at_any_moment(tmp_path):
    check(deaths(int(os.environ.get("SORTLAST_DEATHS", "40")), seed=1000), tmp_path)
