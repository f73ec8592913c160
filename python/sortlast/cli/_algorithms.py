"""``sortlast schedule --list``: the algorithms and their costs."""

from __future__ import annotations

from pathlib import Path

from sortlast.cli import _terminal


def show(json: Path | None) -> None:
    """Print the table of all algorithms, and write it to a JSON file."""
    from rich.table import Table

    from sortlast import schedule

    fields = ("usage", "latency", "transfer", "overlap", "summary")
    entries = schedule.algorithms()
    if json is not None:
        _terminal.write_json(
            [{field: getattr(entry, field) for field in ("name", *fields)} for entry in entries], json
        )
    table = Table()
    for heading in ("name", *fields[1:]):
        table.add_column(heading, overflow="fold", no_wrap=heading == "name")  # a name can be copied
    for entry in entries:
        table.add_row(*(str(getattr(entry, field)) for field in fields))
    console = _terminal.console(json)
    console.print(table)
    _terminal.name_written(console, json)
