"""``sortlast price``: the cost of every algorithm in the alpha-beta model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sortlast import _extras
from sortlast.cli import _parse
from sortlast.files import make_folder

if TYPE_CHECKING:
    from rich.console import Console

    from sortlast import Timing
    from sortlast.cost import Network
    from sortlast.schedule import Schedule

_MOST_WALKED = 100_000_000  # max transfers of a schedule, which take half a minute
_DEGRADATION = 0.3  # fraction of the bandwidth that contention takes on a fat-tree, as in the paper
_CURVES_UP_TO = 15  # the curves end at p = 2^15, where the latency of p - 1 messages is visible


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(price)


def price(
    p: Annotated[str, typer.Option("--p", help="Numbers of ranks, separated by commas.")] = "12,64,144",
    size: Annotated[str, typer.Option(help="Width x height of the image in pixels.")] = "4096x4096",
    pixel_bytes: Annotated[int, typer.Option(min=1, help="Bytes per pixel.")] = 16,
    alpha: Annotated[float, typer.Option(min=0, help="Latency of a message in seconds.")] = 1e-6,
    bandwidth: Annotated[float, typer.Option(help="Bandwidth of a rank in MB/s (10^6 bytes).")] = 1800,
    json: Annotated[Path | None, typer.Option(help="Also write the table to this JSON file.")] = None,
    output_dir: Annotated[
        Path | None, typer.Option(help="Draw the curves into this folder, as PNG and SVG.")
    ] = None,
) -> None:
    """Price every algorithm: the closed form of its cost, and its schedule walked step by step.

    The model is described in Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand
    Fat-Trees" (2012), section 4, and its defaults are the paper's 4x DDR InfiniBand: a message of m pixels
    takes alpha + beta m, a rank sends one message and receives one message at a time. The table is their
    Table 1 in milliseconds of communication; a ratio below 1 means that the schedule costs less than the
    published bound. "messages" counts those of the costliest rank.

    The ratio is above 1 for the parallel pipeline, whose pieces mostly travel as two runs of images, and for
    binary swap if p is no power of two. With --output-dir it also draws Figure 2 (crossbar) and Figure 3
    (fat-tree, on which algorithms without a contention-free pattern lose 0.3 of the bandwidth).
    """
    # The paper states beta = 0.53e-9 s for a data item, and counts pixels. This is the time of a byte at 1800
    # MiB/s: a pixel of 16 bytes takes 16 times as long, which agrees with the paper's measured frame rates
    # (5.8 frames/s of 4096x4096 at 1568 MB/s) and is used here.
    from sortlast.cli import _terminal
    from sortlast.cost import Network

    if bandwidth <= 0:
        raise typer.BadParameter(f"{bandwidth} MB/s is not a bandwidth; give a positive number")
    width, height = _parse.size(size)
    network = Network(width * height, pixel_bytes, alpha, bandwidth * 1e6)
    _terminal.check_places(json)
    if output_dir is not None:
        _extras.check("matplotlib", "--output-dir")
        make_folder(output_dir)
    rows = [row for ranks in _parse.integers(p) for row in _table(ranks, network)]
    if json is not None:
        settings = {
            "width": width,
            "height": height,
            "pixel_bytes": pixel_bytes,
            "alpha": alpha,
            "bandwidth": network.bandwidth,
            "latency": network.latency,
        }
        _terminal.write_json({"settings": settings, "rows": rows}, json)
    drawn = [] if output_dir is None else _draw(network, output_dir)
    console = _terminal.console(json)
    _print(rows, network, console)
    _terminal.name_written(console, *drawn)


def _table(p: int, network: Network) -> list[dict[str, Any]]:
    """One row per algorithm, for p ranks; times in seconds."""
    from sortlast import schedule
    from sortlast.cost import communication_time

    rows = []
    for entry in schedule.algorithms():
        if entry.name == "two-level":  # equals direct-send while no ranks share a node
            continue
        made = schedule.make(entry.name, p=p, n=network.n)
        walked = _walked(made, network)
        formula = communication_time(entry.name, p, network)
        rows.append(
            {
                "p": p,
                "algorithm": entry.name,
                "schedule": made.name,
                "latency": entry.latency,
                "transfer": entry.transfer,
                "formula_s": formula,
                "schedule_s": walked and walked.wait,
                "ratio": walked.wait / formula if walked is not None and formula > 0 else None,
                "messages": walked and max(walked.messages_sent, walked.messages_received),
                "overlap": entry.overlap,
            }
        )
    return rows


def _walked(made: Schedule, network: Network) -> Timing | None:
    """Walk all transfers; None if they are too many, estimated from the sends of a rank in the middle."""
    from sortlast import schedule

    if made.p * len(made.program(made.p // 2).sends) > _MOST_WALKED:
        return None
    return schedule.price(made, alpha=network.alpha, beta=network.beta, gamma=0.0, latency=network.latency)


def _print(rows: list[dict[str, Any]], network: Network, console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    console.print(
        f"Communication in ms: {network.n:,} pixels of {network.pixel_bytes} bytes,"
        f" alpha = {network.alpha:g} s {network.latency.replace('_', ' ')}, {network.bandwidth / 1e6:g} MB/s"
    )
    for p in dict.fromkeys(row["p"] for row in rows):
        table = Table(
            title=f"p = {p}", title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False
        )
        table.add_column("algorithm", overflow="fold")
        table.add_column("cost", overflow="fold")
        for heading in ("formula", "schedule", "ratio", "messages"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("overlap", overflow="fold")
        for row in rows:
            if row["p"] == p:
                table.add_row(*_cells(row))
        console.print(table)
    if any(row["schedule_s"] is None for row in rows):
        console.print(f"-: a schedule of more than {_MOST_WALKED:,} transfers, which is not walked")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["schedule"],
        f"{row['latency']} + {row['transfer']}",
        f"{1e3 * row['formula_s']:.3f}",
        "-" if row["schedule_s"] is None else f"{1e3 * row['schedule_s']:.3f}",
        "-" if row["ratio"] is None else f"{row['ratio']:.3f}",
        "-" if row["messages"] is None else str(row["messages"]),
        row["overlap"],
    )


def _draw(network: Network, folder: Path) -> list[Path]:
    """Write the pictures; returns their paths."""
    from sortlast.plot import cost, save

    names = ["binary-swap", "radix-k", "2-3-swap", "parallel-pipeline", "direct-send", "shift"]
    counts = [2**k for k in range(1, _CURVES_UP_TO + 1)]
    paths = []
    for name, figure in (
        ("crossbar", cost.crossbar(network, names, counts)),
        ("fat-tree", cost.fat_tree(network, names, counts, _DEGRADATION)),
    ):
        for suffix in ("png", "svg"):
            paths.append(folder / f"communication-{name}.{suffix}")
            save(figure, paths[-1])
    return paths
