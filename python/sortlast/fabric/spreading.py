"""Spreading: flows split over all paths of adaptive routing, and bounds on its contention."""

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
    """The paths over which flows may be split.

    Args:
        topology: the fabric.
        name: one of :func:`spreadings`.
        roots: the root switches, as for :func:`route`; None: they are found.

    Raises:
        ArgumentError: no such name or switch; a fabric that it refuses, with the reason.
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
    """The load of the fullest channel of each stage if flows may be split over their paths.

    With static tables whole flows share a channel (:func:`contention`); with adaptive routing their packets
    take several paths. ``even``: if every switch splits each flow evenly; ``best``: with the best splitting
    found; ``bound``: a lower bound for any splitting, and hence for any tables over these paths. All are
    numbers of flows, and may be fractions.

    Args:
        spreading: from :func:`spread`.
        what: as for :func:`pattern`.
        nodes: the hosts of the participants in order, as for :func:`placement`.
        gap: a stage is finished when ``best`` exceeds ``bound`` by no more than this fraction.
        rounds: maximum number of search rounds per stage.
        progress: as for :func:`contention`.

    Raises:
        ArgumentError: an invalid argument, or a pattern for a different number of participants.
        Error: no path leads from one of them to another.
    """
    hosts = placement(spreading.topology, nodes)
    made = between_nodes(pattern(what, len(hosts)), hosts)
    return _fabric.spread_contention(spreading, made, hosts, gap, rounds, progress)
