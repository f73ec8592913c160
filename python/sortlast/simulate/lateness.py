"""Why recorded frames were late: a rank that started late, a slow rank, a link, other traffic, or no one.

::

    found = simulate.lateness(routes, trace.read("trace.json"), counters=(before, after))
    print(found.text)
    found.frames[2].cause, found.frames[2].links

Three things are joined: the recorded timeline of the ranks, the model's duration of every message on its
route (:mod:`sortlast.simulate.replay`), and counters of ports. A frame's time beyond what it should have
taken is divided among causes along the chain of events on which its end depended
(:mod:`sortlast.simulate.critical_path`). Only if the unexplained time of messages is the largest part, the
links that late messages have in common are named (:mod:`sortlast.simulate.late_links`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sortlast import trace
from sortlast._errors import ArgumentError
from sortlast.fabric import PortCounters, Routes
from sortlast.simulate.critical_path import Excess, blend_rate, follow
from sortlast.simulate.late_links import Evidence, Suspects, sent_bytes, suspects, weigh
from sortlast.simulate.links import link_rate
from sortlast.simulate.replay import Residual, clock_error, replay
from sortlast.trace import Event

_NETWORK = ("link", "traffic")

_Verdict = tuple[str, tuple[int, ...], tuple[int, ...], str]  # a cause, its ranks and links, and a sentence


@dataclass(frozen=True)
class FrameLateness:
    """A recorded frame, and the largest part of its lateness. Times are in seconds.

    Attributes:
        frame: from 1.
        seconds: from the first call of any rank to the last end.
        cause: "start": a rank called late, and the others waited for it; "work": a rank blended or otherwise
            worked longer than others do for as many bytes; "link": a link was slower than the model;
            "traffic": others sent on a link; "host": messages of one host were late, by its rank or by a
            link that they all cross, and others did not send enough on its cable to explain it; "unclear":
            messages were late without anything in common, or counters contradict; "none": no cause takes a
            considerable share of the frame.
        ranks: that the cause is of; none for "link", "traffic", "unclear" and "none".
        links: channels of the fabric that the cause is of; several if they carry the same late messages.
        start: how much later than the median of the others the last rank called.
        work: time that ranks worked longer than others do, on the chain that the end depended on.
        network: time of messages on that chain beyond the model, while neither end was busy.
        text: the same in a sentence.
    """

    frame: int
    seconds: float
    cause: str
    ranks: tuple[int, ...]
    links: tuple[int, ...]
    start: float
    work: float
    network: float
    text: str


@dataclass(frozen=True)
class LinkResidual:
    """The messages of all frames that crossed one channel.

    Attributes:
        channel: of the fabric.
        messages: number of messages.
        bytes: of these messages.
        counted: bytes that its port counted; None: unknown.
        predicted: mean duration of the messages in the model [s].
        recorded: mean recorded duration [s].
        unexplained: mean time beyond the model while neither end was busy [s].
    """

    channel: int
    messages: int
    bytes: int
    counted: int | None
    predicted: float
    recorded: float
    unexplained: float


@dataclass(frozen=True)
class Lateness:
    """Why the frames of a recording were late.

    Attributes:
        frames: in order.
        residuals: of all messages, frame by frame.
        links: of all channels that messages crossed, by mean unexplained time, the largest first.
        counters: what ports counted during the recording; None: not given.
        clock_error: a lower bound of the difference of hosts' clocks [s]; lateness below it means nothing.
        text: the verdict in a sentence.
    """

    frames: tuple[FrameLateness, ...]
    residuals: tuple[Residual, ...]
    links: tuple[LinkResidual, ...]
    counters: PortCounters | None
    clock_error: float
    text: str

    @property
    def network_is_cause(self) -> bool:
        """Whether a link or other traffic made a frame late."""
        return any(frame.cause in _NETWORK for frame in self.frames)


def lateness(
    routes: Routes,
    events: Sequence[Sequence[Event]],
    *,
    placement: Sequence[int] | None = None,
    link_bytes_per_second: float | None = None,
    counters: tuple[PortCounters, PortCounters] | PortCounters | None = None,
    share: float = 0.2,
) -> Lateness:
    """Find out why recorded frames were late.

    Args:
        routes: the forwarding tables in force.
        events: recorded by rank, of one frame or several: from :func:`sortlast.trace.gather` or
            :func:`sortlast.trace.read`. Clocks of hosts should agree to less than a message takes.
        placement: the host of each rank; None: hosts 0, 1, 2, ...
        link_bytes_per_second: of each direction of every link; None: as in :func:`flow`.
        counters: read before and after the recording, or their difference; None: the links are judged by
            messages only.
        share: fraction of a frame that a cause has to explain, above 0 and below 1.

    Raises:
        ArgumentError: a rank without a host, ranks with different numbers of frames, counters that fell, or a
            share out of range.
        Error: the tables lead nowhere.
    """
    hosts = list(range(len(events))) if placement is None else list(placement)
    if len(hosts) != len(events):
        raise ArgumentError(f"{len(events)} ranks were recorded, and {len(hosts)} have a host; give one each")
    if not 0 < share < 1:
        raise ArgumentError(f"share is {share}; expected a fraction above 0 and below 1")
    rate = link_rate(routes) if link_bytes_per_second is None else link_bytes_per_second
    if isinstance(counters, tuple):
        before, after = counters
        counters = after.since(before)

    # Compare every message with the model, and divide the time of every frame among causes.
    frames = trace.frames(events)
    residuals = replay(routes, frames, hosts, rate)
    blends = blend_rate(frames)
    excesses = [follow(frame, own, blends) for frame, own in zip(frames, residuals, strict=True)]

    # Judge the frames; counters were read once for all of them.
    judge = _Judge(
        routes, hosts, rate, counters, share, clock_error(frames), [each for own in residuals for each in own]
    )
    late = defaultdict[str, float](float)
    for excess in excesses:
        largest = judge.largest(excess)
        late[largest] += judge.parts(excess)[largest]
    judged = [
        judge.frame(number + 1, excess, own, late)
        for number, (excess, own) in enumerate(zip(excesses, residuals, strict=True))
    ]
    return Lateness(
        tuple(judged),
        tuple(judge.residuals),
        _links(judge),
        counters,
        judge.clock_error,
        _verdict(judged),
    )


@dataclass(frozen=True)
class _Judge:
    """All that a frame is judged by."""

    routes: Routes
    hosts: list[int]
    rate: float
    counters: PortCounters | None
    share: float
    clock_error: float
    residuals: list[Residual]

    def parts(self, excess: Excess) -> Mapping[str, float]:
        """The parts of a frame's excess [s] by name, such as start."""
        return {
            "start": excess.start,
            "agreement": excess.agreement,
            "work": sum(excess.work),
            "idle": sum(excess.idle),
            "noticed": excess.noticed,
            "network": excess.network if excess.network > self.clock_error else 0.0,
            "none": 0.0,
        }

    def largest(self, excess: Excess) -> str:
        """The name of the largest part of a frame's excess; none if all are small."""
        parts = self.parts(excess)
        name = max(parts, key=lambda name: parts[name])
        return name if parts[name] >= self.share * excess.seconds and parts[name] > 0 else "none"

    def frame(
        self, number: int, excess: Excess, residuals: Sequence[Residual], late: Mapping[str, float]
    ) -> FrameLateness:
        """The verdict on a frame; ``late``: seconds of all frames by the part that is their largest."""
        largest = self.largest(excess)
        if largest == "network":
            cause, ranks, links, text = self._messages(excess, residuals, late[largest])
        else:
            cause, ranks, links, text = self._ranks(largest, excess, late[largest])
        work = sum(excess.work)
        return FrameLateness(
            number, excess.seconds, cause, ranks, links, excess.start, work, excess.network, text
        )

    def _ranks(self, largest: str, excess: Excess, late: float) -> _Verdict:
        """The verdict if messages are not the largest part."""
        more = excess.network >= self.share * excess.seconds
        rest = f"; the network added {_ms(excess.network)}" if more else ": the network is not the cause"
        if largest == "start":
            rank = excess.start_rank
            text = f"rank {rank} called {_ms(excess.start)} after the others, which waited for it"
            return "start", (rank,), (), text + rest
        if largest == "work":
            rank = int(np.argmax(excess.work))
            text = f"rank {rank} worked {_ms(excess.work[rank])} longer than others do for as many bytes"
            return "work", (rank,), (), text + rest
        if largest == "noticed":
            rank = excess.noticed_rank
            text = f"rank {rank} noticed the end of its last send {_ms(excess.noticed)} after all was done"
            return self._host(text, (rank,), late)
        if largest == "idle":
            rank = int(np.argmax(excess.idle))
            text = f"rank {rank} did nothing that is recorded for {_ms(excess.idle[rank])}"
            return "unclear", (rank,), (), f"{text}: it waited for ranks of its own machine, or did not run"
        if largest == "agreement" and 2 * excess.left_late > excess.agreement:
            rank = excess.agreement_rank
            text = f"rank {rank} left the agreement before the frame {_ms(excess.left_late)} after the others"
            return self._host(text, (rank,), late)
        if largest == "agreement":
            text = f"the agreement before the frame took {_ms(excess.agreement)} after the last call"
            return "unclear", (), (), f"{text}, and its messages are not recorded"
        return "none", (), (), f"no cause takes {self.share:.0%} of it"

    def _messages(self, excess: Excess, residuals: Sequence[Residual], late: float) -> _Verdict:
        """The verdict if messages are the largest part."""
        found = suspects(self.routes, residuals, self.hosts)
        said = self._weigh(found, late)
        cause = _cause(found, said, self)
        text = f"messages took {_ms(excess.network)} longer than the model"
        names = " or ".join(self.name(channel) for channel in found.channels)
        if said.verdict == "contradicted":
            text = f"{text}, all on {names}, but counters contradict: {said.text}; look at the ranks' CPUs"
            return cause, (), (), text
        if cause == "unclear":
            return cause, (), (), f"{text}, and no link is common to them"
        if cause == "host":
            ranks = _ranks_at(found, self)
            at = " and ".join(f"rank {rank}" for rank in ranks)
            counted = f"; {said.text}" if found.channels else ""
            return self._host(f"{text}, all at {at}", ranks, late, found.channels, counted)
        return cause, (), found.channels, f"{text}, all on {names}; {said.text}"

    def _host(
        self,
        text: str,
        ranks: tuple[int, ...],
        late: float,
        links: tuple[int, ...] = (),
        said: str = "",
    ) -> _Verdict:
        """The verdict on what is late at these ranks alone, unless others fill a cable of theirs."""
        hosts = {self.hosts[rank] for rank in ranks}
        for channel in np.flatnonzero(self.sent).tolist():
            if self.at_host(channel) in hosts:
                cable = self._weigh(Suspects((channel,), (), 0.0, ()), late)
                if cable.verdict == "traffic":
                    return "traffic", (), (channel,), f"{text}; {self.name(channel)} is busy: {cable.text}"
        names = " or ".join(self.name(channel) for channel in links) or "its cable"
        return "host", ranks, links, f"{text}: it did not run, or {names} is slow{said}"

    @cached_property
    def sent(self) -> NDArray[np.int64]:
        """Bytes of all recorded messages on each channel."""
        return sent_bytes(self.routes, self.residuals, self.hosts)

    def _weigh(self, found: Suspects, late: float) -> Evidence:
        """What the counters of suspects say."""
        return weigh(self.routes, found, self.hosts, self.counters, self.sent, late, self.rate)

    def name(self, channel: int) -> str:
        """Both ends of a channel."""
        topology = self.routes.topology
        (vertex, port), end = topology.source(channel), topology.target(channel)
        there = "nothing" if end is None else f"{topology.label(end[0])} port {end[1]}"
        return f"{topology.label(vertex)} port {port} to {there}"

    def at_host(self, channel: int) -> int:
        """The host at an end of a channel, -1 if it joins switches."""
        topology = self.routes.topology
        end = topology.target(channel)
        ends = (topology.source(channel)[0], -1 if end is None else end[0])
        return next((vertex for vertex in ends if 0 <= vertex < len(topology.hosts)), -1)


