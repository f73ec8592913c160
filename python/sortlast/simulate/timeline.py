"""The messages of a simulated run as events, which :func:`sortlast.trace.save` writes for Perfetto."""

from __future__ import annotations

from sortlast._errors import ArgumentError
from sortlast._simulate import PacketRun, Traffic
from sortlast.trace import Event


def timeline(traffic: Traffic, run: PacketRun) -> list[list[Event]]:
    """The sends and receives of each task, in simulated seconds; both last as long as the message.

    ``stage`` is the repetition, from 1, of traffic that repeats. Raises ArgumentError if the run has no log
    of messages: give ``message_log=True`` to :func:`sortlast.simulate.packet`.
    """
    if len(run.message_log) != run.messages:
        raise ArgumentError("the run has no log of its messages; simulate with message_log=True")
    source, destination, size = traffic.source, traffic.destination, traffic.size
    cycle = run.seconds / run.cycles if run.cycles > 0 else 0.0
    events: list[list[Event]] = [[] for _ in range(traffic.tasks)]
    for message, repetition, first, last in run.message_log.tolist():
        sender, receiver = int(source[message]), int(destination[message])
        stage = repetition + 1 if traffic.repeats > 1 else -1
        begin, end = first * cycle, last * cycle
        events[sender].append(Event("send", begin, end, receiver, stage, int(size[message])))
        events[receiver].append(Event("receive", begin, end, sender, stage, int(size[message])))
    return events
