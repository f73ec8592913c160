"""``sortlast loggops``: how long traffic takes if only the ranks' CPUs and adapters cost time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast.cli.simulate import _options, _traffic

if TYPE_CHECKING:
    from rich.console import Console

    from sortlast.simulate import LogGopsResult, Program

_MODEL = "The model, in nanoseconds and bytes"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(loggops)


def loggops(
    pattern: _options.Pattern,
    ranks: Annotated[
        int | None, typer.Option(min=1, help="Number of communicating tasks, unless a file gives it.")
    ] = None,
    message_bytes: _options.Bytes = None,
    messages: _options.Messages = None,
    stages: _options.Stages = None,
    size: _options.Size = None,
    pixel_bytes: _options.PixelBytes = 16,
    seed: Annotated[int, typer.Option(min=0, help="Seed of random choices, for uniform.")] = 17,
    latency: Annotated[
        int, typer.Option("-L", "--latency", min=0, help="Latency L.", rich_help_panel=_MODEL)
    ] = 2500,
    overhead: Annotated[
        int,
        typer.Option(
            "-o", "--overhead", min=0, help="Overhead o of a message at each end.", rich_help_panel=_MODEL
        ),
    ] = 1500,
    gap: Annotated[
        int,
        typer.Option(
            "-g", "--gap", min=0, help="Gap g between an adapter's messages.", rich_help_panel=_MODEL
        ),
    ] = 1000,
    byte_gap: Annotated[
        float, typer.Option("-G", "--byte-gap", min=0, help="Gap G of each byte.", rich_help_panel=_MODEL)
    ] = 6,
    byte_overhead: Annotated[
        float,
        typer.Option("-O", "--byte-overhead", min=0, help="Overhead O of each byte.", rich_help_panel=_MODEL),
    ] = 0,
    eager: Annotated[
        int,
        typer.Option(
            "-S",
            "--eager",
            min=0,
            help="Bytes S of the longest message that does not wait for its receive.",
            rich_help_panel=_MODEL,
        ),
    ] = 65535,
    json: Annotated[Path | None, typer.Option(help="Also write the results to this JSON file.")] = None,
) -> None:
    """Simulate traffic by the LogGOPS model, like LogGOPSim.

    Every message takes the latency L regardless of other messages: only CPUs and adapters cost time. GOAL
    files keep all their details: several CPUs and adapters per rank, and the position of each receive. The
    model is described in Hoefler, Schneider and Lumsdaine, "LogGOPSim - Simulating Large-Scale Applications
    in the LogGOPS Model" (2010). `sortlast simulate` runs the same traffic on a fabric.

    Exit status 2 if ranks deadlock; the message names the ranks and what they wait for.
    """
    from sortlast import simulate
    from sortlast.cli import _progress, _terminal

    _terminal.check_places(json)
    frame = {"pixel_bytes": pixel_bytes}
    wanted = _traffic.Wanted(pattern, ranks, message_bytes, messages, stages, size, frame, seed)
    program = _program(wanted)
    parameters: dict[str, Any] = {
        "L": latency,
        "o": overhead,
        "g": gap,
        "G": byte_gap,
        "O": byte_overhead,
        "S": eager,
    }
    with _progress.bar("loggops", transient=True) as progress:
        run = simulate.loggops(program, **parameters, progress=progress)
    if json is not None:
        _terminal.write_json(_as_json(program, run, parameters), json)
    _print(program, run, parameters, _terminal.console(json))


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
