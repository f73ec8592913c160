"""Orders of nodes with several ranks each; the ranks of a node stay together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sortlast import _fabric
from sortlast._errors import ArgumentError
from sortlast.fabric.analysis import Progress, contention, search_limit
from sortlast.fabric.nodes import Nodes, Placement, order_nodes, placement
from sortlast.fabric.patterns import pattern

if TYPE_CHECKING:
    from sortlast._fabric import Contention, Pattern, Routes

    Made = Callable[[int], Pattern]

_MOST_RANKS = 2048  # of a search, which stores all flows between nodes
_ALIKE = "every rank sends as much to every other one in each stage, so all orders have the same flows"
_KNOWN = ("listed", "routing", "natural", "alphabetical")


@dataclass(frozen=True)
class NodeOrder:
    """An order of nodes and its properties.

    ``placement``: of all ranks; ``contention``: under it; ``how``: the name of the order, or a description of
    the search; ``proven_best``: whether it is contention-free, or ``proof`` holds; ``proof``: why no order of
    the nodes is better; empty: not known.
    """

    placement: Placement
    contention: Contention
    how: str
    proven_best: bool
    proof: str = ""


def best_node_order(
    routes: Routes,
    nodes: Nodes,
    what: str | Made = "shift",
    dummies: bool = False,
    steps: int | None = None,
    seed: int = 1,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> NodeOrder:
    """Find an order of nodes that minimises the contention of a pattern; a node's ranks stay together.

    Tries the known orders of the nodes. Then, if all nodes have equally many ranks and there are at most
    2,048 ranks, searches like :func:`best_order` for the nodes' first hosts. Arguments and errors are the
    same; ``what`` may be a function that makes the pattern for a number of ranks.
    """
    job = placement(routes.topology, nodes)
    if not job.groups():
        raise ArgumentError("no hosts to order; expected at least 1")
    orders = [*_KNOWN, *(["routing-dummies"] if dummies else [])]
    made: Made = what if callable(what) else lambda p: pattern(what, p, ranks_per_node=job.ranks_per_node)
    if _fabric.same_in_any_order(made(len(job))):
        listed = _judged(routes, made, job, "listed order of the nodes")
        return replace(listed, proof=_ALIKE, proven_best=True)
    best: NodeOrder | None = None
    for order in orders:
        if best is None or not best.proven_best:
            placed = order_nodes(routes.topology, job, order, seed)
            best = _better(best, _judged(routes, made, placed, f"{order} order of the nodes"))
    assert best is not None
    even = len({len(group) for group in job.groups()}) == 1
    if best.proven_best or steps == 0 or not even or len(job) > _MOST_RANKS:
        return best
    firsts = [group[0] for group in best.placement.groups()]
    ranks = len(job.groups()[0])
    found = _fabric.best_order(
        routes,
        firsts,
        False,
        -1 if steps is None else steps,
        seed,
        search_limit(steps, seconds),
        lambda p: _fabric.node_pattern(made(p * ranks), ranks),
        0,
        progress,
    )
    return _better(best, _judged(routes, made, _arranged(job, found.placement), f"nodes {found.how}"))


def _judged(routes: Routes, made: Made, placed: Placement, how: str) -> NodeOrder:
    found = contention(routes, made(len(placed)), placed)
    return NodeOrder(placed, found, how, found.contention_free)


def _better(best: NodeOrder | None, other: NodeOrder) -> NodeOrder:
    """The one with fewer flows on the fullest link; if equal, the one with the higher mean share."""
    if best is None:
        return other
    mine = (-best.contention.max_flows, best.contention.mean_share)
    return other if (-other.contention.max_flows, other.contention.mean_share) > mine else best


def _arranged(job: Placement, firsts: list[int]) -> Placement:
    groups = {group[0]: group for group in job.groups()}
    number = dict(zip(job, job.nodes, strict=True))
    hosts = [host for first in firsts for host in groups[first]]
    return Placement(hosts, [number[host] for host in hosts])
