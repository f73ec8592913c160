"""``sortlast bandwidth``: the send bandwidth of all pairs of ranks over the stages of a shift."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast import Error, launch
from sortlast.cli import _bandwidth_run, _terminal
from sortlast.cli.fabric import _options, _show

if TYPE_CHECKING:
    from mpi4py import MPI
    from rich.console import Group

    from sortlast.bandwidth import Bandwidths

_RANKS = 4
_REPEAT = 5
_SLOWEST = 5  # number of pairs listed


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(bandwidth)


def bandwidth(
    ranks: Annotated[
        int | None, typer.Option(min=2, show_default=str(_RANKS), help="Ranks to start.")
    ] = None,
    message_bytes: Annotated[
        int | None,
        typer.Option(
            "--bytes",
            min=1,
            show_default="1/p of 4096x2048 pixels of 16 bytes, or 4 MiB with --find-bad",
            help="Bytes of a message.",
        ),
    ] = None,
    repeat: Annotated[
        int | None,
        typer.Option(
            min=1,
            show_default=f"{_REPEAT}, or 1 with --find-bad",
            help="Timed runs of each stage; the median counts, or all with --find-bad.",
        ),
    ] = None,
    find_bad: Annotated[
        bool, typer.Option("--find-bad", help="Find slow cables of the fabric --net, instead of the matrix.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(help="Draw the matrix, with white for the maximum, and its histogram: png, svg or pdf."),
    ] = None,
    matrix: Annotated[
        Path | None, typer.Option(help="Write the matrix to this file in mpiGraph's format, in MB/s.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Also write the matrix to this JSON file.")] = None,
    net: Annotated[
        str | None,
        typer.Option(
            "--net",
            help="Also predict for this fabric: a file or a family, as for --net of sortlast fabric.",
        ),
    ] = None,
    engine: Annotated[str, typer.Option(help="Routing engine of that fabric.")] = "ftree",
    lft: _options.Lft = None,
    nodes: Annotated[
        str | None,
        typer.Option(
            show_default="the machines' names, or the first in routing order",
            help="The fabric's node of each rank: a list such as node[001-012], or a file.",
        ),
    ] = None,
    rail: _options.Rail = None,
) -> None:
    """Measure the send bandwidth of every pair of ranks under the load of a shift.

    This is Moody's method, with which Cavin and Demengeon (2012), section 5, show contention: at stage s rank
    i sends to rank (i + s) mod p, all at once, and times its send; together the stages visit every pair.
    Every message is checked before the timed runs. Prints the minimum, mean and maximum, and the slowest
    pairs by name.

    The ranks are started here, or are the ranks of your own mpiexec: one per node, in the order of their
    list. The prediction uses the maximum measured bandwidth for links.

    With --find-bad, stages put one message on each link, by the tables of --engine or --lft, and suspects
    are measured again until they are decided. Exit status 1: a slow link was found.
    """
    from sortlast.cli import _bandwidth_predict

    if find_bad:
        if output is not None or matrix is not None:
            raise Error("--find-bad measures no matrix; leave --output and --matrix out")
        _find_bad(ranks, (net, engine, lft, nodes, rail), message_bytes, repeat, json)
        return

    # Reject impossible settings before any rank starts.
    settings = _bandwidth_run.Settings(message_bytes, repeat or _REPEAT)
    if output is not None:
        from sortlast import plot

        plot.check_format(output)
    _terminal.check_places(json, matrix, pictures=[output])
    if net is None and lft is not None:
        raise Error("--lft needs the fabric of its tables; name its file with --net")
    routes = None if net is None else _bandwidth_predict.routes(net, engine, lft)
    if routes is not None and not launch.under_mpiexec():
        _bandwidth_predict.hosts(routes, nodes, ["(not known yet)"] * (ranks or _RANKS), rail)

    measured = _measured(ranks, settings)
    if measured is None:
        return

    found = measured.bandwidths
    matrices, how = {"measured": found}, ""
    if routes is not None:
        hosts, how = _bandwidth_predict.hosts(routes, nodes, found.names, rail)
        matrices["predicted"] = _bandwidth_predict.matrix(routes, hosts, found)
    if json is not None:
        prediction = {
            "net": net,
            "engine": net and engine,
            "lft": lft and str(lft),
            "nodes": nodes,
            "rail": rail,
        }
        _terminal.write_json(_as_json(measured, asdict(settings) | prediction, matrices), json)
    _write(matrices, output, matrix)
    console = _terminal.console(output, matrix, json)
    if how:
        console.print(how, soft_wrap=True)
    console.print(_table(matrices))
    console.print(_slowest(found))
    _terminal.name_written(console, output, matrix, json)


def _find_bad(
    ranks: int | None,
    where: tuple[str | None, str, Path | None, str | None, str | None],
    message_bytes: int | None,
    repeat: int | None,
    json: Path | None,
) -> None:
    """Search for slow links, print and write the findings; ``where``: net, engine, lft, nodes, rail."""
    from sortlast.cli import _bandwidth_find

    net, engine, lft, nodes, rail = where
    if net is None:
        raise Error("--find-bad needs the fabric of the nodes; name its file with --net")
    size = message_bytes or _bandwidth_find.MESSAGE_BYTES
    tables = None if lft is None else str(lft.resolve())
    settings = _bandwidth_find.Settings(net, engine, tables, nodes, rail, size, repeat or 1)
    _terminal.check_places(json)
    comm = launch.world() if launch.under_mpiexec() else None
    if comm is None:
        count = ranks or _RANKS
        if nodes is not None:
            settings.hosts(settings.routes(), ["(not known yet)"] * count)
        _terminal.hand_on()
        found = _bandwidth_find.started(count, settings)
    else:
        count = _size(comm, ranks)
        found = _bandwidth_find.search(comm, settings)
        if comm.rank > 0:
            return
    if json is not None:
        told = {"provenance": found.provenance, "settings": asdict(settings)}
        _terminal.write_json(told | {"p": count} | asdict(found.findings), json)
    console = _terminal.console(json)
    _bandwidth_find.write(console, settings, count, found.findings)
    _terminal.name_written(console, json)
    raise typer.Exit(1 if found.findings.found else 0)


def _size(comm: MPI.Intracomm, ranks: int | None) -> int:
    """Number of mpiexec's ranks. Raises Error if another one is asked for."""
    if ranks not in (None, comm.size):
        raise Error(f"--ranks {ranks}, but mpiexec started {comm.size}; leave --ranks out under mpiexec")
    return comm.size


