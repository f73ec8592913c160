"""Generate the reference of the command line.

The comment

    <!-- every command -->

on a page is replaced by a section for each command of `sortlast`: help text, usage, arguments and options.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from sortlast.cli._app import app

_MARK = "<!-- every command -->\n"


def commands(group: TyperGroup, path: str) -> Iterator[tuple[str, TyperCommand]]:
    """Yield all commands with their full names. The commands of a group replace the group."""
    for name, command in sorted(group.commands.items()):
        if isinstance(command, TyperGroup):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def section(name: str, command: TyperCommand) -> str:
    """Return Markdown for one command, with a list of options for each panel of its help."""
    context = command.make_context(name, [], resilient_parsing=True)
    usage = " ".join((name, *command.collect_usage_pieces(context)))
    parts = [f"## {name}", command.help or "", f"```text\n{usage}\n```"]
    panels: dict[str, list[str]] = {}
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is not None:
            kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
            panel = panels.setdefault(parameter.rich_help_panel or kind, [])
            panel.append(f"`{record[0]}`\n: {record[1]}")
    for title, entries in panels.items():
        parts += [f"**{title}**", *entries]
    return "\n\n".join(parts) + "\n\n"


def write(app_: Sphinx, document: str, source: list[str]) -> None:
    """Replace the comment on a page by the sections."""
    if _MARK in source[0]:
        every = commands(get_command(app), "sortlast")
        source[0] = source[0].replace(_MARK, "".join(section(*each) for each in every))


def setup(app_: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app_.connect("source-read", write)
    return {"parallel_read_safe": True}
