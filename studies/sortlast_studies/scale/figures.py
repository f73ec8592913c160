"""The pictures: strong scaling on the fat-tree, and our frames compared with the published ones."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sortlast.plot.figure import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION
from sortlast.plot.panels import legend_below, lines_behind, panels, plain_numbers
from sortlast_studies.scale import terms
from sortlast_studies.scale.fat_tree import BLOCKS, COMPUTED, DENSE, SIMULATED
from sortlast_studies.scale.terms import Terms
from sortlast_studies.table import Table

_COLOURS = {
    "binary swap": ORANGE,
    "radix-k": VERMILION,
    "multi-step": PURPLE,
    "tree": BLACK,
    "direct-send": SKY,
    "shift": BLUE,
    "pipeline": GREEN,
}


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name."""
    return {"scaling": scaling(table), "papers": papers(table)}


def scaling(table: Table) -> Figure:
    """One panel per content: milliseconds over participants, simulated and by the formula."""
    figure, [(left, right)] = panels(9.6, 4.8, columns=2, sharey=True)
    for axes, content, title in (
        (left, BLOCKS, "images of blocks: fewer active pixels for more ranks"),
        (right, DENSE, "dense images"),
    ):
        _curves(axes, table, content)
        axes.set_title(title, fontsize="medium")
        axes.set_xlabel("participants")
    left.set_ylabel("time of a frame [ms]")
    plain_numbers(left.yaxis)
    legend_below(figure, left, 4)
    return figure


def _curves(axes: Axes, table: Table, content: str) -> None:
    item = terms.times(content)
    for algorithm in (*SIMULATED, *COMPUTED):
        simulated = table.line(item, algorithm, "simulated")
        found = simulated or table.line(item, algorithm, "computed")
        style = {"linestyle": "-", "marker": "o"} if simulated else {"linestyle": "--", "marker": ""}
        label = algorithm if simulated else f"{algorithm} (formula)"
        axes.loglog(
            [int(p) for p in found],
            list(found.values()),
            color=_COLOURS[algorithm],
            markersize=4,
            label=label,
            **style,
        )
    known = [int(p) for p in table.columns(item, "simulated")]
    axes.set_xticks(known, [f"{p:,}" for p in known])
    axes.minorticks_off()
    lines_behind(axes)


def papers(table: Table) -> Figure:
    """The time of Kendall et al. and the gain of Nonaka et al., each compared with ours."""
    own = Terms(table)
    figure, [(left, right)] = panels(9.6, 3.9, columns=2)
    rows = table.column(terms.KENDALL, "radix-k")
    names = [*rows, "published"]
    values = [*rows.values(), own.published_time]
    colours = [VERMILION] * len(rows) + [GREY]
    left.barh(names[::-1], values[::-1], color=colours[::-1])
    plain_numbers(left.xaxis)
    left.set_xlabel("time of a frame [s]")
    left.set_title(f"Kendall et al.: radix-k, {own.processes:,} processes", fontsize="medium")

    sizes = table.rows(terms.SPEED_UP)
    for gather, marker in zip(own.gathers, "os", strict=True):
        right.semilogy(sizes, own.gains(gather), color=PURPLE, marker=marker, label=f"{gather} gather")
    low, high = own.published_gains()
    right.axhspan(low, high, color=GREY, alpha=0.3, linewidth=0, label="published, sizes not given")
    plain_numbers(right.yaxis)
    right.set_ylabel("binary swap over multi-step")
    right.set_xlabel("size of the image")
    right.set_title(f"Nonaka et al.: {own.nodes:,} nodes", fontsize="medium")
    right.legend(frameon=False)
    for axes in (left, right):
        lines_behind(axes)
    return figure
