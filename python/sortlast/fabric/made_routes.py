"""Routing made for schedules: forwarding tables under which their flows share few or no links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortlast import _fabric
from sortlast._errors import ArgumentError, Error
from sortlast._fabric import Routes, TableSearch, Topology
from sortlast.fabric.analysis import between_nodes
from sortlast.fabric.nodes import Nodes, placement
from sortlast.fabric.patterns import PIXELS, pattern
from sortlast.fabric.routing import route, switches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast.fabric.patterns import Communication

Progress = Callable[[float], object]


@dataclass(frozen=True)
class MadeRoutes:
    """Tables that were made for schedules, and their quality.

    Attributes:
        routes: the tables, free of credit loops.
        stages: number of stages of each schedule: (schedules,).
        stage_max: maximum number of flows on a link at each stage: (stages,), schedule after schedule.
        bound: lower bound on ``stage_max`` under any tables of shortest paths: (stages,).
        host_flows: maximum number of flows on a host's own link at each stage: (stages,).
        stage_bytes: bytes of the longest message of each stage, if each rank holds 2**24: (stages,).
        how: how the tables were found.
        proof: why no tables are better; empty: not known.
    """

    routes: Routes
    stages: list[int]
    stage_max: NDArray[np.int32]
    bound: NDArray[np.int32]
    host_flows: NDArray[np.int32]
    stage_bytes: NDArray[np.int64]
    how: str
    proof: str

    @property
    def contention_free(self) -> bool:
        """Whether no two flows of a stage share a link."""
        return int(self.stage_max.max(initial=0)) <= 1

    @property
    def nothing_lost(self) -> bool:
        """Whether no link between switches carries more flows of a stage than some host's own link."""
        return bool((self.stage_max == self.host_flows).all())

    @property
    def link_bytes(self) -> int:
        """Bytes on the fullest link of each stage, summed over stages; proportional to the time."""
        return int((self.stage_max * self.stage_bytes).sum())

    @property
    def least_bytes(self) -> int:
        """Lower bound on :attr:`link_bytes` under any tables of shortest paths."""
        return int((self.bound * self.stage_bytes).sum())

    @property
    def gap(self) -> float:
        """The fraction of :attr:`link_bytes` that better tables might save, 0 to 1; 0: there are none."""
        return 1 - self.least_bytes / self.link_bytes if self.link_bytes else 0.0


def route_for(
    topology: Topology,
    schedules: Sequence[Communication],
    nodes: Nodes = None,
    *,
    engine: str = "ftree",
    roots: Sequence[str] | Sequence[int] | None = None,
    moves: int | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> MadeRoutes:
    """Make forwarding tables of a tree under which the flows of schedules share few or no links.

    The tables use shortest paths that go up and then down. Stages that share no path with others are solved
    by edge colouring where that is exact (two levels, one link between each leaf and root), the others by
    tabu search.

    Args:
        topology: a tree.
        schedules: each as for :func:`pattern`: "binary-swap", "radix-k:8,16", "shift", ...
        nodes: the hosts of the participants in order, as for :func:`placement`.
        engine: makes the entries that no flow of the schedules needs; updn replaces it if it refuses.
        roots: as for :func:`route`.
        moves: maximum number of moves of the tabu search; None: as many as take some seconds.
        seed: of the search.
        progress: as for :func:`contention`.

    Raises:
        ArgumentError: a fabric that is no tree; no schedules, or one for a different number of participants.
        Error: hosts that are not joined by a path up and down.
    """
    if isinstance(schedules, str) or not len(schedules):
        raise ArgumentError(f"schedules is {schedules!r}; expected a list of one or more")
    topology = _with_levels(topology, roots)
    hosts = placement(topology, nodes)
    patterns = [between_nodes(pattern(each, len(hosts), rank_bytes=PIXELS), hosts) for each in schedules]
    search = TableSearch(_base(topology, engine, roots), patterns, hosts)

    how = _search(search, moves, seed, progress)
    routes = search.routes("made for " + ", ".join(each.name for each in patterns))
    if loop := _fabric.find_credit_loop(routes):  # possible if the base's paths are not up and then down
        raise Error(f"the tables of {engine} have a credit loop of {len(loop)} channels; take another engine")
    return MadeRoutes(
        routes=routes,
        stages=[each.stages for each in patterns],
        stage_max=search.stage_max,
        bound=search.bound,
        host_flows=search.host_flows,
        stage_bytes=search.bytes,
        how=how,
        proof="" if search.excess else _proof(search),
    )


def _with_levels(topology: Topology, roots: Sequence[str] | Sequence[int] | None) -> Topology:
    """The topology with levels: from the given roots, its own, or computed ones."""
    if roots is None and topology.levels:
        return topology
    found = topology.rank_switches([] if roots is None else switches(topology, roots))
    if found.why:
        raise ArgumentError(f"{topology.name} is no tree, for which alone tables are made: {found.why}")
    return topology.with_levels(found.level)


def _base(topology: Topology, engine: str, roots: Sequence[str] | Sequence[int] | None) -> Routes:
    """The initial tables, from the engine, or from updn if it refuses."""
    routes = route(topology, engine, roots)
    if not routes.fallback:
        return routes
    tops = [each.number for each in topology.switches if each.level == topology.levels]
    return route(topology, "updn", tops if roots is None else roots)


def _search(search: TableSearch, moves: int | None, seed: int, progress: Progress | None) -> str:
    """Improve the tables; returns a description of the search."""
    if search.excess == 0:
        return "the engine's own tables"
    engines, before, done = search.choices, _link_bytes(search), []
    if coloured := search.colour_edges():
        done.append(f"edge colouring of {coloured} of {len(search.bound)} stages")
    if search.excess:
        made = search.search(-1 if moves is None else moves, seed, progress)
        done.append(f"tabu search of {made:,} moves")
    if _link_bytes(search) > before:  # fewer excess flows, but more bytes on the fullest link
        search.choices = engines
        done.append("which found none better than the engine's")
    return ", ".join(done)


def _link_bytes(search: TableSearch) -> int:
    return int((search.stage_max * search.bytes).sum())


def _proof(search: TableSearch) -> str:
    """Why tables that reach the bound of every stage are optimal."""
    if search.bound.max(initial=0) <= 1:
        return "no two flows of a stage share a link"
    crowded = np.flatnonzero(search.bound > search.host_flows)
    if not crowded.size:
        return "only the hosts' own links make flows wait"
    stage = int(crowded[0])
    return (
        f"every stage is at its bound, and at stage {stage + 1} {search.bound[stage]} flows must share a link"
        " between switches, whatever the tables"
    )
