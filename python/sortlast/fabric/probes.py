"""Stages that measure links one at a time: no link carries more than one message.

A stage is an int32 array (p,): the receiver of each rank, -1 for a rank that sends nothing. Two messages of a
stage share no direction of any link, so a rank sends and receives at most one message. Ranks never exchange
messages in pairs: the handshake of one message could wait for the data of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast.fabric.pair_paths import PairPaths

_TRIED = 24  # random receivers considered for a sender
_CONSIDERED = 4096  # pairs considered for a target


class Probes:
    """Makes stages greedily, and counts how many messages have crossed each class of links.

    Args:
        paths: of the job's hosts.
        seed: of the random choices.
    """

    def __init__(self, paths: PairPaths, seed: int = 1) -> None:
        self.paths = paths
        self.crossed = np.zeros(len(paths.classes), np.int64)
        self._random = np.random.default_rng(seed)
        self._links = paths.links.reshape(paths.p * paths.p, -1)
        entries = self._links.ravel()
        self._by_link = np.argsort(entries, kind="stable") // self._links.shape[1]
        self._begin = np.searchsorted(np.sort(entries), np.arange(len(paths.classes) + 1))

    def pairs(self, link: int) -> NDArray[np.int64]:
        """The pairs that cross a class, as sender * p + receiver, ascending."""
        return self._by_link[self._begin[link] : self._begin[link + 1]]

    def covering(self, crossings: int) -> NDArray[np.int32]:
        """Stages in which every class is crossed at least ``crossings`` times more: int32 (stages, p)."""
        goal = self.crossed + crossings
        stages = [self.stage() for _ in range(crossings)]
        while len(missing := np.flatnonzero(self.crossed < goal)):
            order = self._random.permutation(len(missing))
            stages.append(self.stage(missing[order[np.argsort(self.crossed[missing[order]], kind="stable")]]))
        return np.array(stages)

    def stage(self, targets: Sequence[int] | NDArray[np.int64] = ()) -> NDArray[np.int32]:
        """One stage: a message over as many targets as possible, then messages between other ranks.

        A message for a target crosses as few other targets as possible, to distinguish them.
        The remaining ranks send over the links that have been crossed least. Earlier targets have precedence.
        """
        p = self.paths.p
        stage = np.full(p, -1, np.int32)
        busy = np.zeros(len(self.paths.classes) + 1, bool)
        wanted = np.zeros(len(self.paths.classes) + 1)
        wanted[list(targets)] = 1
        for target in targets:
            if not busy[target]:
                self._add(stage, busy, self._some(self.pairs(target)), wanted)
        rarest = np.append(-(0.5 ** (self.crossed - self.crossed.min())), 0)
        tried = self._random.integers(0, p - 1, (p, _TRIED))
        for sender in self._random.permutation(p).tolist():
            if stage[sender] < 0:
                receivers = tried[sender] + (tried[sender] >= sender)
                self._add(stage, busy, sender * p + receivers, rarest)
        return stage

    def preview(self, targets: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int32]:
        """A stage as of :meth:`stage`, which changes no later ones."""
        crossed, state = self.crossed.copy(), self._random.bit_generator.state
        try:
            return self.stage(targets)
        finally:
            self.crossed, self._random.bit_generator.state = crossed, state

    def _some(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Pairs in random order, a sample if there are many."""
        if len(pairs) > _CONSIDERED:
            return self._random.choice(pairs, _CONSIDERED)
        return self._random.permutation(pairs)

    def _add(
        self,
        stage: NDArray[np.int32],
        busy: NDArray[np.bool_],
        pairs: NDArray[np.int64],
        cost: NDArray[np.float64],
    ) -> None:
        """Add the cheapest pair, by the sum over its links, that shares no link with the stage."""
        p, none = self.paths.p, len(self.paths.classes)
        sender, receiver = np.divmod(pairs, p)
        pairs = pairs[~busy[self._links[pairs]].any(axis=1) & (stage[receiver] != sender)]
        if len(pairs) == 0:
            return
        chosen = int(pairs[cost[self._links[pairs]].sum(axis=1).argmin()])
        stage[chosen // p] = chosen % p
        links = self._links[chosen]
        busy[links] = True
        busy[none] = False
        self.crossed[links[links < none]] += 1
