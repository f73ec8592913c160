"""``sortlast fabric cost``: costs of fabrics, and their performance for given traffic."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast import Error
from sortlast.cli import _progress, _terminal
from sortlast.cli.fabric import _inputs, _options, _show
from sortlast.cli.simulate._options import Method

if TYPE_CHECKING:
    from sortlast.fabric import Bill, Indicator, Topology
    from sortlast.simulate import Traffic

_COLUMNS = (
    ("fabric", "left"),
    ("cost", "right"),
    ("nodes", "right"),
    ("cost / node", "right"),
    ("relative", "right"),
    ("time", "right"),
    ("performance", "right"),
    ("performance / cost", "right"),
)


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(cost)


def cost(
    net: Annotated[
        list[str],
        typer.Option("--net", help="A fabric, as for the other commands. May be repeated; the first is 1."),
    ],
    prices: Annotated[
        Path,
        typer.Option(help="Prices of switches by ports, cables by kind and adapters: YAML, JSON or CSV."),
    ],
    traffic: Annotated[
        list[str] | None,
        typer.Option(
            "--traffic",
            show_default="only costs",
            help="Traffic on the fabrics: a pattern with bytes per message, such as BU@10,1000; an algorithm"
            " with an image, such as radix-k:8,8@1024x768; or a file of traffic. May be repeated.",
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            "--weight",
            show_default="1 for all",
            help="NAME=NUMBER: weight of a pattern or a size. May be repeated.",
        ),
    ] = None,
    same_switches: Annotated[
        bool,
        typer.Option(
            "--same-switches",
            help="All switches of a fabric are of one kind, with the ports of the largest; by default each"
            " has only the ports that it needs, and roots of trees have none upward.",
        ),
    ] = False,
    method: Annotated[
        Method, typer.Option(help="Simulator: packets, adaptively routed, or flows.")
    ] = Method.packet,
    ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=2**31 - 1,
            show_default="compute hosts of the smallest fabric",
            help="Number of communicating tasks; a file has its own.",
        ),
    ] = None,
    central: Annotated[
        bool,
        typer.Option("--central", help="Run tasks on the hosts in the middle instead of the first ones."),
    ] = False,
    engine: Annotated[
        str, typer.Option(help="Routing engine for flows, as in other commands.")
    ] = _options.ENGINE,
    bandwidth: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            show_default="most common rate in the fabric's file; else 1250",
            help="Bandwidth of a link in MB/s (10^6 bytes).",
        ),
    ] = None,
    node_name_map: _options.NodeNameMap = None,
    seed: _options.Seed = 17,
    csv: Annotated[Path | None, typer.Option(help="Also write the table to this CSV file.")] = None,
    json: _options.Json = None,
) -> None:
    """Compare the costs of fabrics with their performance for your traffic.

    After Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection Networks", section 5:
    the time of a fabric is the weighted sum of its times relative to the first fabric, its performance the
    inverse of that, and performance / cost uses the cost per node; all are relative to the first fabric.
    """
    from sortlast import fabric

    _terminal.check_places(csv, json)
    listed = fabric.price_list(prices)
    fabrics = _named({text: _inputs.topology(text, node_name_map) for text in _once(net)})
    bills = {
        name: fabric.bill(fabric.components(each, same_switches=same_switches), listed)
        for name, each in fabrics.items()
    }
    weights = _weights(weight or [])
    if weights and not traffic:
        raise typer.BadParameter("it weighs traffic; give --traffic too", param_hint="--weight")
    worth: dict[str, Indicator] = {}
    times: dict[str, dict[tuple[str, str], float]] = {}
    if traffic:
        places = {name: len(fabric.compute_hosts(each)) for name, each in fabrics.items()}
        jobs = [job for each in traffic for job in _workloads(each, ranks, places, seed, method)]
        if len({job.key for job in jobs}) < len(jobs):
            raise typer.BadParameter("a workload is given twice", param_hint="--traffic")
        costs = {name: each.per_node for name, each in bills.items()}
        # Check weights and costs before anything is simulated.
        like = {name: dict.fromkeys((job.key for job in jobs), 1.0) for name in fabrics}
        fabric.indicators(like, costs, weights)  # type: ignore[arg-type]
        run = _Runs(method, central, engine, bandwidth, seed)
        with _progress.bar("runs", transient=True) as progress:
            times = run.all(fabrics, jobs, progress)
        worth = {each.network: each for each in fabric.indicators(times, costs, weights)}  # type: ignore[arg-type]

    report = [_row(name, bills, worth, times) for name in fabrics]
    _write(report, csv, json)
    console = _terminal.console(csv, json)
    columns = _COLUMNS if worth else _COLUMNS[:5]
    title = f"costs in {listed.currency}" if listed.currency else "costs"
    console.print(_show.table(title, columns, [_cells(row) for row in report]))
    _terminal.name_written(console, csv, json)


def _once(net: list[str]) -> list[str]:
    """Read the fabrics; a duplicate is an error."""
    for k, text in enumerate(net):
        if text in net[:k]:
            raise typer.BadParameter(f"{text} is given twice", param_hint="--net")
    return net


def _named(found: dict[str, Topology]) -> dict[str, Topology]:
    """Fabrics by name; by the text of the option if several have the same name."""
    names = Counter(each.name for each in found.values())
    return {text if names[each.name] > 1 else each.name: each for text, each in found.items()}


def _weights(texts: list[str]) -> dict[str, float]:
    """Weights by name; a duplicate name is an error."""
    made: dict[str, float] = {}
    for name, value in map(_weight, texts):
        if name in made:
            raise typer.BadParameter(f"the weight of {name} is given twice", param_hint="--weight")
        made[name] = value
    return made


def _weight(text: str) -> tuple[str, float]:
    """``NAME=NUMBER``; the name may contain = signs."""
    name, equals, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not (equals and name and 0 <= value < math.inf):
        raise typer.BadParameter(
            f"{text!r} is not NAME=NUMBER with a number of 0 or more, such as BU=2", param_hint="--weight"
        )
    return name, value


# --- traffic ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Workload:
    """Traffic with the names that its weight depends on."""

    key: tuple[str, str]
    make: Callable[[], Traffic]
    tasks: int
    frame: bool  # compositing, in which ranks may send several messages at once


def _workloads(
    text: str, ranks: int | None, places: dict[str, int], seed: int, method: Method
) -> Iterator[_Workload]:
    """``PATTERN@SIZE,SIZE``, or a file; ``places``: compute hosts of each fabric, on which it must fit."""
    from sortlast import fabric, simulate
    from sortlast.cli.simulate import _traffic

    like = _traffic.Wanted(text, None, None, None, None, None, {}, seed)
    if fabric.is_file(text):
        read = simulate.read(text)
        _fit(read.tasks, places)
        yield _Workload((text, ""), lambda: read, read.tasks, frame=False)
        return
    tasks = ranks or min(places.values())
    _fit(tasks, places)
    pattern, _, sizes = text.rpartition("@")
    for size in sizes.split(","):
        each = _traffic.parse(f"{pattern}@{size}" if pattern else text, tasks, like, "--traffic")
        made = _traffic.make(each, tasks, rendezvous=method is Method.flow)
        yield _Workload((pattern, size), partial(getattr, made, "traffic"), made.tasks, each.size is not None)


def _fit(tasks: int, places: dict[str, int]) -> None:
    """Reject more tasks than a fabric has compute hosts."""
    for name, hosts in places.items():
        if tasks > hosts:
            raise Error(f"{tasks} tasks do not fit on {name}, which has {hosts} compute hosts")


@dataclass(frozen=True)
class _Runs:
    """Settings for the simulation of workloads."""

    method: Method
    central: bool
    engine: str
    bandwidth: float | None
    seed: int

    def all(
        self, fabrics: dict[str, Topology], jobs: list[_Workload], progress: Callable[[float], bool]
    ) -> dict[str, dict[tuple[str, str], float]]:
        """Seconds of every workload on every fabric."""
        made: dict[str, dict[tuple[str, str], float]] = {name: {} for name in fabrics}
        done, total = 0, len(fabrics) * len(jobs)
        for name, topology in fabrics.items():
            carry = self._carrier(topology)
            for job in jobs:
                part = done / total
                seconds = carry(job, lambda inner, part=part: progress(part + inner / total))  # type: ignore[misc]
                if not seconds > 0:
                    raise Error(
                        f"{'@'.join(job.key).rstrip('@')} takes no time on {name}; take other traffic"
                    )
                made[name][job.key] = seconds
                done += 1
        return made

    def _carrier(self, topology: Topology) -> Callable[[_Workload, Callable[[float], bool]], float]:
        """A function that simulates a workload on a fabric and returns its seconds."""
        from sortlast import fabric, simulate
        from sortlast.simulate.links import link_rate

        rate = link_rate(topology) if self.bandwidth is None else self.bandwidth * 1e6
        ordered = fabric.order_hosts(topology, "routing", fabric.compute_hosts(topology))
        routes = _inputs.routes(topology, self.engine) if self.method is Method.flow else None

        def carry(job: _Workload, progress: Callable[[float], bool]) -> float:
            first = (len(ordered) - job.tasks) // 2 if self.central else 0
            where: dict[str, Any] = {
                "placement": ordered[first : first + job.tasks],
                "link_bytes_per_second": rate,
                "progress": progress,
            }
            if routes is None:
                return simulate.packet(topology, job.make(), seed=self.seed, **where).seconds
            return simulate.flow(routes, job.make(), sends_at_once=0 if job.frame else 1, **where).seconds

        return carry


# --- results ----------------------------------------------------------------------------------------------


def _row(
    name: str,
    bills: dict[str, Bill],
    worth: dict[str, Indicator],
    times: dict[str, dict[tuple[str, str], float]],
) -> dict[str, Any]:
    """All results for a fabric."""
    bill, first = bills[name], next(iter(bills.values()))
    row: dict[str, Any] = {
        "fabric": name,
        "cost": bill.total,
        "nodes": bill.nodes,
        "cost_per_node": bill.per_node,
        "relative_cost": bill.per_node / first.per_node if first.per_node > 0 else None,
    }
    if worth:
        found = worth[name]
        row["relative_time"] = found.relative_time
        row["performance"] = found.performance
        row["performance_per_cost"] = found.performance_per_cost
        row["seconds"] = {"@".join(key).rstrip("@"): value for key, value in times[name].items()}
    row["bill"] = [
        {"part": line.part, "kind": line.kind, "number": line.number, "price": line.price}
        for line in bill.lines
    ]
    return row


def _cells(row: dict[str, Any]) -> list[str]:
    relative = row["relative_cost"]
    cells = [
        row["fabric"],
        f"{row['cost']:,.0f}",
        f"{row['nodes']:,}",
        f"{row['cost_per_node']:,.2f}",
        "" if relative is None else f"{relative:.2f}",
    ]
    if "performance" in row:
        cells += [f"{row[key]:.2f}" for key in ("relative_time", "performance", "performance_per_cost")]
    return cells


def _write(report: list[dict[str, Any]], csv: Path | None, json: Path | None) -> None:
    """Write the requested files."""
    if csv is not None:
        from csv import writer

        from sortlast.files import replacing

        rows = [{**row, **row.get("seconds", {})} for row in report]
        names = [name for name in rows[0] if name not in ("seconds", "bill")]
        with replacing(csv) as temporary, temporary.open("w", newline="") as file:
            table = writer(file, lineterminator="\n")
            table.writerow(names)
            table.writerows([row[name] for name in names] for row in rows)
    if json is not None:
        _terminal.write_json(report, json)
