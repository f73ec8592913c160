"""Spreading: flows split over all ways that switches with adaptive routing may take, and what that can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sortlast import _fabric
from sortlast.fabric.analysis import Progress, between_nodes
from sortlast.fabric.nodes import Nodes, placement
from sortlast.fabric.patterns import pattern
from sortlast.fabric.routing import switches

if TYPE_CHECKING:
    from sortlast._fabric import SpreadContention, Spreading, Topology
    from sortlast.fabric.patterns import Communication


def spread(
    topology: Topology, name: str = "shortest", roots: Sequence[str] | Sequence[int] | None = None
) -> Spreading:
    """The ways that flows may be split over.

    Args:
        topology: the fabric.
        name: one of :func:`spreadings`.
        roots: the root switches, as for :func:`route`; None: they are found.

    Raises:
        ArgumentError: no such name or switch; a fabric that it refuses, and why.
    """
    return _fabric.spread(topology, name, roots=[] if roots is None else switches(topology, roots))


def spread_contention(
    spreading: Spreading,
    what: Communication = "shift",
    nodes: Nodes = None,
    *,
    gap: float = 0.01,
    rounds: int = 2000,
    progress: Progress | None = None,
) -> SpreadContention:
    """What the fullest channel of each stage carries if flows may be split over their ways.

    With static tables whole flows share a channel (:func:`contention`); with adaptive routing their packets
    take several ways. ``even``: if every switch splits each flow evenly; ``best``: under the best splitting
    that was found; ``bound``: what no splitting, and so no table over these ways, falls below. All count
    flows, and may be fractions.

    Args:
        spreading: of :func:`spread`.
        what: as for :func:`pattern`.
        nodes: the hosts of the participants in order, as for :func:`placement`.
        gap: a stage is done when ``best`` is no more than this part above ``bound``.
        rounds: of the search in a stage, at most.
        progress: as for :func:`contention`.

    Raises:
        ArgumentError: a wrong argument, or a pattern for another number of participants.
        Error: no way leads from one of them to another.
    """
    hosts = placement(spreading.topology, nodes)
    made = between_nodes(pattern(what, len(hosts)), hosts)
    return _fabric.spread_contention(spreading, made, hosts, gap, rounds, progress)
