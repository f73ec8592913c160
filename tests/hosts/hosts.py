"""Hosts on one switch for tests: a testbed of theirs, and snippets on their ranks."""

from __future__ import annotations

from collections.abc import Sequence

import mpirun
from sortlast_testbed import Settings, Testbed
from sortlast_testbed import run as run_on

LIMIT = 240.0  # time for a job, also where others use the cores too [s]


def behind_switch(count: int, rate_mbit: float = 100) -> Testbed:
    """A testbed of hosts behind one switch, whose links have a rate [Mbit/s]."""
    return Testbed(Settings(f"crossbar:{count}", engine="minhop", rate_mbit=rate_mbit))


def run(testbed: Testbed, ranks_per_host: int, snippet: str, timeout: float = LIMIT) -> mpirun.Job:
    """Run a Python snippet on all hosts, see `mpirun.run`; what the ranks print goes where ours goes."""
    every = range(len(testbed.hosts))

    def start(command: Sequence[str]) -> int:
        return run_on(testbed, every, command, timeout, ranks_per_host=ranks_per_host)

    return mpirun.run(len(every) * ranks_per_host, snippet, start=start)
