"""How often `sortlast bandwidth --find-bad` finds one slow link among 2,592, and how often it errs.

The fabric is an RLFT of 36-port switches with 648 hosts, routed by d-mod-k. In every case one direction of a
random link is slow: to 50 % or 90 % of its rate, or it is lossy, where a message is hit by Poisson(1) losses
that prolong it by 20 to 200 % each. The flow simulator times every stage; every bandwidth is then multiplied
by log-normal noise of 5 %. Healthy fabrics have no slow link.

    python bench/fabric/slow_cables.py [CASES] [SEED] [SHOWN_EVERY]

Prints for each kind of fault how often exactly the slow link was found, nothing was found, or another link
was (also or instead) found, and the mean number of rounds, stages and messages per host.
"""

from __future__ import annotations

import copy
import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sortlast import fabric, simulate
from sortlast.fabric import CableFindings, CableSearch, PairPaths

KINDS = ("90 %", "lossy", "50 %", "healthy")
NOISE = 0.05


@dataclass
class Fabric:
    """A simulated fabric with one slow channel; ``kind`` is one of ``KINDS``."""

    paths: PairPaths
    kind: str
    channel: int
    random: np.random.Generator

    def measure(self, stages: NDArray[np.int32]) -> NDArray[np.float64]:
        """Bandwidths of all senders in bytes per second: (stages, 1, p)."""
        measured = np.array([self._stage(stage) for stage in stages])
        return (measured * self.random.lognormal(0, NOISE, measured.shape))[:, None, :]

    def _stage(self, stage: NDArray[np.int32]) -> NDArray[np.float64]:
        p = self.paths.p
        slow = np.zeros(self.paths.routes.topology.channels)
        slow[self.channel] = 1 - self.rate()
        run = simulate.flow(
            self.paths.routes,
            simulate.from_pattern(fabric.pattern(stage.tolist(), p)),
            placement=self.paths.hosts,
            background=slow.tolist(),
            message_log=True,
        )
        return run.bandwidth[np.arange(p), np.maximum(stage, 0)]

    def rate(self) -> float:
        """Rate of the slow channel for the next message, relative to others."""
        if self.kind == "lossy":
            return float(1 / (1 + self.random.uniform(0.2, 2.0, self.random.poisson(1)).sum()))
        return {"healthy": 1.0, "50 %": 0.5, "90 %": 0.9}[self.kind]


def verdict(found: CableFindings, truth: Fabric) -> str:
    """Whether the findings are "right", "nothing" or "wrong"."""
    named = [each.channels for each in found.found]
    expected = [] if truth.kind == "healthy" else [[truth.channel]]
    if named == expected:
        return "right"
    return "nothing" if not named else "wrong"


def searched(base: CableSearch, first: NDArray[np.int32], truth: Fabric) -> CableFindings:
    """The findings of a search that begins with the stages ``first`` of ``base``."""
    search = copy.deepcopy(base, {id(base.paths): base.paths})
    stages: NDArray[np.int32] | None = first
    while stages is not None:
        search.add(stages, truth.measure(stages))
        stages = search.next_stages()
    return search.result()


def main(cases: int = 200, seed: int = 1, shown_every: int = 25) -> None:
    """Print a line for each kind of fault, also after every ``shown_every`` cases."""
    routes = fabric.route(fabric.rlft(36, 2), "d-mod-k")
    paths = fabric.pair_paths(routes, fabric.compute_hosts(routes.topology))
    base = CableSearch(paths)
    first = base.next_stages()
    assert first is not None
    channels = sorted(channel for each in paths.classes for channel in each)
    print(f"{routes.topology.name}: {paths.p} hosts, {len(channels)} directions of links")
    verdicts = {kind: Counter[str]() for kind in KINDS}
    costs: dict[str, list[tuple[float, ...]]] = {kind: [] for kind in KINDS}
    for case in range(cases):
        for number, kind in enumerate(KINDS):
            random = np.random.default_rng((seed, number, case))
            truth = Fabric(paths, kind, int(random.choice(channels)), random)
            found = searched(base, first, truth)
            verdicts[kind][verdict(found, truth)] += 1
            costs[kind].append((found.rounds, found.stages, found.messages / paths.p))
        if case + 1 in (cases, *range(0, cases, shown_every)):
            print(f"{case + 1} cases of each kind")
            for kind in KINDS:
                print(line(kind, verdicts[kind], costs[kind]), flush=True)


def line(kind: str, verdicts: Counter[str], costs: list[tuple[float, ...]]) -> str:
    """Verdicts and mean costs as text."""
    counts = ", ".join(f"{name} {verdicts[name]}" for name in ("right", "nothing", "wrong"))
    rounds, stages, messages = np.mean(costs, axis=0)
    return f"{kind:8} {counts}; {rounds:.1f} rounds, {stages:.1f} stages, {messages:.1f} messages per host"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
