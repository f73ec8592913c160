"""A storm of random mistakes on 2 to 5 ranks: errors as promised on every rank, and right frames in between.

SORTLAST_MISTAKES is how many the long test makes, SORTLAST_SEED which ones; it prints a table of them.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import mpirun
import storm_rank

pytestmark = [pytest.mark.mpi, pytest.mark.family]

SEED = 7000
RANKS = [2, 3, 4, 5]
PIECE = 250  # mistakes that the same ranks make
TOGETHER = 8  # jobs at a time, for the time in which ranks wait


def make(ranks: int, mistakes: int, seed: int, waiting: float) -> list[dict[str, Any]]:
    """Let ranks make mistakes; what became of each."""
    reports = mpirun.reports(
        ranks,
        f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import faulthandler
        import storm_rank
        faulthandler.enable()
        storm = storm_rank.Storm(comm, {seed})
        trials = [storm.trial({waiting}) for _ in range({mistakes})]
        report([trials, storm_rank.after_finalize(storm)])
        """,
        timeout=60 + 2 * mistakes,
        alone=True,
    )
    for _, ended in reports:
        names = [name for name, _, _ in ended]
        assert names == ["UsageError"] * 4 + ["nothing"], ended
    return reports[0][0]


def table(trials: list[dict[str, Any]], pieces: int) -> str:
    """Counts by kind, and what was not as promised."""
    counts = Counter(trial["kind"] for trial in trials)
    rows = [f"{number:7d} {kind}" for kind, number in counts.most_common()]
    rows += [
        f"{len(trials):7d} mistakes, and {5 * pieces} calls on every rank after the end of MPI",
        f"{sum(trial['ranks as promised'] for trial in trials):7d} answers of ranks as promised",
        f"{sum(bool(trial['faults']) for trial in trials):7d} mistakes with other answers",
        f"{sum(not trial['right'] for trial in trials):7d} wrong pictures after a mistake",
        f"{max(trial['seconds'] for trial in trials):7.2f} s until the last error",
    ]
    return "\n".join(rows)


def check(trials: list[dict[str, Any]], pieces: int) -> None:
    print(table(trials, pieces))
    wrong = [trial for trial in trials if trial["faults"] or not trial["right"]]
    assert not wrong, "\n".join(map(str, wrong))


def test_some_mistakes():
    trials = make(5, 40, SEED + 5, waiting=0.05)
    check(trials, 1)
    assert len({trial["kind"] for trial in trials}) > 6


@pytest.mark.slow
def test_ten_thousand_mistakes():
    """A limit passes in one of 50."""
    wanted = int(os.environ.get("SORTLAST_MISTAKES", "10000"))
    seed = int(os.environ.get("SORTLAST_SEED", str(SEED)))
    sizes = [min(PIECE, wanted - begin) for begin in range(0, wanted, PIECE)]

    def piece(number: int) -> list[dict[str, Any]]:
        return make(RANKS[number % len(RANKS)], sizes[number], seed + number, waiting=0.02)

    with ThreadPoolExecutor(TOGETHER) as pool:
        trials = list(itertools.chain.from_iterable(pool.map(piece, range(len(sizes)))))
    check(trials, len(sizes))
    kinds = {each.__name__ for each in (*storm_rank.Storm.QUICK, *storm_rank.Storm.WAITING)}
    assert {trial["kind"] for trial in trials} == kinds or wanted < 1000