def _measured(ranks: int | None, settings: _bandwidth_run.Settings) -> _bandwidth_run.Measured | None:
    """Measure on mpiexec's ranks (result on rank 0, None elsewhere), or on ranks started here."""
    if not launch.under_mpiexec():
        _terminal.hand_on()
        return _bandwidth_run.started(ranks or _RANKS, settings)
    comm = launch.world()
    _size(comm, ranks)
    found = _bandwidth_run.measure(comm, settings)
    return found if comm.rank == 0 else None


def _as_json(
    measured: _bandwidth_run.Measured, settings: dict[str, Any], matrices: dict[str, Bandwidths]
) -> dict[str, Any]:
    """Provenance, settings, and the measured matrix, with the predicted one if there is one."""
    told = {name: _bandwidth_run.as_json(each) for name, each in matrices.items()}
    made_by = {"provenance": asdict(measured.origin), "settings": settings}
    return made_by | told.pop("measured") | told


def _write(matrices: dict[str, Bandwidths], output: Path | None, matrix: Path | None) -> None:
    """Write the requested picture and text."""
    from sortlast.cli import _bandwidth_predict

    if output is not None:
        from sortlast import plot
        from sortlast.plot import bandwidth as picture

        plot.save(picture.draw(matrices), output)
    if matrix is not None:
        _bandwidth_predict.write_matrix(matrices["measured"], matrix)


def _table(rows: dict[str, Bandwidths]) -> Group:
    some = next(iter(rows.values()))
    columns = [("", "left"), *((name, "right") for name in ("min", "mean", "max", "mean / max"))]
    lines = []
    for name, found in rows.items():
        speeds = (f"{each / 1e6:.1f}" for each in (found.minimum, found.mean, found.maximum))
        lines.append([name, *speeds, f"{100 * found.mean / found.maximum:.1f} %"])
    title = f"{some.p} ranks, messages of {some.message_bytes:,} bytes, MB/s of a send"
    return _show.table(title, columns, lines)


def _slowest(found: Bandwidths) -> Group:
    columns = (
        ("from rank", "right"),
        ("on", "left"),
        ("to rank", "right"),
        ("on", "left"),
        ("MB/s", "right"),
    )
    lines = []
    for sender, receiver in found.slowest(_SLOWEST):
        speed = f"{found.matrix[sender, receiver] / 1e6:.1f}"
        lines.append((str(sender), found.names[sender], str(receiver), found.names[receiver], speed))
    return _show.table("slowest pairs", columns, lines)
