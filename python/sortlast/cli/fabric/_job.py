"""A job of ``sortlast fabric check`` and ``draw``, on one fabric or on several."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast.cli import _progress
from sortlast.cli.fabric import _inputs

if TYPE_CHECKING:
    from sortlast.fabric import Contention, Placement, Routes, Topology


@dataclass(frozen=True)
class Job:
    """The ranks and their communication, and how their fabric is read and routed."""

    asked: _inputs.Communication
    nodes: str
    order: str | None
    rails: _inputs.Rails
    engine: str
    roots: str | None
    compute: str | None
    node_name_map: Path | None
    without: list[str] | None = None

    def topology(self, net: str) -> Topology:
        """The fabric of a file or family, as for ``--net``."""
        return _inputs.topology(net, self.node_name_map, self.without)

    def routes(self, topology: Topology, engine: str | None = None, lft: Path | None = None) -> Routes:
        """The tables of an engine, or of a file; by default of ``--engine``."""
        return _inputs.routes(topology, engine or self.engine, lft, self.roots, self.compute)

    def contention(self, routes: Routes) -> tuple[Contention, Placement]:
        """The analysis of the job, and the hosts of its ranks."""
        from sortlast import fabric

        with _inputs.losing(self.without):
            placed = _inputs.placement(
                routes.topology, self.nodes, self.order, compute=self.compute, rails=self.rails
            )
        communication, hosts = _inputs.job(self.asked, placed)
        with _progress.bar("stages", transient=True) as progress:
            return fabric.contention(routes, communication, hosts, progress=progress), hosts
