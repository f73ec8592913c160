"""Overlap: the fraction of blending during which messages were in flight, from a trace."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast.trace import Event


def union(events: Sequence[Event]) -> list[tuple[float, float]]:
    """The times [s] at which at least one of the events is active: disjoint intervals, in order."""
    intervals: list[tuple[float, float]] = []
    for event in sorted(events, key=lambda event: event.begin):
        if intervals and event.begin <= intervals[-1][1]:
            intervals[-1] = (intervals[-1][0], max(intervals[-1][1], event.end))
        else:
            intervals.append((event.begin, event.end))
    return intervals


def hidden(events: Sequence[Event]) -> float:
    """Seconds that one rank blended while its own messages, sent or received, were in flight."""
    blends = union([event for event in events if event.activity == "blend"])
    messages = union([event for event in events if event.activity in ("send", "receive")])
    total, k = 0.0, 0
    for begin, end in blends:
        while k < len(messages) and messages[k][1] <= begin:
            k += 1
        at = k
        while at < len(messages) and messages[at][0] < end:
            total += min(end, messages[at][1]) - max(begin, messages[at][0])
            at += 1
    return total
