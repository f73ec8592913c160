"""Recorded messages sent again in the flow simulator, each at the time at which it was really posted.

The difference of the two durations is a message's residual. A rank that starts late posts its messages late,
in the replay too, so its lateness is in no residual; a link that is slower than the model is in the residuals
of the messages that cross it.

A message counts from the time at which both ends have posted it until its receiver notices its arrival. A
rank that blends, or does not run, neither sends nor notices anything, and MPI libraries without a thread of
their own then stop the transfer. This time is a message's ``busy``, and only the rest may be the network's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sortlast import trace
from sortlast._simulate import parse_goal
from sortlast.fabric import Routes
from sortlast.overlap import union
from sortlast.simulate.flows import flow
from sortlast.simulate.timeline import records
from sortlast.trace import Event

_NANOSECONDS = 1e9  # in a second; the unit of computations in GOAL
WORK = ("blend", "compute")  # a rank is busy with these


@dataclass(frozen=True)
class Residual:
    """A recorded message, compared with the model. Times are in seconds.

    Attributes:
        frame: from 1.
        source: rank that sends it.
        destination: rank that receives it.
        stage: of the schedule, from 1; -1: none.
        bytes: its size.
        begin: when both ends had posted it.
        end: when its receiver noticed its arrival.
        sent: when its sender had posted it; before ``begin`` if the receiver was last.
        predicted: its duration in the replay.
        busy: how long at least one of its ends was blending between begin and end.
    """

    frame: int
    source: int
    destination: int
    stage: int
    bytes: int
    begin: float
    end: float
    sent: float
    predicted: float
    busy: float

    @property
    def recorded(self) -> float:
        """Recorded duration [s]."""
        return self.end - self.begin

    @property
    def residual(self) -> float:
        """Recorded minus predicted duration [s]; negative if it was faster."""
        return self.recorded - self.predicted

    @property
    def unexplained(self) -> float:
        """The part of the residual in which neither end was busy, at least 0 [s]."""
        return max(0.0, self.residual - self.busy)


def replay(
    routes: Routes,
    frames: Sequence[Sequence[Sequence[Event]]],
    placement: Sequence[int],
    link_bytes_per_second: float,
) -> list[list[Residual]]:
    """The residuals of each frame, in the order in which :func:`sortlast.trace.messages` pairs the messages.

    Args:
        routes: the tables of the fabric.
        frames: recorded events by frame and rank, from :func:`sortlast.trace.frames`.
        placement: host of each rank.
        link_bytes_per_second: of each direction of every link.
    """
    paired = [(number, message) for number, frame in enumerate(frames) for message in trace.messages(frame)]
    posted = [max(message.send.begin, message.receive.begin) for _, message in paired]
    seconds = _durations(routes, [message for _, message in paired], posted, placement, link_bytes_per_second)
    work = [[[each for each in own if each.activity in WORK] for own in frame] for frame in frames]
    result: list[list[Residual]] = [[] for _ in frames]
    for (number, message), begin, predicted in zip(paired, posted, seconds.tolist(), strict=True):
        end = max(message.receive.end, begin)
        busy = [event for rank in {message.source, message.destination} for event in work[number][rank]]
        result[number].append(
            Residual(
                number + 1,
                message.source,
                message.destination,
                message.send.stage,
                message.send.bytes,
                begin,
                end,
                message.send.begin,
                predicted,
                within(union(busy), begin, end),
            )
        )
    return result


def within(intervals: Iterable[tuple[float, float]], begin: float, end: float) -> float:
    """Seconds of disjoint intervals that lie between two times."""
    return sum(max(0.0, min(end, last) - max(begin, first)) for first, last in intervals)


def clock_error(frames: Sequence[Sequence[Sequence[Event]]]) -> float:
    """A lower bound of the difference of clocks: how long a message arrives before it is sent [s]."""
    return max(
        0.0,
        *(message.send.begin - message.receive.end for frame in frames for message in trace.messages(frame)),
        0.0,
    )


def _durations(
    routes: Routes,
    messages: Sequence[trace.Message],
    posted: Sequence[float],
    placement: Sequence[int],
    link_bytes_per_second: float,
) -> NDArray[np.float64]:
    """The duration of each message in the flow simulator [s]: (messages,)."""
    if not messages:
        return np.zeros(0)
    zero = min(posted)
    by_sender: list[list[int]] = [[] for _ in placement]
    by_receiver: list[list[int]] = [[] for _ in placement]
    for number in sorted(range(len(messages)), key=lambda number: posted[number]):
        by_sender[messages[number].source].append(number)
        by_receiver[messages[number].destination].append(number)

    # Write a program in which a chain of computations releases each message when it was posted.
    lines = [f"num_ranks {len(placement)}"]
    order: list[int] = []
    for rank, (own, arriving) in enumerate(zip(by_sender, by_receiver, strict=True)):
        lines.append(f"rank {rank} {{")
        now = 0
        for place, number in enumerate(own):
            send = messages[number].send
            when = round((posted[number] - zero) * _NANOSECONDS)
            lines.append(f"c{place}: calc {when - now}")
            if place:
                lines.append(f"c{place} requires c{place - 1}")
            lines.append(f"s{place}: send {send.bytes}b to {send.peer} tag {number}")
            lines.append(f"s{place} requires c{place}")
            now = when
        order += own
        for number in arriving:
            message = messages[number]
            lines.append(f"r{number}: recv {message.send.bytes}b from {message.source} tag {number}")
        lines.append("}")
    traffic = parse_goal("\n".join(lines) + "\n", "the recorded messages")
    run = flow(
        routes,
        traffic,
        placement=placement,
        link_bytes_per_second=link_bytes_per_second,
        sends_at_once=0,
        message_log=True,
    )

    # Read the durations; a message follows its computation in the traffic.
    seconds = np.zeros(len(messages))
    for logged, _, begin, end in records(run):
        if logged % 2:
            seconds[order[logged // 2]] = end - begin
    return seconds
