"""Predicted bandwidths of a fabric, for comparison, and the matrix in mpiGraph's format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast import ArgumentError, Error
from sortlast.cli.fabric import _inputs, _show
from sortlast.files import write_text

if TYPE_CHECKING:
    from sortlast.bandwidth import Bandwidths
    from sortlast.fabric import Routes


def routes(net: str, engine: str, lft: Path | None = None) -> Routes:
    """The fabric of the prediction and its tables, of an engine or from a file."""
    return _inputs.routes(_inputs.topology(net), engine, lft)


def hosts(
    routes: Routes, nodes: str | None, names: Sequence[str], rail: str | None = None
) -> tuple[list[int], str]:
    """The host of each rank, and a sentence that explains the choice.

    ``names``: of the ranks' machines; ``rail``: the adapter to use on machines with several.
    """
    rails = _inputs.Rails(rail)
    fabric = f"predicted for {routes.topology.name}, {_show.routing(routes)}"
    if nodes is not None:
        listed = _inputs.placement(routes.topology, nodes, rails=rails)
        if len(listed) < len(names):
            raise Error(f"--nodes {nodes}: {len(listed)} nodes for {len(names)} ranks; name more")
        return listed[: len(names)], f"{fabric}, on the nodes that are listed"
    try:
        machines = _inputs.placement(routes.topology, ",".join(names), rails=rails)
        return machines, f"{fabric}, on the same machines"
    except ArgumentError:
        every = _inputs.placement(routes.topology, "all", rails=rails)
    if len(every) < len(names):
        raise Error(f"{routes.topology.name} has {len(every)} nodes, and there are {len(names)} ranks")
    return every[: len(names)], f"{fabric}, on its first {len(names)} nodes in routing order"


def matrix(routes: Routes, hosts: Sequence[int], found: Bandwidths) -> Bandwidths:
    """The prediction, for links with the maximum measured bandwidth."""
    from sortlast import bandwidth

    return bandwidth.predict(routes, hosts, found.message_bytes, found.maximum)


def write_matrix(found: Bandwidths, path: Path) -> None:
    """Write the matrix in mpiGraph's format."""
    from sortlast import fabric

    write_text(path, fabric.write_mpigraph(found.names, (found.matrix / 1e6).ravel().tolist()))
