"""The pictures of the study, similar to the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter, NullFormatter

from sortlast.plot import activity, schedule
from sortlast.plot.figure import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION
from sortlast.plot.panels import panels
from sortlast.trace import Event
from sortlast_studies.radix_k import cluster, scaling
from sortlast_studies.radix_k.terms import Items
from sortlast_studies.radix_k.vectors import radix_k
from sortlast_studies.table import Kind, Table

_SIZE_COLOURS = {1: SKY, 2: BLUE, 4: ORANGE, 8: VERMILION}
_LIVE_COLOURS = {
    "binary-swap": BLUE,
    "radix-k": VERMILION,
    "direct-send": SKY,
    "MPI_Reduce": GREY,
    "MPI_Allreduce": PURPLE,
    "MPI_Reduce_scatter": ORANGE,
}
_CURVE_COLOURS = {"mesh": VERMILION, "torus": BLUE, "4x4x4 blocks": ORANGE, "2x2x2 blocks": GREEN}
_GROUP_COLOURS = dict(zip(cluster.GROUPS, (BLUE, GREEN, ORANGE, GREY), strict=True))
_GROUP_MARKERS = dict(zip(cluster.GROUPS, "os^x", strict=True))
_SWITCHES = {  # panels of Figure 7, by column of the table
    "packets": "one switch, packets",
    "flows": "one switch, flows",
    **{
        cluster.column(ports): f"{ports}-port crossbars, fixed routes, packets" for ports in cluster.CROSSBARS
    },
}
_LEAST_OF_FIGURE_7 = 50  # lower end of its scale [ms], below all points


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name."""
    pictures = {
        "figure-1": figure_1(table),
        "figure-2": schedule.draw(radix_k(12, 12 * 1024, (4, 3)), titled=False),
        "figure-4": figure_4(table),
        "figure-5": figure_5(table),
        "figure-6": figure_6(table),
        "figure-7": figure_7(table),
    }
    for row in table.of("Figure 3", "ours"):
        if row.column == "ranks":
            pictures[f"figure-3-{row.kind}-{row.row}"] = activity.draw(events(table, row.row, row.kind))
    return pictures


def events(table: Table, algorithm: str, kind: Kind) -> list[list[Event]]:
    """The events of the ranks shown in Figure 3."""
    item = f"Figure 3, {algorithm}, events"
    ends = table.column(item, "end", kind)
    found: dict[str, list[Event]] = {}
    for row, begin in table.column(item, "begin", kind).items():
        name, peer, stage = table.note(item, row, "begin", kind).split()
        own = found.setdefault(row.partition(".")[0], [])
        own.append(Event(name, begin, ends[row], int(peer), int(stage)))
    return list(found.values())


def figure_1(table: Table) -> Figure:
    """Frames measured here: over numbers of ranks, and over sizes of images."""
    figure, [(left, right)] = panels(9.5, 4, columns=2, sharey=True)
    by_ranks, by_size = Items.by_ranks, Items.by_size
    _curves(left, table, by_ranks, list(table.column(by_ranks, "MPI_Reduce")))
    left.set_xlabel("ranks")
    left.set_ylabel("time of a frame [ms]")
    left.set_title("numbers of ranks", fontsize="medium")
    _curves(right, table, by_size, table.rows(by_size))
    right.set_xlabel("megapixels")
    right.set_title(f"sizes of images, {table.value('Ranks', by_size):.0f} ranks", fontsize="medium")
    right.legend(frameon=False, fontsize="small")
    return figure


