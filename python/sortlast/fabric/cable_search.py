"""The search for slow cables: measure all links, then only suspects, until they are decided.

::

    search = fabric.CableSearch(fabric.pair_paths(routes, hosts))
    while (stages := search.next_stages()) is not None:
        search.add(stages, measure(stages))  # bandwidths (stages, runs, p)
    search.result().found
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast.fabric.probes import Probes
from sortlast.fabric.suspects import ALPHA, Evidence, Messages, evidence, messages

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast._fabric import Routes
    from sortlast.fabric.pair_paths import PairPaths

FIRST_CROSSINGS = 10  # messages over each link in the first round
NEXT_CROSSINGS = 6  # over each suspect in a later round
MAX_ROUNDS = 10
_SUSPICIOUS = -1.0  # logarithm of the evidence after the first round: misses few slow links
_STILL_SUSPICIOUS = 1.0  # after later ones
_RANKED = 5
_MOST_PAIRS = 20_000  # of hosts, looked through for one that distinguishes links
MAX_RATE = 0.95  # of a link that is called slow; healthy hosts may differ by some per cent
_HEALTHY_RATE = 0.97  # of a link that is no longer suspected
MAX_NOISE = 0.3  # beyond it no link is called slow: hosts, rather than links, determine the bandwidths


@dataclass(frozen=True)
class Suspect:
    """A slow link, or several that no pair of the measured hosts distinguishes.

    Attributes:
        channels: directions of links, in numbers of the topology.
        confidence: probability that it is slow, 0 to 1.
        rate: geometric mean of its messages' bandwidths relative to others.
        steady: whether all its messages are slow; otherwise some are, as on a lossy link.
        messages: number of messages measured over it.
        next_pair: hosts (sender, receiver), one of them not yet measured, that distinguish its channels;
            None: it is one channel, or the fabric has no such pair.
    """

    channels: list[int]
    confidence: float
    rate: float
    steady: bool
    messages: int
    next_pair: tuple[int, int] | None = None


@dataclass(frozen=True)
class CableFindings:
    """Result of a search.

    Attributes:
        found: links that are slow, by 5 % or more, with a confidence of at least 99 %.
        open: other suspects, most probable first; empty: decided.
        next_pairs: hosts (sender, receiver) to be measured next to decide the open ones.
        rounds, stages, messages: number of each.
        links, classes: number of channels that were measured, and that could be distinguished.
        unused: channels with a cable that no pair of the hosts crosses.
        hidden: channels that carried messages over slow links only.
        noise: standard deviation of healthy bandwidths, as a fraction.
    """

    found: list[Suspect]
    open: list[Suspect]
    next_pairs: list[tuple[int, int]]
    rounds: int
    stages: int
    messages: int
    links: int
    classes: int
    unused: int
    hidden: int
    noise: float


def findings(told: Mapping[str, Any]) -> CableFindings:
    """Findings from the JSON of ``dataclasses.asdict``; other keys are ignored."""
    values = {each.name: told[each.name] for each in fields(CableFindings)}
    for name in ("found", "open"):
        values[name] = [
            Suspect(**each | {"next_pair": each["next_pair"] and tuple(each["next_pair"])})
            for each in told[name]
        ]
    return CableFindings(**values | {"next_pairs": [tuple(pair) for pair in told["next_pairs"]]})


class CableSearch:
    """Chooses stages, and collects their bandwidths.

    Args:
        paths: of the job's hosts.
        seed: of the random choices.
    """

    def __init__(self, paths: PairPaths, seed: int = 1) -> None:
        self.paths = paths
        self._probes = Probes(paths, seed)
        self._measured = Messages(np.empty(0, np.int64), np.empty(0))
        self._rounds = self._stages = 0
        self._found: list[tuple[int, Evidence]] = []
        self._left = evidence(paths, self._measured)

    def next_stages(self) -> NDArray[np.int32] | None:
        """The stages of the next round, as in :mod:`sortlast.fabric.probes`; None: no round is needed."""
        if self._rounds == 0:
            return self._probes.covering(FIRST_CROSSINGS)
        targets = self._suspects()
        if self._rounds == MAX_ROUNDS or len(targets) == 0:
            return None
        # Messages over the first target may keep those over others out of the stage, so targets take turns.
        both = targets, targets[::-1]
        orders = [np.roll(both[number % 2], -(number // 2)) for number in range(NEXT_CROSSINGS)]
        return np.array([self._probes.stage(order) for order in orders])

    def add(self, stages: NDArray[np.int32], bandwidths: NDArray[np.float64]) -> None:
        """Add a round: bandwidths of each sender, in any unit, in every timed run: (stages, runs, p)."""
        more = messages(stages, bandwidths)
        self._measured = Messages(
            np.concatenate([self._measured.pair, more.pair]),
            np.concatenate([self._measured.bandwidth, more.bandwidth]),
        )
        self._rounds += 1
        self._stages += len(stages)
        self._decide()

    def _decide(self) -> None:
        """Find slow links one by one, each without the messages over the previous ones."""
        self._found = []
        while True:
            self._left = evidence(self.paths, self._measured, [link for link, _ in self._found])
            confidence = np.where(self._left.rate <= MAX_RATE, self._left.confidence, 0)
            best = int(confidence.argmax())
            if confidence[best] < 1 - ALPHA or self._left.sigma > MAX_NOISE:
                return
            self._found.append((best, self._left))

    def _suspects(self) -> NDArray[np.int64]:
        """Undecided classes, strongest evidence first."""
        left = self._left
        threshold = _SUSPICIOUS if self._rounds == 1 else _STILL_SUSPICIOUS
        suspicious = (left.log_ratio > threshold) & (left.crossed > 0) & (left.rate < _HEALTHY_RATE)
        order = np.argsort(-left.log_ratio, kind="stable")
        return order[suspicious[order]]

    def result(self) -> CableFindings:
        """The findings so far."""
        topology = self.paths.routes.topology
        found = [self._suspect(link, weighed) for link, weighed in self._found]
        doubtful = self._suspects() if self._rounds else np.empty(0, np.int64)
        crossed = [len(each) for each in self.paths.classes]
        cables = sum(topology.target(channel) is not None for channel in range(topology.channels))
        hidden = np.flatnonzero(self._left.crossed == 0)
        known = {link for link, _ in self._found}
        return CableFindings(
            found=found,
            open=[self._suspect(int(link), self._left) for link in doubtful[:_RANKED]],
            next_pairs=self._next_pairs(doubtful),
            rounds=self._rounds,
            stages=self._stages,
            messages=len(self._measured.pair),
            links=sum(crossed),
            classes=len(crossed),
            unused=cables - sum(crossed),
            hidden=sum(crossed[link] for link in hidden if link not in known) if self._rounds else 0,
            noise=self._left.sigma,
        )

    def _suspect(self, link: int, weighed: Evidence) -> Suspect:
        channels = self.paths.classes[link]
        return Suspect(
            channels=channels,
            confidence=float(weighed.confidence[link]),
            rate=float(weighed.rate[link]),
            steady=bool(weighed.steady[link]),
            messages=int(weighed.crossed[link]),
            next_pair=_distinguishing_pair(self.paths.routes, self.paths.hosts, channels),
        )

    def _next_pairs(self, targets: NDArray[np.int64]) -> list[tuple[int, int]]:
        """The pairs of hosts that another round would send over suspects."""
        if len(targets) == 0:
            return []
        stage = self._probes.preview(targets[:_RANKED])
        pairs = []
        for sender in np.flatnonzero(stage >= 0):
            receiver = stage[sender]
            if np.isin(self.paths.links[sender, receiver], targets[:_RANKED]).any():
                pairs.append((self.paths.hosts[sender], self.paths.hosts[receiver]))
        return pairs


def _distinguishing_pair(routes: Routes, hosts: list[int], channels: list[int]) -> tuple[int, int] | None:
    """A pair with a host outside the job that crosses some, but not all, of the channels."""
    if len(channels) < 2:
        return None
    wanted = {*channels}
    for pair in islice(_outside(routes, hosts), _MOST_PAIRS):
        if 0 < len(wanted.intersection(routes.walk(*pair))) < len(wanted):
            return pair
    return None


def _outside(routes: Routes, hosts: list[int]) -> Iterator[tuple[int, int]]:
    from sortlast._fabric import compute_hosts

    others = sorted({*compute_hosts(routes.topology)} - {*hosts})
    for other in others:
        for host in hosts:
            yield host, other
            yield other, host
