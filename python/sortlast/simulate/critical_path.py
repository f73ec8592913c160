"""The chain of work and messages on which the end of a recorded frame depended, and its excess by cause.

The chain is followed back from the rank that ended last. Before a piece of work lies whatever the rank did
last: another piece of work, or a message that arrived, before which lies the end that posted it last. Where
the chain reaches the agreement with which a frame begins, all ranks waited for the one that called last. The
idea is from Yang and Miller, "Critical Path Analysis for the Execution of Parallel and Distributed Programs"
(1988).
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from sortlast.overlap import union
from sortlast.simulate.replay import WORK, Residual, within
from sortlast.trace import Event

_TOGETHER = 1e-4  # a rank notices messages at once if their ends differ by less [s]
_MOST_STEPS = 1_000_000  # of a chain; more are a defect


@dataclass
class Excess:
    """The time of a frame beyond what it should have taken, by cause [s].

    Attributes:
        seconds: of the frame, from the first call of any rank to the last end.
        start_rank: the rank with the call that the chain depends on.
        start: how much later that call was than the median of the others; negative if it was earlier.
        agreement: from that call until the agreement let the chain go on.
        agreement_rank: the rank that it let go on.
        left_late: how much later it left than the median of the others; at most ``agreement``.
        work: by rank, how much longer it worked on the chain than ranks do for as many bytes.
        idle: by rank, how long it did nothing on the chain, though no wait is recorded.
        noticed: how long after all work and arrivals the last rank noticed that it had sent its last message.
        noticed_rank: that rank.
        network: unexplained time of the messages of the chain.
        messages: of the chain, from the last to the first.
    """

    seconds: float
    start_rank: int = 0
    start: float = 0.0
    agreement: float = 0.0
    agreement_rank: int = 0
    left_late: float = 0.0
    work: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    noticed: float = 0.0
    noticed_rank: int = 0
    network: float = 0.0
    messages: list[Residual] = field(default_factory=list)


def blend_rate(frames: Sequence[Sequence[Sequence[Event]]]) -> float:
    """Bytes per second that ranks blend: the median of the ranks' own rates; 0 if nobody blends."""
    moved: dict[int, float] = {}
    taken: dict[int, float] = {}
    for frame in frames:
        for rank, own in enumerate(frame):
            for event in own:
                if event.activity == "blend" and event.bytes:
                    moved[rank] = moved.get(rank, 0.0) + event.bytes
                    taken[rank] = taken.get(rank, 0.0) + event.end - event.begin
    rates = [moved[rank] / seconds for rank, seconds in taken.items() if seconds > 0]
    return statistics.median(rates) if rates else 0.0


def follow(frame: Sequence[Sequence[Event]], residuals: Sequence[Residual], rate: float) -> Excess:
    """Follow the chain of a frame; ``rate``: of :func:`blend_rate`, for what blending should take."""
    return _Chain(frame, residuals, rate).follow()


