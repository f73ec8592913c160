"""``sortlast tune``: measures this machine, and writes the profile by which "auto" chooses."""

from __future__ import annotations

import json as json_text
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast import Error, launch
from sortlast.cli import _terminal, _tune_run

if TYPE_CHECKING:
    from rich.table import Table

    from sortlast.tune import Report

# Names and descriptions; values are microseconds, or bytes per second.
_FIGURES = {
    "alpha": "latency between nodes",
    "beta": "bandwidth between nodes, of a node's link",
    "node_alpha": "latency within a node",
    "node_beta": "bandwidth within a node, of a rank's messages",
    "gamma_read": "blending, read",
    "gamma_write": "blending, written",
    "copy": "copying",
}
_SIZES = ((512, 512), (2048, 1024), (4096, 2048))
_NODES = (1, 4, 16)  # numbers of nodes in the table of choices


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(tune)


def tune(
    ranks: Annotated[
        int | None, typer.Option(min=1, show_default="4", help="Ranks to start, as many as a node will have.")
    ] = None,
    node_ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            show_default="ranks that share a machine",
            help="Ranks per node, as if the others were on other machines; 1: no rank reads another's image,"
            " all pixels travel as messages.",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="How long to measure.")] = 2.0,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the profile for all programs on this machine.")
    ] = False,
    output: Annotated[Path | None, typer.Option(help="Write the profile to this file.")] = None,
    json: Annotated[
        Path | None, typer.Option(help="Also write all that is printed to this JSON file.")
    ] = None,
) -> None:
    """Measure the figures of this machine by which `auto` chooses an algorithm.

    Prints the costs of messages, blending and copying, as medians of several measurements with minimum and
    maximum, and the choices of `auto` with them. Figures that cannot be measured, such as those between nodes
    if there is only one, are defaults and marked.

    The ranks are started here, or are the ranks of your own mpiexec; messages between nodes need two nodes or
    more. `--keep` keeps the profile for every compositor on this machine with the same MPI library that is
    given no other. `--output` writes a profile for `Compositor(comm, profile=FILE)` and for the environment
    variable `SORTLAST_PROFILE=FILE`.
    """
    from sortlast import tune as tuning

    # Check the output files before any rank starts.
    _terminal.check_places(output, json)

    # Measure.
    settings = _tune_run.Settings(seconds, node_ranks, keep)
    if launch.under_mpiexec():
        comm = launch.world()
        if ranks not in (None, comm.size):
            raise Error(f"--ranks {ranks}, but mpiexec started {comm.size}; leave --ranks out under mpiexec")
        found = _tune_run.measure(comm, settings)
        if comm.rank != 0:
            return
    else:
        _terminal.hand_on()
        found = _tune_run.started(ranks or 4, settings)

    # Write.
    report = found.report
    chosen = _choices(report)
    if output is not None:
        tuning.save(report.machine, output, found.origin, settings.told(report.ranks))
    if json is not None:
        made_by = {"provenance": asdict(found.origin), "settings": settings.told(report.ranks)}
        _terminal.write_json(made_by | _as_json(report, chosen), json)

    # Print.
    console = _terminal.console(output, json)
    console.print(_figures_table(report))
    how = "by message" if report.messages else "images shared within nodes"
    console.print(
        f"What auto chooses, dense RGBA float32, {how}; predicted ms a frame, without the gathering:"
    )
    console.print(_choices_table(chosen))
    if found.kept:
        console.print(f"kept {found.kept}", soft_wrap=True)  # a path for copying
    _terminal.name_written(console, output, json)


def _shown(name: str, seconds: float) -> str:
    """A time in common units: a latency in us, a byte as GB/s (10^9 bytes)."""
    return f"{1e6 * seconds:.2f} us" if name.endswith("alpha") else f"{1e-9 / seconds:.2f} GB/s"


def _figures_table(report: Report) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    machine = report.machine
    title = f"{report.ranks} ranks, up to {machine.ranks} on {machine.cores} cores of a node"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("figure")
    table.add_column("in the profile")
    for heading in ("median", "slowest", "fastest"):
        table.add_column(heading, justify="right")
    for name, meaning in _FIGURES.items():
        measured = name in report.measured
        others = [_shown(name, getattr(each, name)) for each in (report.high, report.low)]
        table.add_row(
            meaning, name, _shown(name, getattr(machine, name)), *(others if measured else ("default", ""))
        )
    return table


def _choices(report: Report) -> list[dict[str, Any]]:
    """The fastest prediction for each size and number of nodes; times in seconds."""
    from sortlast import tune as tuning

    rows = []
    for nodes in _NODES:
        p = nodes * report.machine.ranks
        for width, height in _SIZES:
            fastest = tuning.choices(report, p, width * height)[0]
            rows.append(
                {
                    "p": p,
                    "nodes": nodes,
                    "width": width,
                    "height": height,
                    "algorithm": fastest.name,
                    "transfer": fastest.transfer,
                    "blend": fastest.blend,
                    "total": fastest.total,
                }
            )
    return rows


def _choices_table(rows: list[dict[str, Any]]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("ranks", "nodes", "size"):
        table.add_column(heading, justify="right")
    table.add_column("algorithm")
    for heading in ("transfer", "blend", "total"):
        table.add_column(heading, justify="right")
    for row in rows:
        times = (f"{1e3 * row[name]:.3f}" for name in ("transfer", "blend", "total"))
        size = f"{row['width']}x{row['height']}"
        table.add_row(str(row["p"]), str(row["nodes"]), size, row["algorithm"], *times)
    return table


def _as_json(report: Report, chosen: list[dict[str, Any]]) -> dict[str, Any]:
    machines = {name: json_text.loads(getattr(report, name).to_json()) for name in ("machine", "low", "high")}
    return {"ranks": report.ranks, "measured": report.measured, **machines, "choices": chosen}
