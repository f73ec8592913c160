"""Which nodes? The best n of a longer list for a job, and the largest part of it that is contention-free.

There are too many subsets to try them all, except for short lists. The first candidates are those that a
good scheduler takes: runs of the routing order, as few leaves as possible, and equally many nodes of several
leaves. A search then exchanges single nodes of the best one as long as the job gets faster. Every candidate
is judged in routing order, in which trees are balanced; the best few are improved by :func:`best_order`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from sortlast._errors import ArgumentError
from sortlast.fabric.analysis import Progress, best_order, contended_time, contention
from sortlast.fabric.node_orders import best_node_order
from sortlast.fabric.nodes import Nodes, Placement, order_nodes, placement
from sortlast.fabric.patterns import pattern

if TYPE_CHECKING:
    from sortlast._fabric import Contention, Pattern, Routes

    Made = Callable[[int], Pattern]
    Cost = tuple[float, float]

_ALL_SUBSETS = 500  # max subsets that are all tried
_RUNS = 64  # max runs of the routing order
_IMPROVED = 4  # candidates of which orders are searched
_STEPS = 20_000  # of these searches
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Choice:
    """The chosen nodes, in the order of their ranks, and the job on them.

    ``placement``: of all ranks; ``contention``: under it; ``seconds``: time of the pattern; ``bound``: the
    time if only the hosts' own links were shared, which no choice undercuts; ``tried``: subsets that were
    judged; ``complete``: whether these are all subsets.
    """

    placement: Placement
    contention: Contention
    seconds: float
    bound: float
    tried: int
    complete: bool


def choose_nodes(
    routes: Routes,
    nodes: Nodes,
    n: int | None,
    what: str | Made = "shift",
    *,
    link_bytes_per_second: float = 12.5e9,
    seconds: float = 20.0,
    progress: Progress | None = None,
) -> Choice:
    """Choose n of a job's possible nodes, and an order of them, for the least time of a pattern.

    Args:
        routes: the fabric and its tables.
        nodes: the possible nodes, as for :func:`placement`; ranks of a node stay together.
        n: number of nodes; None: as many as can be found contention-free together.
        what: a name, as for :func:`pattern`, or a function that returns the Pattern for a number of ranks.
        link_bytes_per_second: as for :func:`contended_time`.
        seconds: limit of the search in wall time, after which the best choice so far is returned.
        progress: as for :func:`contention`; False ends the search, with the best choice so far.

    Raises:
        ArgumentError: n below 1 or above the number of nodes, or nodes with different numbers of ranks.
    """
    job = placement(routes.topology, nodes)
    groups = job.groups()
    count = len(groups) if n is None else n
    if not 1 <= count <= len(groups):
        raise ArgumentError(f"{n} of {len(groups)} nodes; expected 1 to {len(groups)}")
    if job.ranks_per_node is None:
        raise ArgumentError("nodes with different numbers of ranks; choose among equal ones")
    made: Made = what if callable(what) else lambda p: pattern(what, p, ranks_per_node=job.ranks_per_node)
    search = _Search(routes, job, made, link_bytes_per_second, time.monotonic() + seconds, progress)
    if n is None:
        while count > 1 and not search.quick(count) and not search.over():
            count -= 1
        if not search.is_free(count):
            count = search.largest_free()
    return search.best(count)


class _Search:
    """Subsets of nodes by number in routing order, each judged once."""

    def __init__(
        self, routes: Routes, job: Placement, made: Made, rate: float, end: float, progress: Progress | None
    ) -> None:
        self._routes, self._made, self._rate, self._end = routes, made, rate, end
        self._progress = progress
        self._start = time.monotonic()
        self._stopped = False
        self._job = order_nodes(routes.topology, job, "routing")
        self._groups = self._job.groups()
        numbers = dict(zip(self._job, self._job.nodes, strict=True))
        self._nodes = [numbers[group[0]] for group in self._groups]
        leaf = [routes.topology.hosts[group[0]].switch for group in self._groups]
        self._leaves = [[k for k, on in enumerate(leaf) if on == each] for each in dict.fromkeys(leaf)]
        self._costs: dict[tuple[int, ...], Cost] = {}
        self._found: dict[int, Contention] = {}  # a contention-free one by number of nodes
        self._bounds: dict[int, float] = {}

    def over(self) -> bool:
        """Whether the time has passed, or the search was cancelled."""
        now = time.monotonic()
        part = (now - self._start) / max(1e-9, self._end - self._start)
        if self._progress is not None and self._progress(min(1.0, part)) is False:
            self._stopped = True
        return self._stopped or now >= self._end

    def quick(self, n: int) -> bool:
        """Judge the usual subsets of n nodes; whether one is contention-free."""
        for subset in self._usual(n):
            self._cost(subset)
            if self.is_free(n) or self.over():
                break
        return self.is_free(n)

    def is_free(self, n: int) -> bool:
        """Whether a contention-free subset of n nodes was found."""
        return n in self._found

    def largest_free(self) -> int:
        """The largest number of nodes for which a contention-free subset was found; at least 1."""
        return max(self._found, default=1)

    def best(self, n: int) -> Choice:
        """The best n nodes that can be found, in their best order."""
        complete = math.comb(len(self._groups), n) <= _ALL_SUBSETS
        for subset in combinations(range(len(self._groups)), n) if complete else self._usual(n):
            self._cost(subset)
            if self._at_bound(n) or self.over():
                break
        if not complete:
            self._exchange(n)
        ranked = sorted((cost, subset) for subset, cost in self._costs.items() if len(subset) == n)
        choices = [self._choice(self._placed(ranked[0][1]))]
        for _, subset in ranked[:_IMPROVED]:
            if choices[0].seconds <= choices[0].bound * (1 + _ROUNDING) or self.over():
                break
            choices.append(self._improved(self._placed(subset)))
            choices.sort(key=lambda each: (each.seconds, -each.contention.mean_share))
        tried = len(ranked)
        best = choices[0]
        all_tried = complete and tried == math.comb(len(self._groups), n)
        return Choice(best.placement, best.contention, best.seconds, best.bound, tried, all_tried)

    def _usual(self, n: int) -> Iterator[tuple[int, ...]]:
        """The subsets that a good scheduler takes."""
        yield self._fewest_leaves(n)
        starts = len(self._groups) - n + 1
        for start in range(0, starts, max(1, starts // _RUNS)):
            yield tuple(range(start, start + n))
        for width in range(1, n + 1):
            leaves = [leaf for leaf in self._leaves if len(leaf) >= width]
            if n % width == 0 and len(leaves) >= n // width:
                leaves.sort(key=lambda leaf: (len(leaf), leaf))
                yield tuple(sorted(k for leaf in leaves[: n // width] for k in leaf[:width]))

    def _fewest_leaves(self, n: int) -> tuple[int, ...]:
        chosen: list[int] = []
        rest = sorted(self._leaves, key=len, reverse=True)
        while len(chosen) < n:
            fitting = [leaf for leaf in rest if len(leaf) >= n - len(chosen)]
            leaf = fitting[-1] if fitting else rest[0]
            rest.remove(leaf)
            chosen += leaf[: n - len(chosen)]
        return tuple(sorted(chosen))

    def _exchange(self, n: int) -> None:
        """Exchange single nodes of the best subset as long as the job gets faster."""
        cost, now = min((cost, subset) for subset, cost in self._costs.items() if len(subset) == n)
        better = True
        while better and not self._at_bound(n):
            better = False
            outside = [k for k in range(len(self._groups)) if k not in now]
            for inside in now:
                for other in outside:
                    if self.over():
                        return
                    subset = tuple(sorted({*now} - {inside} | {other}))
                    if subset not in self._costs and self._cost(subset) < cost:
                        cost, now, better = self._costs[subset], subset, True
                        break
                if better:
                    break

    def _cost(self, subset: tuple[int, ...]) -> Cost:
        if subset not in self._costs:
            choice = self._choice(self._placed(subset))
            self._costs[subset] = (choice.seconds, -choice.contention.mean_share)
            self._bounds[len(subset)] = min(choice.bound, self._bounds.get(len(subset), math.inf))
            if choice.contention.contention_free:
                self._found[len(subset)] = choice.contention
        return self._costs[subset]

    def _at_bound(self, n: int) -> bool:
        least = min((cost[0] for subset, cost in self._costs.items() if len(subset) == n), default=math.inf)
        return least <= self._bounds.get(n, 0.0) * (1 + _ROUNDING)

    def _placed(self, subset: Sequence[int]) -> Placement:
        hosts = [host for k in subset for host in self._groups[k]]
        return Placement(hosts, [self._nodes[k] for k in subset for _ in self._groups[k]])

    def _choice(self, placed: Placement) -> Choice:
        found = contention(self._routes, self._made(len(placed)), placed)
        judged = contended_time(found, self._rate)
        return Choice(placed, found, judged.seconds, judged.bound, 0, False)

    def _improved(self, placed: Placement) -> Choice:
        left = max(0.0, self._end - time.monotonic())
        if placed.shares_nodes:
            order: Placement = best_node_order(
                self._routes, placed, self._made, steps=_STEPS, seconds=left
            ).placement
        else:
            order = Placement(
                best_order(self._routes, placed, self._made, steps=_STEPS, seconds=left).placement
            )
        return self._choice(order)
