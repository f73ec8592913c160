"""``sortlast algorithms``: the algorithms and their costs."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(algorithms)


def algorithms(
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the algorithms with the terms of their cost.

    The latency and the transfer term are from Table 1 of Cavin and Demengeon, "Shift-Based Parallel Image
    Compositing on InfiniBand Fat-Trees" (2012): p ranks, n pixels, alpha seconds per message, beta seconds
    per pixel. Overlap says whether blending can overlap transfers. Between nodes of L ranks, two-level costs
    the same as the algorithm NAME; see sortlast schedule --node-size.
    """
    from rich.table import Table

    from sortlast import schedule
    from sortlast.cli import _terminal

    fields = ("usage", "latency", "transfer", "overlap", "summary")
    entries = schedule.algorithms()
    if json:
        _terminal.write_json(
            [{field: getattr(entry, field) for field in ("name", *fields)} for entry in entries], None
        )
        return
    table = Table()
    for heading in ("name", *fields[1:]):
        table.add_column(heading, overflow="fold", no_wrap=heading == "name")  # a name can be copied
    for entry in entries:
        table.add_row(*(str(getattr(entry, field)) for field in fields))
    _terminal.console().print(table)
