"""A pattern on a testbed: the time it takes for an order of the hosts, compared with predictions.

Every rank goes through the stages of the pattern independently: at each stage it receives and sends its
messages, and continues when they have completed, like the collectives of an MPI library. The fabric lab
predicts two times from the tables (:func:`sortlast.fabric.pattern_time`): with synchronised stages, and with
independent participants, as here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortlast._errors import ArgumentError
from sortlast_testbed.job import answer

if TYPE_CHECKING:
    from sortlast._fabric import Pattern, PatternTime
    from sortlast_testbed.testbed import Testbed


@dataclass(frozen=True)
class TimedPattern:
    """Measured times of a pattern, and the predictions.

    Attributes:
        hosts: the host of each rank.
        seconds: of each timed run, from a barrier until the last rank has finished.
        predicted: for the same links, from the tables.
        max_flows: maximum number of flows on a channel in any stage, as predicted.
        dropped: packets lost in queues.
    """

    hosts: list[int]
    seconds: list[float]
    predicted: PatternTime
    max_flows: int
    dropped: int

    @property
    def median(self) -> float:
        """Median time of the runs [s]."""
        return float(np.median(self.seconds))


def time_pattern(
    testbed: Testbed,
    hosts: Sequence[int],
    pattern: Pattern,
    repeat: int = 3,
    timeout: float | None = None,
) -> TimedPattern:
    """Time a pattern on a testbed that is up, with one rank on each host.

    The pattern runs once with payloads that the receivers check, then ``repeat`` times with timing.

    Args:
        testbed: the testbed to use.
        hosts: numbers of the participants' hosts, in order.
        pattern: with as many participants as hosts, such as
            ``fabric.collective_pattern("ring", 16, 10**7)``.
        repeat: timed runs, 1 or more.
        timeout: limit in seconds; None: none.

    Raises:
        ArgumentError: an argument is out of range, or as in :func:`~sortlast_testbed.job.run`.
        TimeoutError: it did not end in time.
        Error: the ranks failed, and have reported the reason.
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
        testbed, hosts, "sortlast_testbed._pattern_ranks", {"stages": stages, "repeat": repeat}, timeout
    )
    return TimedPattern(list(hosts), seconds, predicted, contention.max_flows, testbed.dropped() - dropped)
