"""Ranks die at random moments: the others get an error within the limit, and nothing is left.

SORTLAST_DEATHS is how many moments the long test tries, SORTLAST_SEED which ones; it prints a table of what
became of them. The ranks are those of ``tests/deaths/dead_rank.cpp``. Where ranks outlive others (Open MPI
with ULFM) those that live go on without the dead, so that one job has several deaths.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import marked
from sortlast import _leftovers, launch

pytestmark = [pytest.mark.mpi, pytest.mark.family]

VARIABLE = "SORTLAST_TEST_OF_DEATHS"
BUILD = Path(__file__).parents[2] / "build" / "run" / "tests"
LIMIT = 8.0  # of the compositor, for a machine under load [s]
SLACK = 20.0  # on top of it, for a machine under load [s]
START = 120.0  # for all ranks to come [s]
AT_ONCE = 5.0  # for what waits for nobody, on a machine under load [s]
TOGETHER = 8  # jobs at a time, for most of their time is waiting
MOST_DEATHS = 8  # of one job
WAYS = {"KILL": signal.SIGKILL, "STOP": signal.SIGSTOP, "SEGV": signal.SIGSEGV}
ALGORITHMS = ["auto", "direct-send", "radix-k", "shift", "tree", "two-level"]
MPI_MEMORY = "mpich_shm_"  # what MPICH leaves of ranks that are killed (docs/reference/errors.md)
# How a family's mpiexec lets the other ranks live when one has died; without that it ends them.
OUTLIVE = {"mpich": ["-disable-auto-cleanup"], "openmpi": ["--with-ft", "ulfm"]}


@dataclass(frozen=True)
class Death:
    """One rank's."""

    victim: int
    way: str
    after: float  # all have begun the frames of its round [s]
    woken: bool  # a stopped rank goes on after the others have had their error; else it is killed


@dataclass(frozen=True)
class Job:
    """Ranks, and which of them die when."""

    seed: int
    ranks: int
    deaths: list[Death]
    outlive: bool  # mpiexec lets the others live
    ulfm: bool  # and they go on without the dead
    algorithm: str
    node_ranks: int
    device: int  # all ranks but every so-many-th have their images in the memory of a GPU; 0: none

    def __str__(self):
        deaths = ", ".join(f"{death.victim} by {death.way}" for death in self.deaths)
        where = f"{self.algorithm}, {self.node_ranks} a node, device {self.device}"
        return f"{self.seed}: {deaths} of {self.ranks} ranks, {where}"


def draw_job(seed: int, family: str, most: int) -> Job:
    """A job in which at most some ranks die."""
    draw = random.Random(seed)
    ranks = draw.randint(2, 16)
    outlive = draw.random() < 0.5
    ulfm = outlive and family == "openmpi"
    deaths: list[Death] = []
    living = list(range(ranks))
    for _ in range(min(most, ranks - 1, MOST_DEATHS) if ulfm else 1):
        victim = draw.choice(living)
        death = Death(victim, draw.choice(list(WAYS)), draw.uniform(0, 0.1), draw.random() < 0.5)
        deaths.append(death)
        if death.way != "STOP" or not death.woken:
            living.remove(victim)
    algorithm, node_ranks = draw.choice(ALGORITHMS), draw.choice([0, 0, 1, 2])
    return Job(seed, ranks, deaths, outlive, ulfm, algorithm, node_ranks, draw.choice([0, 0, 3, 100]))


def draw_jobs(count: int, seed: int) -> list[Job]:
    """Jobs with so many deaths."""
    family = launch.find_mpiexec().family
    jobs: list[Job] = []
    while count > 0:
        jobs.append(draw_job(seed + len(jobs), family, count))
        count -= len(jobs[-1].deaths)
    return jobs