def _cause(found: Suspects, said: Evidence, judge: _Judge) -> str:
    """The cause of late messages."""
    if said.verdict == "traffic":
        return "traffic"
    if said.verdict == "confirmed":
        return "link"
    if said.verdict == "contradicted" or not (found.channels or found.ranks):
        return "unclear"
    at_host = found.ranks or any(judge.at_host(channel) >= 0 for channel in found.channels)
    return "host" if at_host else "link"


def _ranks_at(found: Suspects, judge: _Judge) -> tuple[int, ...]:
    """The ranks on the hosts that late messages have in common."""
    hosts = {judge.at_host(channel) for channel in found.channels} - {-1}
    own = {rank for rank, host in enumerate(judge.hosts) if host in hosts}
    return tuple(sorted(own | {*found.ranks}))


def _links(judge: _Judge) -> tuple[LinkResidual, ...]:
    """The messages of each channel, by mean unexplained time."""
    crossing: dict[int, list[Residual]] = {}
    for each in judge.residuals:
        for channel in judge.routes.walk(judge.hosts[each.source], judge.hosts[each.destination]):
            crossing.setdefault(channel, []).append(each)
    counted = None if judge.counters is None else judge.counters.bytes
    rows = [
        LinkResidual(
            channel,
            len(own),
            sum(each.bytes for each in own),
            None if counted is None or counted[channel] < 0 else int(counted[channel]),
            float(np.mean([each.predicted for each in own])),
            float(np.mean([each.recorded for each in own])),
            float(np.mean([each.unexplained for each in own])),
        )
        for channel, own in crossing.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.unexplained, row.channel)))


def _verdict(frames: Sequence[FrameLateness]) -> str:
    """The verdict on all frames."""
    causes = Counter(frame.cause for frame in frames)
    recorded = f"{len(frames)} recorded frames"
    network = sum(causes[cause] for cause in _NETWORK)
    unclear = causes["host"] + causes["unclear"]
    others = causes["start"] + causes["work"]
    if network:
        return f"the network is the cause in {network} of {recorded}"
    if unclear:
        return f"it is not clear whether the network is the cause in {unclear} of {recorded}"
    if others:
        return f"the network is not the cause: {others} of {recorded} had ranks that were late or slow"
    return f"the network is not the cause: no cause stands out in any of {recorded}"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:,.0f} ms"
