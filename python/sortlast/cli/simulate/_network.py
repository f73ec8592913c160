"""The network of ``sortlast simulate``: the fabric, the hosts of the tasks, the routes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sortlast import Error
from sortlast.cli.fabric import _inputs, _show

if TYPE_CHECKING:
    from sortlast.fabric import Routes, Spreading, Topology


@dataclass(frozen=True)
class Place:
    """The options for the placement of tasks."""

    net: str
    nodes: str
    order: str | None
    rail: str | None
    seed: int

    @property
    def order_name(self) -> str:
        """The order of the hosts."""
        return _inputs.order_name(self.nodes, self.order)

    def find(self) -> tuple[Topology, list[int]]:
        """The fabric, and the hosts that tasks may run on, in order."""
        topology = _with_levels(_inputs.topology(self.net))
        rails = _inputs.Rails(self.rail)
        hosts = _inputs.placement(topology, self.nodes, self.order, self.seed, rails=rails)
        if -1 in hosts:
            raise Error("a task cannot run in a place that stays empty; take an order without dummies")
        return topology, list(hosts)


@dataclass(frozen=True)
class Tables:
    """The options for routing."""

    routing: str | None
    lft: Path | None
    roots: str | None
    compute: str | None
    seed: int

    def ways(self, topology: Topology, flows: bool) -> Ways:
        """The routes of flows, by default ftree's; or of packets, which choose among ports."""
        from sortlast import fabric, simulate

        if self.lft is not None and self.routing is not None:
            raise typer.BadParameter("--lft has the tables; leave --routing out", param_hint="--routing")
        name = self.routing or ("ftree" if flows else "adaptive")
        roots = None if self.roots is None else _inputs.root_switches(topology, self.roots)
        if self.lft is None and not flows and name in {"adaptive", *dict(simulate.lane_routings())}:
            return Ways(None, name, {} if name == "adaptive" else {"routing": name, "roots": roots})
        spreading = "shortest" if name == "adaptive" else name
        if self.lft is None and flows and spreading in dict(fabric.spreadings()):
            return Ways(fabric.spread(topology, spreading, roots), f"{spreading}, each flow split evenly", {})
        routes = _inputs.routes(topology, name, self.lft, self.roots, self.compute, seed=self.seed)
        return Ways(routes, _show.routing(routes), {})


@dataclass(frozen=True)
class Ways:
    """Routes (None: packets choose among ports), their description, and settings of the simulator."""

    routes: Routes | Spreading | None
    told: str
    settings: dict[str, Any]


def _with_levels(topology: Topology) -> Topology:
    """The fabric of a file, with levels of switches added if it is a tree."""
    if topology.levels > 0:
        return topology
    found = topology.rank_switches()
    return topology if found.why else topology.with_levels(found.level)
