"""``sortlast icet``: run an installed ParaView or VisIt with sortlast in place of IceT."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from sortlast import Error
from sortlast._errors import ArgumentError
from sortlast.cli import _terminal

if TYPE_CHECKING:
    from sortlast.icet.libraries import Library
    from sortlast.icet.program import Program

_RANKS = 4  # in the command line that is shown


class For(str, Enum):
    """Known programs."""

    paraview = "paraview"
    visit = "visit"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(icet)


def icet(
    command: Annotated[
        list[str] | None,
        typer.Argument(help="Command to run with the library, after --.", show_default=False),
    ] = None,
    for_: Annotated[For | None, typer.Option("--for", help="The program that should use sortlast.")] = None,
    program: Annotated[
        str | None,
        typer.Option(show_default="searched on the PATH", help="Path of the program, such as pvbatch."),
    ] = None,
    library: Annotated[
        Path | None,
        typer.Option(
            show_default="SORTLAST_ICET_LIBRARIES, or where it is installed",
            help="Folder of the library with IceT's interface, or its parent with a folder per MPI family.",
        ),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="PROGRAM_OR_LIBRARY",
            help="Only check whether the library has all functions called by it.",
        ),
    ] = None,
    json: Annotated[
        Path | None, typer.Option(help="Also write all that is printed to this JSON file.")
    ] = None,
) -> None:
    """Run an installed ParaView or VisIt with sortlast in place of IceT.

    Finds the program, the IceT libraries that it needs by name, and the library of sortlast for its MPI
    family, and prints the command line that runs it with sortlast; with a command after `--` it runs that
    instead, with the command's exit status and signals. The program is not changed. If it needs a name that
    the library lacks, a folder of links is made in the user's cache.

    `--check` lists the functions of IceT that a program or library calls, itself or through libraries that it
    needs. Exit status is 0 if the library has them all, and 1 if some are missing.
    """
    _terminal.check_places(json)
    if (for_ is None) == (check is None):
        raise ArgumentError(
            "say either --for paraview or visit, to use sortlast there, or --check with a file"
        )
    if check is not None:
        if command or program is not None:
            raise ArgumentError("--check runs nothing; leave the command and --program out")
        raise typer.Exit(_check(check, library, json))
    assert for_ is not None
    if command and json is not None:
        raise ArgumentError(
            "--json writes what is printed, and with a command nothing is; leave one of them out"
        )
    _use(for_, program, library, command or [], json)


# --- running a program -----------------------------------------------------------------------------------


def _use(for_: For, given: str | None, folder: Path | None, command: list[str], json: Path | None) -> None:
    from sortlast.icet import libraries
    from sortlast.icet import program as programs

    found = programs.find(programs.KINDS[for_.value], given)
    library = libraries.find(programs.family(found.mpi), folder)
    if library.mpi != found.mpi:
        raise Error(
            f"{library.path} needs {library.mpi or 'no MPI'} and {found.path} {found.mpi}: one process cannot"
            f" have two MPI libraries; build the library with that of {found.mpi}, and name it by --library"
        )
    name, value = _setting(found, library)
    if command:
        _run(command, name, value)
    line = _line(found, library.family, name, value)
    _show(found, library, value, line, json)


def _setting(found: Program, library: Library) -> tuple[str, str]:
    """The variable that makes the program load the library, and the value to add to it."""
    from sortlast.icet import libraries

    if found.preload is None:
        return "LD_LIBRARY_PATH", str(libraries.folder_for(library, found.names))
    # The library loaded first looks up its MPI first: make it the one that the program finds.
    before = (
        [str(found.mpi_path)]
        if found.mpi_path is not None and not libraries.finds(library, found.mpi_path)
        else []
    )
    return "LD_PRELOAD", ":".join([*before, str(library.path)])


def _run(command: list[str], name: str, value: str) -> NoReturn:
    """Replace this process by the command."""
    held = os.environ.get(name)
    variables = os.environ | {name: f"{value}:{held}" if held else value}
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvpe(command[0], command, variables)
    except OSError as error:
        raise Error(f"{command[0]} cannot be started: {error.strerror}") from None


def _line(found: Program, family: str, name: str, value: str) -> str:
    """The command line that runs the program on some ranks."""
    held = f"${{{name}:+:${name}}}" if os.environ.get(name) else ""
    program = found.path.name if shutil.which(found.path.name) == str(found.path) else str(found.path)
    setting = f"{name}={shlex.quote(value)}{held}"
    if program.endswith("visit"):
        return f"{setting} {shlex.quote(program)} -np {_RANKS}"
    launcher = f"mpiexec.{family}" if shutil.which(f"mpiexec.{family}") else "mpiexec"
    script = "" if program.endswith(("pvserver", "engine_par")) else " script.py"
    if name == "LD_PRELOAD":  # only in the ranks
        return f"{launcher} -n {_RANKS} env {setting} {shlex.quote(program)}{script}"
    export = f"-x {name}" if family == "openmpi" else f"-genvlist {name}"
    return f"{setting} {launcher} {export} -n {_RANKS} {shlex.quote(program)}{script}"


def _show(found: Program, library: Library, value: str, line: str, json: Path | None) -> None:
    from rich.table import Table

    from sortlast.icet.libraries import FAMILIES

    users = dict.fromkeys(path for _, path in found.needs)
    table = Table(show_header=False)
    for _ in range(2):
        table.add_column(overflow="fold")
    for row in (
        ("program", str(found.path)),
        ("needs", "\n".join(found.names)),
        ("in", "\n".join(map(str, users))),
        ("its MPI", f"{FAMILIES[library.family]}, {found.mpi}"),
        ("library", str(library.path)),
        *([("loaded by", f"LD_PRELOAD: {found.preload}")] if found.preload else []),
    ):
        table.add_row(*row)
    if json is not None:
        report: dict[str, Any] = {
            "program": str(found.path),
            "needs": [*found.names],
            "in": [*map(str, users)],
            "mpi": found.mpi,
            "family": library.family,
            "library": str(library.path),
            "preload": found.preload,
            "value": value,
            "line": line,
        }
        _terminal.write_json(report, json)
    console = _terminal.console(json)
    console.print(table)
    console.print(line, soft_wrap=True)
    if found.preload is None and shutil.which("srun"):
        console.print("under Slurm srun --export=ALL hands the variable on", soft_wrap=True)


# --- checking --------------------------------------------------------------------------------------------


def _check(given: str, folder: Path | None, json: Path | None) -> int:
    """Compare the functions; returns the exit status."""
    from rich.table import Table

    from sortlast.icet import libraries, loader
    from sortlast.icet import program as programs

    # Find the functions that it calls.
    path = Path(given) if os.path.exists(given) else Path(shutil.which(given) or given)
    calls = programs.calls(loader.walk(path, [path.resolve().parent]))
    if not calls.by:
        raise Error(
            f"{path} calls no function of IceT, nor does a library that it needs and that could be found"
        )

    # Compare them with the library's.
    library = libraries.find(calls.family or libraries.installed_family(folder), folder)
    there = library.functions()
    table = Table()
    for heading in ("function", "called by", "library"):
        table.add_column(heading, overflow="fold")
    rows = [(name, [*map(str, by)], name in there) for name, by in sorted(calls.by.items())]
    for name, by, has in rows:
        table.add_row(name, "\n".join(by), "has it" if has else "missing")
    missing = [name for name, _, has in rows if not has]
    if json is not None:
        report = {
            "library": str(library.path),
            "functions": [{"name": name, "called_by": by, "has": has} for name, by, has in rows],
            "missing": missing,
        }
        _terminal.write_json(report, json)
    console = _terminal.console(json)
    console.print(table)
    console.print(
        f"{library.path} has {len(rows) - len(missing)} of {len(rows)} functions of IceT that are called",
        soft_wrap=True,
    )
    return 1 if missing else 0
