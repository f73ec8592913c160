"""Frames composited on a testbed while something is made slow, with their timelines and counters.

For tests of :func:`sortlast.simulate.lateness`, and to see what it says: the cause of each frame's lateness
is known, because it is made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast._errors import ArgumentError
from sortlast.trace import Event
from sortlast_testbed.job import answer

if TYPE_CHECKING:
    from sortlast.fabric import PortCounters
    from sortlast_testbed.testbed import Testbed

CONNECTIONS = 64  # of other traffic, which therefore gets most of a link


@dataclass(frozen=True)
class Disturbance:
    """What is slow during a frame; nothing by default.

    Attributes:
        late: (rank, seconds) that it waits before it composites.
        stopped: (rank, seconds) for which its process is stopped while it composites.
        slow: (channel, Mbit/s) at which the channel sends.
        traffic: (sender, receiver, bytes): these bytes also go from one rank's host to the other's.
    """

    late: tuple[int, float] | None = None
    stopped: tuple[int, float] | None = None
    slow: tuple[int, float] | None = None
    traffic: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class Recorded:
    """A frame: the events of each rank, and counters read before and after it."""

    events: list[list[Event]]
    before: PortCounters
    after: PortCounters


def record(
    testbed: Testbed,
    hosts: Sequence[int],
    disturbances: Sequence[Disturbance] = (Disturbance(),),
    algorithm: str = "direct-send",
    size: tuple[int, int] = (256, 256),
    timeout: float | None = None,
) -> list[Recorded]:
    """Composite a frame under each disturbance, on a testbed that is up, with one rank on each host.

    One more frame without any comes first, and is not recorded: it makes the connections.

    Args:
        testbed: the testbed to use.
        hosts: numbers of the ranks' hosts, in rank order.
        disturbances: of each frame.
        algorithm: of the compositor.
        size: width and height of the image, float32 RGBA.
        timeout: limit in seconds; None: none.

    Raises:
        ArgumentError: a disturbance of a rank that does not exist, or as in
            :func:`~sortlast_testbed.job.run`.
        TimeoutError: it did not end in time.
        Error: the ranks failed, and have reported the reason.
    """
    for each in disturbances:
        ranks = [part[0] for part in (each.late, each.stopped) if part] + [*(each.traffic or ())[:2]]
        if any(not 0 <= rank < len(hosts) for rank in ranks):
            raise ArgumentError(f"{each} is of a rank that does not exist; there are {len(hosts)}")
        if any(part[1] < 0 for part in (each.late, each.stopped) if part):
            raise ArgumentError(f"{each} lasts less than 0 seconds; expected 0 or more")
        if each.slow:
            testbed.check_rate(*each.slow)
    settings = {
        "testbed": testbed.name,
        "hosts": list(hosts),
        "disturbances": [asdict(each) for each in disturbances],
        "algorithm": algorithm,
        "size": list(size),
    }
    found = answer(testbed, hosts, "sortlast_testbed._frame_ranks", settings, timeout)
    return [
        Recorded(
            [[Event(*fields) for fields in own] for own in frame["events"]],
            _counters(frame["before"]),
            _counters(frame["after"]),
        )
        for frame in found
    ]


def _counters(parts: Any) -> PortCounters:
    from sortlast.fabric import PortCounters

    return PortCounters(**{name: np.array(values, np.int64) for name, values in parts.items()})
