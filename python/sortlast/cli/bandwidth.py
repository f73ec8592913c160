"""``sortlast bandwidth``: the send bandwidth of all pairs of ranks over the stages of a shift."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortlast import Error, launch
from sortlast.cli import _bandwidth_run, _parse, _terminal
from sortlast.files import check_place

if TYPE_CHECKING:
    from rich.table import Table

    from sortlast.bandwidth import Bandwidths

_RANKS = 4
_SIZE = "4096x2048"  # of the shift paper's Figures 4 to 6 and 9
_SLOWEST = 5  # pairs that are named


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(bandwidth)


def bandwidth(
    ranks: Annotated[
        int | None, typer.Option(min=2, show_default=str(_RANKS), help="Ranks to start.")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            show_default=_SIZE,
            help="Messages of a shift of an image of this width x height, 16 bytes a pixel: its p-th part.",
        ),
    ] = None,
    message_bytes: Annotated[
        int | None, typer.Option("--bytes", min=1, help="Bytes of a message, instead of --size.")
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Timed runs of each stage; the median counts.")] = 5,
    output: Annotated[
        Path | None,
        typer.Option(help="Draw the matrix, white = maximum, and its histogram: png, svg or pdf."),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Also write the matrix to this JSON file.")] = None,
) -> None:
    """Measure the send bandwidth of every pair of ranks under the load of a shift.

    Moody's method, with which Cavin and Demengeon (2012), section 5, show contention: at stage s rank i sends
    to rank (i + s) mod p, all at once, and times its send; the stages together visit every pair. Every
    message is checked before the clock runs. Prints the minimum, the average and the maximum, and the
    slowest pairs by name.

    The ranks are started here, or are those of your own mpiexec: one a node, in the order of their list.
    """
    from sortlast import plot

    # Refuse before any rank starts what cannot be done.
    settings = _settings(size, message_bytes, repeat)
    if output is not None:
        plot.check_format(output)
    for path in filter(None, (output, json)):
        check_place(path)

    # Measure.
    if launch.under_mpiexec():
        comm = launch.world()
        if ranks not in (None, comm.size):
            raise Error(f"--ranks {ranks}, but mpiexec started {comm.size}; leave --ranks out under mpiexec")
        found = _bandwidth_run.measure(comm, settings)
        if comm.rank != 0:
            return
    else:
        _terminal.hand_on()
        found = _bandwidth_run.started(ranks or _RANKS, settings)

    # Report.
    console = _terminal.console()
    console.print(_table({"measured": found}))
    console.print(_slowest(found))
    if output is not None:
        from sortlast.plot import bandwidth as picture

        plot.save(picture.draw({"measured": found}), output)
    if json is not None:
        _terminal.write_json(_bandwidth_run.as_json(found), json)
    for path in filter(None, (output, json)):
        console.print(f"wrote {path}", soft_wrap=True)


def _settings(size: str | None, message_bytes: int | None, repeat: int) -> _bandwidth_run.Settings:
    if size is not None and message_bytes is not None:
        raise typer.BadParameter("--size and --bytes both say how long a message is; give one of them")
    width, height = _parse.size(size or _SIZE)
    if width * height < 1:
        raise typer.BadParameter(f"{size} has no pixels", param_hint="--size")
    return _bandwidth_run.Settings(message_bytes, width * height, repeat)


def _table(rows: dict[str, Bandwidths]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    some = next(iter(rows.values()))
    title = f"{some.p} ranks, messages of {some.message_bytes:,} bytes, MB/s of a send"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("")
    for heading in ("min", "average", "max", "average / max"):
        table.add_column(heading, justify="right")
    for name, found in rows.items():
        speeds = (f"{each / 1e6:.1f}" for each in (found.minimum, found.average, found.maximum))
        table.add_row(name, *speeds, f"{100 * found.average / found.maximum:.1f} %")
    return table


def _slowest(found: Bandwidths) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title="slowest pairs", title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("from rank", "on", "to rank", "on", "MB/s"):
        table.add_column(heading, justify="left" if heading == "on" else "right")
    for sender, receiver in found.slowest(_SLOWEST):
        speed = f"{found.matrix[sender, receiver] / 1e6:.1f}"
        table.add_row(str(sender), found.names[sender], str(receiver), found.names[receiver], speed)
    return table
