"""The messages of a simulated run as events, for :func:`sortlast.trace.save` and Perfetto."""

from __future__ import annotations

from collections.abc import Iterator

from sortlast._errors import ArgumentError
from sortlast._simulate import FlowResult, PacketResult, Traffic
from sortlast.trace import Event


def timeline(traffic: Traffic, run: PacketResult | FlowResult) -> list[list[Event]]:
    """The sends and receives of each task, in simulated seconds, over the duration of the message.

    A log of flows also has computations. ``stage`` is the repetition, from 1, for traffic that repeats.
    Raises ArgumentError if the run has no log: simulate with ``message_log=True``.
    """
    source, destination, size = traffic.source, traffic.destination, traffic.size
    events: list[list[Event]] = [[] for _ in range(traffic.tasks)]
    for message, repetition, begin, end in records(run):
        sender, receiver = int(source[message]), int(destination[message])
        stage = repetition + 1 if traffic.repeats > 1 else -1
        if sender == receiver:
            events[sender].append(Event("compute", begin, end, stage=stage))
            continue
        events[sender].append(Event("send", begin, end, receiver, stage, int(size[message])))
        events[receiver].append(Event("receive", begin, end, sender, stage, int(size[message])))
    return events


def records(run: PacketResult | FlowResult) -> Iterator[tuple[int, int, float, float]]:
    """Message, repetition, start and end in seconds, ordered by end.

    Raises ArgumentError if the run has no log: simulate with ``message_log=True``.
    """
    if isinstance(run, PacketResult):
        messages, cycle = run.message_log[:, :2], run.seconds / max(run.cycles, 1)
        times = run.message_log[:, 2:] * cycle
    else:
        messages, times = run.log_messages, run.log_seconds
    if len(messages) < run.messages:
        raise ArgumentError("the run has no log of its messages; simulate with message_log=True")
    for (message, repetition), (begin, end) in zip(messages.tolist(), times.tolist(), strict=True):
        yield message, repetition, begin, end
