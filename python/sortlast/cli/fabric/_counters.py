"""Port counters compared with the predicted loads, for ``sortlast fabric check --counters``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import Error
from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from rich.console import Group

    from sortlast.fabric import Contention, MeasuredLoads

_MOST_LINKS = 12  # max links in the table
_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_COLUMNS = ("from", "from_port", "to", "to_port")
_VALUES = ("measured_bytes", "predicted_bytes", "measured_share", "predicted_share")


def read(found: Contention, files: list[Path]) -> MeasuredLoads:
    """The counters of one file, or the difference of two, the earlier one first."""
    from sortlast import fabric

    if len(files) > 2:
        raise Error(f"--counters: {len(files)} files; expected one, or two: before and after")
    return fabric.measured_loads(found, files[-1], files[0] if len(files) > 1 else None)


def report(found: Contention, loads: MeasuredLoads) -> dict[str, Any]:
    """All results, as JSON."""
    return {
        "measured_links": len(loads.known),
        "measured_bytes": int(np.maximum(loads.measured, 0).sum()),
        "correlation": loads.correlation,
        "unpredicted_share": loads.unpredicted_share,
        "links": _rows(found, loads),
    }


def table(told: dict[str, Any]) -> Group:
    """The links that carried most, and their prediction."""
    rows = sorted(
        (row for row in told["links"] if row["measured_bytes"] is not None),
        key=lambda row: -row["measured_bytes"],
    )
    columns = (("link", "left"), ("counted", "right"), ("of all", "right"), ("predicted", "right"))
    lines = [
        (
            "{from} port {from_port} to {to} port {to_port}".format(**row),
            _bytes(row["measured_bytes"]),
            f"{row['measured_share']:.2%}",
            f"{row['predicted_share']:.2%}",
        )
        for row in rows[:_MOST_LINKS]
    ]
    if len(rows) > _MOST_LINKS:
        lines.append((f"and {len(rows) - _MOST_LINKS:,} more", "", "", ""))
    correlation = told["correlation"]
    title = (
        f"counted: {_bytes(told['measured_bytes'])} on {_show.count(told['measured_links'], 'channel')};"
        f" {told['unpredicted_share']:.1%} of it where the job sends nothing;"
        f" correlation with the prediction {'unknown' if correlation is None else f'{correlation:.3f}'}"
    )
    return _show.table(title, columns, lines)


def _rows(found: Contention, loads: MeasuredLoads) -> list[dict[str, Any]]:
    topology = found.routes.topology
    labels = _labels(found)
    measured_share, predicted_share = loads.measured_share, loads.predicted_share
    rows = []
    for channel in np.flatnonzero((loads.measured >= 0) | (loads.predicted > 0)).tolist():
        (a, port), end = topology.source(channel), topology.target(channel)
        if end is None:
            continue
        counted = int(loads.measured[channel])
        values = (
            counted if counted >= 0 else None,
            int(loads.predicted[channel]),
            float(measured_share[channel]) if counted >= 0 else None,
            float(predicted_share[channel]) if counted >= 0 else None,
        )
        ends = (labels[a], port, labels[end[0]], end[1])
        rows.append(dict(zip((*_COLUMNS, *_VALUES), (*ends, *values), strict=True)))
    return rows


def _labels(found: Contention) -> list[str]:
    from sortlast.fabric.nodes import labels

    return labels(found.routes.topology)


def _bytes(count: int) -> str:
    value, unit = float(count), 0
    while value >= 1000 and unit + 1 < len(_UNITS):
        value, unit = value / 1000, unit + 1
    return f"{value:,.4g} {_UNITS[unit]}"
