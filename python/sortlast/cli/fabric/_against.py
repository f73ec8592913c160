"""Other routings and fabrics to compare with the checked one, for ``sortlast fabric check --against``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortlast import ArgumentError, Error
from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from rich.console import Console

    from sortlast.cli.fabric._job import Job
    from sortlast.fabric import Contention, Routes, Topology


def routes(text: str, checked: Topology, job: Job) -> Routes:
    """The tables that ``text`` names: of an engine, of a file, or of another fabric."""
    from sortlast import fabric

    if text in [each.name for each in fabric.engines()]:
        return job.routes(checked, text)
    if fabric.is_file(text):
        return _of_file(text, checked, job)
    if text.partition(":")[0] in [each.name for each in fabric.families()]:
        return job.routes(fabric.make_topology(text))
    raise Error(
        f"--against {text}: there is no such engine, file or family; expected an engine such as minhop, a"
        " file of tables, or a fabric as for --net"
    )


def row(found: Contention, measures: dict[str, Any]) -> dict[str, Any]:
    """Results of one routing, as JSON; ``measures``: the requested ones, by name."""
    return {
        "fabric": found.routes.topology.name,
        "asked": found.routes.asked,
        "engine": found.routes.engine,
        "fallback": found.routes.fallback,
        "participants": len(found.placement),
        "contention_free": found.contention_free,
        "max_flows": found.max_flows,
        "mean_share": found.mean_share,
        **measures,
    }


def show(rows: Sequence[dict[str, Any]], console: Console) -> None:
    """Print a line for each routing; a star: minhop replaces an engine that refuses the fabric."""
    columns = [(name, "left") for name in ("fabric", "routing")]
    columns += [(name, "right") for name in ("ranks", "peak flows on a link", "mean share")]
    columns += [(name, "right") for name in ("time", "lost") if "time" in rows[0]]
    columns += [("bisection", "right")] if "bisection" in rows[0] else []
    columns += [("cost / node", "right")] if "cost" in rows[0] else []
    console.print(_show.table("", columns, [_cells(each) for each in rows]))
    for reason in dict.fromkeys(f"* {row['fabric']}: {row['fallback']}" for row in rows if row["fallback"]):
        console.print(reason, soft_wrap=True)


def _cells(row: dict[str, Any]) -> list[str]:
    cells = [
        row["fabric"],
        row["engine"] + ("*" if row["fallback"] else ""),
        f"{row['participants']:,}",
        f"{row['max_flows']:,}",
        f"{row['mean_share']:.3f}",
    ]
    if "time" in row:
        cells += [_show.seconds(row["time"]["seconds"]), f"{row['time']['lost']:.1%}"]
    if "bisection" in row:
        cells.append(f"{row['bisection']['one_way']['mean']:.3f}")
    if "cost" in row:
        cells.append(f"{row['cost']['per_node']:,.2f}")
    return cells


def _of_file(text: str, checked: Topology, job: Job) -> Routes:
    """The tables of a fabric that a file holds, or, if it holds none, the tables of a file."""
    try:
        other = job.topology(text)
    except ArgumentError as no_fabric:
        try:
            return job.routes(checked, lft=Path(text))
        except ArgumentError as no_tables:
            raise Error(
                f"--against: a file of neither a fabric ({no_fabric}) nor tables ({no_tables})"
            ) from None
    return job.routes(other)
