"""The single failures of ``sortlast fabric check --failures``, ranked by what they cost the job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortlast.cli import _progress
from sortlast.cli.fabric import _inputs, _show

if TYPE_CHECKING:
    from rich.console import Group

    from sortlast.cli.fabric._job import Job
    from sortlast.fabric import Contention, Failure, Topology

_MOST_ROWS = 12  # failures in the table


def report(found: Contention, job: Job, rate: float) -> dict[str, Any]:
    """All single failures, as JSON."""
    from sortlast import fabric

    topology = found.routes.topology
    intact = fabric.contended_time(found, rate).seconds
    roots, compute = _roots(topology, job)
    with _progress.bar("failures", transient=True) as progress:
        failures = fabric.single_failures(
            topology,
            job.engine,
            found.pattern,
            fabric.Placement(found.placement),
            link_bytes_per_second=rate,
            roots=roots,
            compute=compute,
            progress=progress,
        )
    return {"intact_seconds": intact, "failures": [_row(topology, each, intact) for each in failures]}


def table(told: dict[str, Any]) -> Group:
    """The most expensive failures, and how many cost nothing."""
    rows = told["failures"]
    costly = [row for row in rows if row["stops"] or row["slower"] > 1 + 1e-9]
    columns = (
        *(("without", "left"), ("peak flows on a link", "right"), ("time", "right")),
        *(("of today's", "right"), ("", "left")),
    )
    lines = [
        (
            row["part"],
            "" if row["stops"] else f"{row['max_flows']:,}",
            "" if row["stops"] else _show.seconds(row["seconds"]),
            "stops" if row["stops"] else f"x {row['slower']:.3f}",
            row["why"] if row["stops"] else f"routed by {row['engine']}" if row["why"] else "",
        )
        for row in costly[:_MOST_ROWS]
    ]
    if len(costly) > _MOST_ROWS:
        lines.append((f"and {len(costly) - _MOST_ROWS:,} more", "", "", "", ""))
    title = (
        f"single failures: {len(costly):,} of {len(rows):,} cost the job time; today"
        f" {_show.seconds(told['intact_seconds'])}"
    )
    return _show.table(title, columns, lines)


def _roots(topology: Topology, job: Job) -> tuple[list[int] | None, list[int] | None]:
    """Roots and compute nodes by number, as the intact fabric is routed."""
    from sortlast.fabric.routing import switches

    roots, compute = job.roots, job.compute
    if _inputs.assumed_roots(topology, job.engine, None, roots, compute):
        roots, compute = "top", "leaves"
    return (
        None if roots is None else switches(topology, _inputs.root_switches(topology, roots)),
        None if compute is None else _inputs.compute_nodes(topology, compute),
    )


def _row(topology: Topology, failure: Failure, intact: float) -> dict[str, Any]:
    link = failure.channel >= 0
    if link:
        ends = _show.ends(topology, failure.channel)
        part = "{from} port {from_port} to {to} port {to_port}".format(**ends)
    else:
        part = topology.label(len(topology.hosts) + failure.failed_switch)
    return {
        "part": part,
        "kind": "link" if link else "switch",
        "stops": failure.lost > 0,
        "lost_ranks": failure.lost,
        "seconds": failure.seconds,
        "slower": failure.seconds / intact if intact > 0 else 1.0,
        "max_flows": failure.max_flows,
        "engine": failure.engine,
        "why": failure.why,
    }