def figure_4(table: Table) -> Figure:
    """Simulated frames of both algorithms over powers of two, one panel per two sizes."""
    sizes = [size for size in scaling.MEGAPIXELS if _times(table, "radix-k", size)]
    half = -(-len(sizes) // 2)
    parts = [own for own in (sizes[:half], sizes[half:]) if own]
    figure, [row] = panels(4.75 * len(parts), 4.2, columns=len(parts))
    for axes, own in zip(row, parts, strict=True):
        for size, (algorithm, style) in product(own, (("binary-swap", "--o"), ("radix-k", "-s"))):
            times = _times(table, algorithm, size)
            label = f"{algorithm.replace('binary-', 'binary ')}, {size} Mpixel"
            colour = _SIZE_COLOURS[size]
            axes.plot(list(times), list(times.values()), style, color=colour, label=label, markersize=4)
        _powers(axes, [int(p) for p in table.rows("Figure 4")])
        axes.set_ylim(0)
        axes.legend(frameon=False, fontsize="small")
        axes.set_xlabel("processes")
    row[0].set_ylabel("simulated time [ms]")
    return figure


def figure_5(table: Table) -> Figure:
    """Simulated frames over all numbers of processes, and binary swap at powers of two."""
    swaps = _times(table, "binary-swap", scaling.ONE_SIZE)
    counts = [int(p) for p in table.rows("Figure 5")]
    split = [p for p in counts if p <= scaling.RACK], [p for p in counts if p >= scaling.RACK]
    parts = [own for own in split if len(own) > 1]
    figure, [row] = panels(4.75 * len(parts), 4, columns=len(parts), sharey=True)
    for axes, own in zip(row, parts, strict=True):
        for mapping, style, colour in (("no mapping", "-^", SKY), ("blocks of 2x2x2", "-o", VERMILION)):
            times = [table.value("Figure 5", p, mapping) for p in own]
            axes.plot(own, times, style, color=colour, label=f"radix-k, {mapping}", ms=3)
        of_23 = table.column(Items.swaps, "2-3 swap", "simulated")
        near = [p for p in own if str(p) in of_23]
        if len(near) > 1:
            axes.plot(near, [of_23[str(p)] for p in near], "--x", color=GREY, label="2-3 swap, blocks", ms=4)
        shown = [p for p in swaps if min(own) <= p <= max(own)]
        axes.plot(shown, [swaps[p] for p in shown], "D", color=BLUE, label="binary swap, blocks")
        axes.set_xlabel("processes")
    row[0].set_ylim(0)
    row[0].set_ylabel("simulated time [ms]")
    row[0].legend(frameon=False, fontsize="small", loc="lower right")
    return figure


def figure_6(table: Table) -> Figure:
    """All k vectors, on mesh and torus, and in blocks."""
    figure, [row] = panels(9.5, 7, columns=2, sharey=True)
    labels = [k.replace(",", " ") for k in table.rows("Figure 6")]
    shown = ("mesh", "torus"), ("torus", "4x4x4 blocks", "2x2x2 blocks")
    for axes, curves in zip(row, shown, strict=True):
        for curve, style in zip(curves, ("-o", "--s", ":^"), strict=False):
            label = "no mapping" if len(curves) == 3 and curve == "torus" else curve
            times = list(table.column("Figure 6", curve).values())
            axes.plot(times, range(len(times)), style, color=_CURVE_COLOURS[curve], label=label, markersize=4)
        axes.set_yticks(range(len(labels)), labels, fontsize="small")
        axes.grid(axis="x", color=GREY, alpha=0.25)
        axes.set_xlim(0)
        axes.set_xlabel("simulated time [ms]")
        axes.legend(frameon=False, fontsize="small", loc="lower left")
    row[0].invert_yaxis()
    row[0].set_ylabel("k")
    return figure


def figure_7(table: Table) -> Figure:
    """The switches: every number of processes, and the best-fit lines of three categories."""
    figure, rows = panels(9.5, 7.5, rows=2, columns=2, sharex=True, sharey=True)
    for axes, (method, title) in zip([axes for row in rows for axes in row], _SWITCHES.items(), strict=True):
        times = {int(p): ms for p, ms in table.column("Figure 7", method).items()}
        for which, colour in _GROUP_COLOURS.items():
            own = [p for p in times if cluster.group(p) == which]
            axes.plot(
                own, [times[p] for p in own], _GROUP_MARKERS[which], color=colour, label=which, ms=4, ls=""
            )
            if which != "others":
                ends = [own[0], own[-1]]
                fitted = [cluster.on_line(times, which, p) for p in ends]
                axes.plot(ends, fitted, color=colour, linewidth=1)
        axes.set_title(title, fontsize="medium")
    for axes in rows[-1]:
        axes.set_xlabel("processes")
    for row in rows:
        row[0].set_ylabel("simulated time [ms]")
    rows[0][0].set_ylim(_LEAST_OF_FIGURE_7)
    rows[0][0].legend(frameon=False, fontsize="small", loc="upper left")
    return figure


def _times(table: Table, algorithm: str, size: int) -> dict[int, float]:
    """Milliseconds of Figure 4 in blocks, by number of processes."""
    found = table.column("Figure 4", f"{algorithm}, {size} Mpixel, blocks of 2x2x2")
    return {int(p): ms for p, ms in found.items()}


def _curves(axes: Axes, table: Table, item: str, rows: Sequence[str]) -> None:
    """One curve per measured algorithm or reduction, with logarithmic scales."""
    for (name, colour), marker in zip(_LIVE_COLOURS.items(), "os^x+D", strict=True):
        times = {float(row): ms for row, ms in table.column(item, name).items() if row in rows}
        axes.plot(list(times), list(times.values()), f"-{marker}", color=colour, label=name, markersize=5)
    _powers(axes, [float(row) for row in rows])
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(LogFormatter())
    axes.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.5)))


def _powers(axes: Axes, values: Sequence[float]) -> None:
    """A scale of powers of two with a tick at each value."""
    marks = sorted(set(values))
    axes.set_xscale("log", base=2)
    axes.set_xticks(marks, [f"{value:g}" for value in marks], fontsize="small")
    axes.xaxis.set_minor_formatter(NullFormatter())
