"""``sortlast fabric bisect``: effective bisection bandwidth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _inputs, _options, _show

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(bisect)


def bisect(
    net: _options.Net,
    engine: _options.Engine = _options.ENGINE,
    lft: _options.Lft = None,
    roots: _options.Roots = None,
    compute: _options.Compute = None,
    lmc: _options.Lmc = 0,
    nodes: _options.Nodes = "all",
    rail: _options.Rail = None,
    ranks_per_node: _options.RanksPerNode = None,
    adapters: _options.Adapters = None,
    node_name_map: _options.NodeNameMap = None,
    samples: Annotated[int, typer.Option(min=1, help="Random bisections.")] = 1000,
    seed: _options.Seed = 1,
    json: _options.Json = None,
) -> None:
    """Estimate the effective bisection bandwidth: the mean share of a flow over random bisections.

    After Hoefler, Schneider and Lumsdaine, "Multistage Switches are not Crossbars" (2008): the nodes are
    divided into random halves and paired; a flow's share is 1 / (maximum flows on a link of its path). One
    way, one half sends to the other; both ways, both send to each other at once.
    """
    from sortlast import fabric

    _terminal.check_places(json)
    topology = _inputs.topology(net, node_name_map, adapters)
    routes = _inputs.routes(topology, engine, lft, roots, compute, seed, lmc)
    rails = _inputs.Rails(rail, ranks_per_node)
    placed = _inputs.placement(topology, nodes, compute=compute, rails=rails)
    hosts = [*dict.fromkeys(host for host in placed if host >= 0)]
    with _progress.bar("bisections", transient=True) as progress:
        found = fabric.bisection(routes, samples, seed, hosts, progress=progress)
    kinds = {
        "one way": _summary(found.one_way, found.one_way_samples),
        "both ways": _summary(found.both_ways, found.both_ways_samples),
    }
    if json is not None:
        report: dict[str, Any] = {
            "fabric": topology.name,
            "engine": routes.engine,
            "fallback": routes.fallback,
        }
        report |= {"nodes": len(hosts), "samples": samples, "seed": seed}
        _terminal.write_json(
            report | {kind.replace(" ", "_"): values for kind, values in kinds.items()}, json
        )
    console = _terminal.console(json)
    counts = (
        f"{_show.count(len(hosts), 'host' if rails.given else 'node')}, {_show.count(samples, 'bisection')}"
    )
    title = f"{topology.name}, {_show.routing(routes)}: {counts}"
    columns = [("share of a flow", "left"), *((name, "right") for name in kinds["one way"])]
    rows = [(kind, *(f"{value:.3f}" for value in values.values())) for kind, values in kinds.items()]
    console.print(_show.table(title, columns, rows))
    _terminal.name_written(console, json)


def _summary(mean: float, samples: NDArray[np.float64]) -> dict[str, float]:
    """The mean, its standard error, and the extremes over the samples."""
    error = float(samples.std(ddof=1) / samples.size**0.5) if samples.size > 1 else 0.0
    return {"mean": mean, "standard error": error, "min": float(samples.min()), "max": float(samples.max())}
