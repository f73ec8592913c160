"""The table of ``sortlast fabric order``: several orders of a job's nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from rich.console import Group

    from sortlast.fabric import Contention, Pattern, Placement, Routes

_SEEDS = 20  # number of random orders
_MOST_SHIFTS = 600_000_000  # max flows of all random orders together, which takes some seconds
_MOST_FLOWS = 20_000_000  # the same for patterns with flows that are walked individually


@dataclass(frozen=True)
class Row:
    """An order; ``lost``: the fraction of its time that is lost compared with the bound, 0 to 1."""

    order: str
    places: int
    max_flows: float
    mean_share: float | None
    seconds: float
    lost: float


def rows(
    before: Contention,
    communication: Pattern,
    job: Placement,
    given: str,
    found: tuple[str, Contention] | None,
    rate: float,
) -> list[Row]:
    """The given order, the alphabetical one, the mean of random ones, the found one, and the bound.

    ``before``: the analysis of ``communication`` with the ranks of ``job`` in the given order.
    ``found``: name and analysis of the found order; None: it is the given one. ``rate``: as for
    :func:`sortlast.fabric.contended_time`.
    """
    from sortlast import fabric

    bound = fabric.contended_time(before, rate).bound
    alphabetical = fabric.order_nodes(before.routes.topology, job, "alphabetical")
    made = [_row(f"{given}, alphabetical" if alphabetical == job else given, before, rate, bound)]
    if alphabetical != job:
        placed = fabric.contention(before.routes, communication, alphabetical)
        made.append(_row("alphabetical", placed, rate, bound))
    alike = fabric.same_in_any_order(communication)
    if not alike and 1 < _SEEDS * _walked(before) <= (
        _MOST_SHIFTS if before.pattern.is_shift else _MOST_FLOWS
    ):
        made.append(_random(before.routes, communication, job, rate, bound))
    if found is not None:
        made.append(_row(*found, rate, bound))
    made.append(Row("bound", len(job), _host_flows(before), None, bound, 0.0))
    return made


def table(title: str, made: Sequence[Row], rate: float | None) -> Group:
    """The rows as a table; ``rate``: as for :func:`rows`; None: without times."""
    columns = [
        ("order", "left"),
        ("places", "right"),
        ("peak flows on a link", "right"),
        ("mean share", "right"),
        *([] if rate is None else [(f"time, {_show.rate(rate)}", "right")]),
        ("lost", "right"),
    ]
    lines = [
        (
            row.order,
            str(row.places),
            f"{row.max_flows:g}",
            "" if row.mean_share is None else f"{row.mean_share:.3f}",
            *([] if rate is None else [_show.seconds(row.seconds)]),
            f"{row.lost:.1%}",
        )
        for row in made
    ]
    return _show.table(title, columns, lines)


def as_json(made: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows for JSON."""
    return [asdict(row) for row in made]


def _row(order: str, found: Contention, rate: float, bound: float) -> Row:
    from sortlast import fabric

    seconds = fabric.contended_time(found, rate).seconds
    lost = 1 - bound / seconds if seconds > 0 else 0.0
    return Row(order, len(found.placement), found.max_flows, found.mean_share, seconds, lost)


def _random(routes: Routes, communication: Pattern, job: Placement, rate: float, bound: float) -> Row:
    from sortlast import fabric

    orders = [fabric.order_nodes(routes.topology, job, "random", seed) for seed in range(1, _SEEDS + 1)]
    each = [_row("", fabric.contention(routes, communication, placed), rate, bound) for placed in orders]
    return Row(
        f"random, mean of {_SEEDS}",
        len(job),
        sum(row.max_flows for row in each) / _SEEDS,
        sum(row.mean_share or 0.0 for row in each) / _SEEDS,
        sum(row.seconds for row in each) / _SEEDS,
        sum(row.lost for row in each) / _SEEDS,
    )


def _walked(found: Contention) -> int:
    """Number of flows of all stages, without repetitions."""
    return found.flows * found.stages // max(1, found.steps)


def _host_flows(found: Contention) -> int:
    """Maximum number of flows on the link of a host, which no order changes."""
    topology, most = found.routes.topology, found.channel_max
    hosts = len(topology.hosts)
    first = hosts + np.cumsum([0, *(switch.ports for switch in topology.switches)])
    into = [first[host.switch] + host.switch_port - 1 for host in topology.hosts]
    return int(max(most[:hosts].max(), most[into].max()))