def until(condition: Callable[[], object], seconds: float) -> bool:
    """Wait until something is so; whether it is."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Trial:
    """A job in which ranks die. ``counts`` tells what became of it, ``faults`` what was not as promised."""

    def __init__(self, job: Job, folder: Path) -> None:
        self.job, self.folder = job, folder
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.living = list(range(job.ranks))
        launcher = launch.find_mpiexec()
        self.family = launcher.family
        options = OUTLIVE[self.family] if job.outlive else []
        settings = [job.algorithm, job.node_ranks, LIMIT, len(job.deaths), int(job.ulfm), job.device]
        command = [str(BUILD / f"dead_rank_{self.family}"), str(folder), *map(str, settings)]
        self.argv = [str(launcher.path), *options, "-n", str(job.ranks), *command]
        cores = len(os.sched_getaffinity(0))
        self.settings = launch.environment(self.family, job.ranks, cores, os.geteuid() == 0)
        self.settings.setdefault("SORTLAST_CUDA_DRIVER", str(BUILD / "libfake_cuda.so"))

    def run(self) -> None:
        self.folder.mkdir()
        value = f"{os.getpid()}-{self.folder}"
        with (
            (self.folder / "output").open("w") as output,
            _leftovers.start(
                self.argv, {**os.environ, **self.settings, VARIABLE: value}, stdout=output, stderr=output
            ) as kept,
        ):
            self.process = kept.process
            memory: set[str] = set()
            for number, death in enumerate(self.job.deaths):
                if not self.all_write(number, self.living, "ready", START):
                    self.fault("ranks did not begin a round", self.output())
                    return
                if number == 0:
                    memory = marked.shared_memory(VARIABLE, value)
                self.kill_one(number, death)
                if not self.judge_round(number, death):
                    break
            (self.folder / "end").touch()
            if not until(lambda: self.process.poll() is not None, SLACK):
                self.fault("hang: mpiexec", self.output())
            self.counts["left by MPI: files of shared memory"] += sum(map(os.path.exists, memory))
        self.look_for_what_is_left(value, memory)

    def fault(self, what: str, more: object = "") -> None:
        self.counts[what] += 1
        self.faults.append(f"{self.job}: {what} {more}")

    def output(self) -> str:
        return (self.folder / "output").read_text(errors="replace")[-2000:]

    def file(self, number: int, rank: int, what: str) -> Path:
        return self.folder / f"{number}.{rank}.{what}"

    def are_there(self, number: int, ranks: list[int], what: str) -> bool:
        return all(self.file(number, rank, what).exists() for rank in ranks)

    def all_write(self, number: int, ranks: list[int], what: str, seconds: float) -> bool:
        return until(lambda: self.are_there(number, ranks, what), seconds)

    def kill_one(self, number: int, death: Death) -> None:
        """Let the rank die, and the others report; then let all go on."""
        victim = int(self.file(number, death.victim, "ready").read_text())
        survivors = [rank for rank in self.living if rank != death.victim]
        time.sleep(death.after)
        self.died = time.monotonic()
        os.kill(victim, WAYS[death.way])
        until(
            lambda: self.process.poll() is not None or self.are_there(number, survivors, "report"),
            LIMIT + SLACK,
        )
        if death.way == "STOP":
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGCONT if death.woken else signal.SIGKILL)
            if death.woken and not self.all_write(number, [death.victim], "report", LIMIT + SLACK):
                self.fault("hang: a rank that was woken", self.output())
        (self.folder / f"{number}.go").touch()

    def look_for_what_is_left(self, value: str, memory: set[str]) -> None:
        for command in marked.processes(VARIABLE, value):
            self.fault("leak: process", command)
        for path in map(Path, filter(os.path.exists, memory)):
            if not path.name.startswith(MPI_MEMORY):
                self.fault("leak: shared memory", path)
            path.unlink()

    def judge_round(self, number: int, death: Death) -> bool:
        """What the ranks of a round have met; whether there is a next one."""
        self.counts["deaths"] += 1
        self.counts[f"deaths by {death.way}"] += 1
        # mpiexec ends the others of a rank that has died, unless it is told not to.
        ended = death.way != "STOP" and not self.job.ulfm
        for rank in self.living:
            crash = self.folder / f"{rank}.crash"
            if rank == death.victim:
                if death.way == "STOP" and death.woken and self.are_there(number, [rank], "report"):
                    self.judge_report(number, death, rank)
            elif crash.exists():
                self.fault("crash of a survivor", crash.read_text() + self.output())
            elif self.are_there(number, [rank], "report"):
                self.judge_report(number, death, rank)
            elif ended and self.process.poll() not in (None, 0):
                told_not_to = " though it was told not to" if self.job.outlive else ""
                self.counts[f"survivors that mpiexec ended{told_not_to}"] += 1
            else:
                self.fault("hang: a survivor", self.output())
        return self.job.ulfm and self.judge_rest(number, death)

    def judge_report(self, number: int, death: Death, rank: int) -> None:
        lines = self.file(number, rank, "report").read_text().splitlines()
        report = dict(line.split(" ", 1) for line in lines)
        who = "woken ranks" if rank == death.victim else "survivors"
        kind, _, text = report["error"].partition(" ")
        if int(report["wrong"]):
            self.fault("wrong pictures", report)
        # Who reads the memory of a process as it ends gets an Error that says so.
        gone = kind == "Error" and text.startswith("cannot read the memory of process")
        if kind not in ("TimeoutError", "RemoteError", "MpiError") and not gone:
            self.fault(f"{who}: another error", report)
        elif who == "survivors" and float(report["at"]) - self.died > LIMIT + SLACK:
            self.fault("survivors: an error past the limit", report)
        else:
            self.counts[f"{who} that got a {kind}"] += 1
        if self.job.ulfm and death.way != "STOP":
            place = self.living.index(death.victim)
            if f"rank {place} has " not in text:
                self.fault("survivors: an error that does not name the dead rank", report)
        if report["again"].split()[0] not in ("TimeoutError", "RemoteError", "MpiError"):
            self.fault("a second call that did not fail", report)
        if float(report["end"]) > AT_ONCE:
            self.fault("an end that waited", report)

    def judge_rest(self, number: int, death: Death) -> bool:
        """Whether the ranks that live have gone on without the dead."""
        if death.way != "STOP" or not death.woken:
            self.living.remove(death.victim)
        if not self.all_write(number, self.living, "rest", LIMIT + SLACK):
            self.fault("hang: survivors that go on", self.output())
            return False
        expected = "ranks " + " ".join(map(str, self.living))
        found = {rank: self.file(number, rank, "rest").read_text().strip() for rank in self.living}
        wrong = {rank: text for rank, text in found.items() if text != expected}
        self.counts["survivors that went on without the dead"] += len(found) - len(wrong)
        if wrong:
            self.fault("survivors that did not go on", wrong)
        return not wrong


def check(jobs: list[Job], folder: Path) -> None:
    """Try all of them; print a table, and fail for what was not as promised."""
    trials = [Trial(job, folder / str(job.seed)) for job in jobs]
    with ThreadPoolExecutor(TOGETHER) as pool:
        list(pool.map(Trial.run, trials))
    counts: Counter[str] = Counter(jobs=len(jobs))
    for trial in trials:
        counts += trial.counts
    for what, number in sorted(counts.items()):
        print(f"{number:7d} {what}")
    faults = [fault for trial in trials for fault in trial.faults]
    assert not faults, "\n".join(faults)


def test_deaths_at_some_moments(tmp_path):
    check(draw_jobs(6, seed=1), tmp_path)


@pytest.mark.slow
def test_deaths_at_any_moment(tmp_path):
    number, seed = os.environ.get("SORTLAST_DEATHS", "100"), os.environ.get("SORTLAST_SEED", "1000")
    check(draw_jobs(int(number), int(seed)), tmp_path)
