"""A pattern on a testbed: how long it takes in an order of the hosts, beside the time that is predicted.

Every rank goes through the stages of the pattern by itself: at each it receives and sends what the pattern
says, and goes on when its own messages are through, as the collectives of an MPI library do. The fabric lab
predicts two times from the tables (:func:`sortlast.fabric.pattern_time`): with stages that end for all at
once, and with participants that go on by themselves, which is what happens here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortlast._errors import ArgumentError
from sortlast.testbed.job import answer

if TYPE_CHECKING:
    from sortlast._fabric import Pattern, PatternTime
    from sortlast.testbed.testbed import Testbed


@dataclass(frozen=True)
class TimedPattern:
    """How long a pattern took, and what was predicted.

    Attributes:
        hosts: of each rank.
        seconds: of each timed run, from a barrier until the last rank is through.
        predicted: for the same links, from the tables.
        max_flows: most flows on a channel in any stage, as predicted.
        dropped: packets that were lost in queues.
    """

    hosts: list[int]
    seconds: list[float]
    predicted: PatternTime
    max_flows: int
    dropped: int

    @property
    def median(self) -> float:
        """Of the runs [s]."""
        return float(np.median(self.seconds))


def time_pattern(
    testbed: Testbed,
    hosts: Sequence[int],
    pattern: Pattern,
    repeat: int = 3,
    timeout: float | None = None,
) -> TimedPattern:
    """Time a pattern on a testbed that is up, with one rank on each host.

    The pattern runs once with payloads that their receivers check, then ``repeat`` times with the clock.

    Args:
        testbed: where.
        hosts: of the participants in their order, by number.
        pattern: with as many participants as there are hosts, such as
            ``fabric.collective_pattern("ring", 16, 10**7)``.
        repeat: timed runs, 1 or more.
        timeout: limit in seconds; None: none.

    Raises:
        ArgumentError: an argument out of its range, or as of :func:`~sortlast.testbed.job.run`.
        TimeoutError: it did not end in time.
        Error: the ranks failed; they have said why.
    """
    from sortlast import fabric

    if len(hosts) != pattern.participants or repeat < 1:
        raise ArgumentError(
            f"{len(hosts)} hosts for {pattern.participants} participants, repeat {repeat};"
            " expected a host for each, and 1 run or more"
        )
    stages = [
        {"flows": pattern.flows(stage).tolist(), "repeats": pattern.repeats(stage)}
        for stage in range(pattern.stages)
    ]
    contention = fabric.contention(testbed.routes, pattern, hosts)
    predicted = fabric.pattern_time(
        testbed.routes, pattern, hosts, link_bytes_per_second=testbed.link_bandwidth
    )
    dropped = testbed.dropped()
    seconds = answer(
        testbed, hosts, "sortlast.testbed._pattern_ranks", {"stages": stages, "repeat": repeat}, timeout
    )
    return TimedPattern(list(hosts), seconds, predicted, contention.max_flows, testbed.dropped() - dropped)
