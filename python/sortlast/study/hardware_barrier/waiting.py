"""Waiting for another process without keeping the core from it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from sortlast import Error

# A poll that fails gives the core to whoever wants it. With more ranks than cores that is not enough: a
# scheduler that shares time fairly returns to the poller soon, and 9 ranks on 2 cores take 3.7 ms for a
# barrier. A sleep lets the others run, 0.2 ms a barrier, but would cost a rank with a core of its own its 2
# us.
POLLS = 2000
_POLLS_CROWDED = 10
_SLEEP = 1e-9  # [s]; the kernel makes some 50 us of it

LIMIT = 60.0  # time after which a wait is an error [s]


def polls(ranks: int) -> int:
    """How often to poll before sleeping where ``ranks`` ranks share this machine."""
    return POLLS if ranks <= len(os.sched_getaffinity(0)) else _POLLS_CROWDED


def wait_until(
    met: Callable[[], bool], missing: Callable[[], str], *, polls: int = POLLS, limit: float = LIMIT
) -> None:
    """Poll until ``met()`` is true, ``polls`` times without a sleep.

    Raises:
        Error: not met within ``limit`` seconds; the message has what ``missing()`` says.
    """
    for _ in range(polls):
        if met():
            return
        os.sched_yield()
    end = time.monotonic() + limit
    while not met():
        if time.monotonic() > end:
            raise Error(f"a barrier did not open within {limit:g} s: {missing()}")
        time.sleep(_SLEEP)
