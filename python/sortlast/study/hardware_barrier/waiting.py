"""Waiting for another process without keeping the core from it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from sortlast import Error

# A poll that fails gives the core to whoever wants it. With more ranks than cores that is not enough: a
# scheduler that shares time fairly soon returns to the poller, and 9 ranks on 2 cores take 3.7 ms for a
# barrier. A sleep lets the others run, 0.2 ms a barrier, but would cost a rank with a core of its own its
# 2 us. Sleeps grow with the time waited, so that who waits for a long frame does not take the cores from it.
POLLS = 2000
_POLLS_CROWDED = 10
_PART = 1 / 8  # of the time waited so far that a sleep takes; the kernel makes at least some 50 us of it

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
    begin = time.monotonic()
    while not met():
        waited = time.monotonic() - begin
        if waited > limit:
            raise Error(f"a barrier did not open within {limit:g} s: {missing()}")
        time.sleep(_PART * waited)
