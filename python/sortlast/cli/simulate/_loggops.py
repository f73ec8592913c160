"""``sortlast simulate --method loggops``: how long traffic takes if only CPUs and adapters cost time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sortlast.cli import _progress, _terminal
from sortlast.cli.simulate import _traffic

if TYPE_CHECKING:
    from rich.console import Console

    from sortlast.simulate import LogGopsResult, Program


def run(wanted: _traffic.Wanted, parameters: dict[str, Any], json: Path | None) -> None:
    """Simulate, print, and write the JSON file; ``parameters`` are L, o, g, G, O and S."""
    from sortlast import simulate

    _terminal.check_places(json)
    program = _program(wanted)
    with _progress.bar("loggops", transient=True) as progress:
        result = simulate.loggops(program, **parameters, progress=progress)
    if json is not None:
        _terminal.write_json(_as_json(program, result, parameters), json)
    console = _terminal.console(json)
    _print(program, result, parameters, console)
    _terminal.name_written(console, json)


def _program(wanted: _traffic.Wanted) -> Program:
    """The requested program; files in GOAL are kept as they are."""
    from sortlast import _simulate, simulate

    if wanted.is_file():
        _traffic.check(wanted)
        return simulate.read_program(wanted.pattern)
    if wanted.ranks is None:
        raise typer.BadParameter("give the number of ranks", param_hint="--ranks")
    return _simulate.program_of(_traffic.make(wanted, wanted.ranks, rendezvous=False).traffic)


def _shares(run: LogGopsResult) -> dict[str, dict[str, float]]:
    """Activities of the ranks until the last has ended: mean and maximum, in seconds."""
    waiting = run.seconds - run.computing - run.overhead
    each = {"computing": run.computing, "overhead": run.overhead, "waiting": waiting}
    return {
        name: {"mean": float(seconds.mean()), "most": float(seconds.max())} for name, seconds in each.items()
    }


def _print(program: Program, run: LogGopsResult, parameters: dict[str, Any], console: Console) -> None:
    from sortlast.cli.fabric import _show

    pairs = [
        ("program", f"{program.name}: {program.ranks:,} ranks, {program.actions:,} actions"),
        ("model", ", ".join(f"{name} = {value:g}" for name, value in parameters.items())),
        ("time", f"{1e3 * run.seconds:,.6f} ms"),
        ("messages", f"{run.messages:,}, {run.bytes:,} bytes"),
    ]
    for name, told in _shares(run).items():
        pairs.append(
            (name, f"{1e3 * told['mean']:,.3f} ms per rank on average, {1e3 * told['most']:,.3f} most")
        )
    console.print(_show.facts(pairs))


def _as_json(program: Program, run: LogGopsResult, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "method": "loggops",
        "program": program.name,
        "ranks": program.ranks,
        "actions": program.actions,
        "parameters": parameters,
        "seconds": run.seconds,
        "messages": run.messages,
        "bytes": run.bytes,
        "shares": _shares(run),
        "ends": run.ends.tolist(),
    }