class _Chain:
    def __init__(self, frame: Sequence[Sequence[Event]], residuals: Sequence[Residual], rate: float) -> None:
        self.work = [sorted(_of(own, *WORK), key=lambda event: event.end) for own in frame]
        self.gathers = [_of(own, "gather") for own in frame]
        self.waits = [union(_of(own, "wait", "agree", "gather")) for own in frame]
        self.rate = rate
        self.arrivals: list[list[Residual]] = [[] for _ in frame]
        for each in residuals:
            self.arrivals[each.destination].append(each)
        present = [own for own in frame if own]
        self.starts = [min((event.begin for event in own), default=float("nan")) for own in frame]
        # A rank's part ends with work or what it receives; what remains is to notice the ends of its sends.
        every = [max((event.end for event in own), default=float("-inf")) for own in frame]
        parts = [_of(own, *WORK, "receive", "gather") for own in frame]
        parts = parts if any(parts) else [list(own) for own in frame]
        self.ends = [max((event.end for event in own), default=float("-inf")) for own in parts]
        self.agreements = [_of(own, "agree") for own in frame]
        self.agrees = any(self.agreements)
        first = min((event.begin for own in present for event in own), default=0.0)
        last = max((event.end for own in present for event in own), default=0.0)
        self.excess = Excess(last - first, work=[0.0] * len(frame), idle=[0.0] * len(frame))
        if present:
            self.excess.noticed = max(every) - max(self.ends)
            self.excess.noticed_rank = every.index(max(every))

    def follow(self) -> Excess:
        """Go back from the last end to the start that it depends on."""
        if self.excess.seconds <= 0:
            return self.excess
        rank = max(range(len(self.ends)), key=lambda rank: self.ends[rank])
        now = self.ends[rank]
        for _ in range(_MOST_STEPS):
            before = self._before(rank, now)
            if before is None:
                break
            rank, now = before
        self._start(rank, now)
        return self.excess

    def _before(self, rank: int, now: float) -> tuple[int, float] | None:
        """The rank and the time on which this rank depended at this time; None: on its start."""
        work = max(
            (event for event in self.work[rank] if event.begin < now),
            key=lambda event: min(event.end, now),
            default=None,
        )
        arrival = self._arrival(rank, now)
        gather = next((event for event in self.gathers[rank] if event.begin < now <= event.end), None)
        if gather is not None:  # its root waits for all tiles: go on at the rank that gave its own last
            when, other = max((own[-1].begin, other) for other, own in enumerate(self.gathers) if own)
            if when < now:
                return other, when
        if work is not None and (arrival is None or min(work.end, now) >= arrival.end):
            self._idle(rank, min(work.end, now), now)
            self._add_work(rank, work, work.begin, min(work.end, now))
            return rank, work.begin
        if arrival is None:
            return None
        self._idle(rank, arrival.end, now)
        self._add_message(arrival)
        return (arrival.source if arrival.sent >= arrival.begin else rank), arrival.begin

    def _arrival(self, rank: int, now: float) -> Residual | None:
        """The message that a rank noticed last; of several at once, the least explained one."""
        known = [each for each in self.arrivals[rank] if each.end <= now and each.begin < now]
        if not known:
            return None
        last = max(each.end for each in known)
        together = [each for each in known if each.end > last - _TOGETHER]
        return max(together, key=lambda each: each.unexplained)

    def _add_message(self, message: Residual) -> None:
        self.excess.network += message.unexplained
        self.excess.messages.append(message)
        for rank in {message.source, message.destination}:
            for event in self.work[rank]:
                self._add_work(rank, event, max(event.begin, message.begin), min(event.end, message.end))

    def _add_work(self, rank: int, event: Event, begin: float, end: float) -> None:
        """Add the part of some work beyond what it should have taken, in proportion to the time given."""
        length = event.end - event.begin
        if end <= begin or length <= 0 or not event.bytes or not self.rate:
            return
        self.excess.work[rank] += (end - begin) * max(0.0, 1 - event.bytes / self.rate / length)

    def _idle(self, rank: int, begin: float, end: float) -> None:
        """Add the time in which a rank did nothing that is recorded, not even wait."""
        self.excess.idle[rank] += max(0.0, end - begin - within(self.waits[rank], begin, end))

    def _start(self, rank: int, now: float) -> None:
        """Find the start that all depends on: of the last rank that agreed, or of this one."""
        excess = self.excess
        if self.agrees:
            excess.agreement_rank = rank
            left = [own[-1].end for other, own in enumerate(self.agreements) if own and other != rank]
            rank = max((start, other) for other, start in enumerate(self.starts) if start == start)[1]
            excess.agreement = max(0.0, now - self.starts[rank])
            excess.left_late = min(excess.agreement, now - statistics.median(left)) if left else 0.0
        others = [start for other, start in enumerate(self.starts) if other != rank and start == start]
        excess.start_rank = rank
        excess.start = self.starts[rank] - statistics.median(others) if others else 0.0


def _of(events: Sequence[Event], *activities: str) -> list[Event]:
    return [event for event in events if event.activity in activities]
