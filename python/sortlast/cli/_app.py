"""The command ``sortlast``: all its subcommands in one application.

Every public module of the package ``cli`` defines ``register(app)``, which adds its command; a new command is
one new file. Other distributions add commands by the entry points ``sortlast.commands``, functions with the
same signature. Modules import heavy packages (matplotlib, MPI, VTK) inside the command, so that ``--help`` is
fast.
"""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import entry_points, version
from typing import Annotated

import typer

from sortlast import MissingExtraError, _leftovers, cli, launch
from sortlast.launch import failure

app = typer.Typer(
    name="sortlast",
    no_args_is_help=True,
    rich_markup_mode="markdown",  # reflows the paragraphs of the docstrings
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sortlast {version('sortlast')}")
        raise typer.Exit


@app.callback()
def _sortlast(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Composite the images of a sort-last parallel renderer over MPI.

    Each rank holds an image of its own part of the data; sortlast merges them into one image.
    """


for _module in pkgutil.iter_modules(cli.__path__):
    if not _module.name.startswith("_"):
        importlib.import_module(f"{cli.__name__}.{_module.name}").register(app)
_added = entry_points(group="sortlast.commands")
for _each in _added:
    _each.load()(app)


def _study() -> None:
    """Reproduce the tables and figures of papers, with the published ones. Comes with sortlast-studies."""
    raise MissingExtraError(
        "sortlast study needs the package sortlast-studies: pip install ./studies in a checkout of sortlast"
    )


if "study" not in _added.names:
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, name="study")(
        _study
    )


def main() -> None:
    """Run the command line. Exit status 0 is success, 2 an error that the message explains."""
    # In a rank, a signal ends the process directly: between two MPI calls nothing else would handle it.
    if not launch.under_mpiexec():
        _leftovers.end_by_signals()
    try:
        app(prog_name="sortlast")
    except Exception as error:
        failure.end(error)
