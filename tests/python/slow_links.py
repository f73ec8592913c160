"""Fabrics with slow links for tests of the search for them: paths, walks, and simulated measurements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from sortlast import fabric
from sortlast.fabric import CableFindings, CableSearch, PairPaths, pair_paths


def paths_of(net: str, engine: str, hosts: Sequence[int] | None = None, lmc: int = 0) -> PairPaths:
    topology = fabric.make_topology(net)
    routes = fabric.route(topology, engine, lmc=lmc)
    return pair_paths(routes, range(len(topology.hosts)) if hosts is None else hosts)


def class_of(net: str, channel: int) -> list[int]:
    """The class of a channel, for all hosts and d-mod-k."""
    return next(each for each in paths_of(net, "d-mod-k").classes if channel in each)


def walks(paths: PairPaths) -> dict[tuple[int, int], list[int]]:
    """The channels between all ordered pairs of ranks, walked one by one."""
    return {
        (a, b): paths.routes.walk(paths.hosts[a], paths.hosts[b]) for a, b in permutations(range(paths.p), 2)
    }


def simulated(
    paths: PairPaths, rates: dict[int, Callable[[], float]], noise: float, seed: int
) -> Callable[[NDArray[np.int32]], NDArray[np.float64]]:
    """Measures stages on links of rate 1, except for the channels in ``rates``: the slowest counts."""
    random = np.random.default_rng(seed)
    walked = walks(paths)

    def measure(stages: NDArray[np.int32]) -> NDArray[np.float64]:
        speeds = np.zeros((len(stages), 1, paths.p))
        for number, sender in np.argwhere(stages >= 0):
            path = walked[sender, stages[number, sender]]
            slowest = min([rates[channel]() for channel in path if channel in rates], default=1.0)
            speeds[number, 0, sender] = 1e9 * slowest * random.lognormal(0, noise)
        return speeds

    return measure


def searched(
    paths: PairPaths, measure: Callable[[NDArray[np.int32]], NDArray[np.float64]], seed: int = 1
) -> CableFindings:
    search = CableSearch(paths, seed)
    while (stages := search.next_stages()) is not None:
        search.add(stages, measure(stages))
    return search.result()
