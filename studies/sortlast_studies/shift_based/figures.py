"""The pictures: Figures 1 to 9 as in the paper, the mechanisms of direct-send, and the measurements.

Captions are not part of the pictures. Curves also differ in line style and marker, for print without colours.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from sortlast import schedule
from sortlast.plot import bandwidth, cost
from sortlast.plot import schedule as schedules
from sortlast.plot.figure import BLACK, BLUE, GREEN, GREY, VERMILION, empty
from sortlast.plot.panels import panels
from sortlast_studies.shift_based import costs
from sortlast_studies.shift_based.cluster import ARITY, DIRECT_SEND, RUNS, size_name
from sortlast_studies.shift_based.direct_send import MECHANISMS
from sortlast_studies.shift_based.frames import COUNTS, SIZES
from sortlast_studies.shift_based.terms import BY_MECHANISM, MEASURED, Terms
from sortlast_studies.table import Table

_STYLES = dict(zip(SIZES, ((BLUE, "-"), (GREEN, "--"), (VERMILION, ":")), strict=True))
_MARKS = {"calibrated": "s", "predicted": "o"}
_P, _PIXELS = 4, 16  # of Figure 1


def draw(table: Table) -> dict[str, Figure]:
    """Draw every picture of the report, by file name."""
    network, matrix = costs.network(), Terms(table).bandwidths
    made: dict[str, Figure] = {
        "figure-1": schedules.draw(schedule.make("shift", p=_P, n=_PIXELS), titled=False),
        "figure-2": cost.crossbar(network, costs.ALGORITHMS, costs.CURVES, titled=False),
        "figure-3": cost.fat_tree(network, costs.ALGORITHMS, costs.CURVES, costs.degradation(), titled=False),
        "figure-8": _sweep(table),
        "direct-send": _mechanisms(table),
    }
    for run in RUNS:
        found = matrix(run.item, run.message_bytes)
        made[run.item.lower().replace(" ", "-")] = bandwidth.draw({"simulated": found})
    for name in table.rows(MEASURED):
        message_bytes = int(table.value(MEASURED, name, "bytes of a message"))
        made[f"measured-{name}"] = bandwidth.draw({"measured": matrix(name, message_bytes)})
    return made


def _sweep(table: Table) -> Figure:
    """Figure 8, with the published rates that the text prints."""
    figure, axes = empty(8.2, 4.6)
    for size, (colour, line) in _STYLES.items():
        name = size_name(size)
        rates = [table.value("Figure 8", p, name) for p in COUNTS]
        axes.plot(COUNTS, rates, line, color=colour, lw=1.3, label=f"{name}, simulated")
    told = set()
    for run in RUNS:
        if run.order == "routing":
            label = f"published, {run.basis}, in the colour of the size"
            rate = table.value(run.item, "frames/s", "shift", "published")
            axes.scatter(
                run.p,
                rate,
                40,
                color=_STYLES[run.size][0],
                edgecolors=BLACK,
                marker=_MARKS[run.basis],
                label="" if label in told else label,
                zorder=3,
            )
            told.add(label)
    axes.set_xticks(range(ARITY, COUNTS[-1] + 1, ARITY))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("nodes (labelled: whole leaf switches)")
    axes.set_ylabel("frames/s")
    axes.grid(color="#e4e4e4")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=9)
    return figure


def _mechanisms(table: Table) -> Figure:
    """One panel per published run, one bar per mechanism, and a line at the published rate."""
    simulated = table.rows(BY_MECHANISM)
    shown = [each.text for each in MECHANISMS if each.text in simulated]
    figure, [row] = panels(10.4, 1.5 + 0.33 * len(shown), columns=len(DIRECT_SEND), sharey=True)
    for axes, run in zip(row, DIRECT_SEND, strict=True):
        for place, mechanism in enumerate(shown):
            rate = table.get(BY_MECHANISM, mechanism, run.case)
            if rate is not None:
                axes.barh(place, rate, 0.7, color=BLUE)
                white = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
                axes.text(rate + 0.4, place, f"{rate:.1f}", va="center", fontsize=8, bbox=white)
        theirs = table.value(run.item, "frames/s", "direct-send", "published")
        axes.axvline(theirs, color=VERMILION, lw=1.2)
        title = f"{run.p} nodes\n{run.order} order\npublished {theirs:g}"
        axes.set_title(title, fontsize=9, color=VERMILION)
        axes.set_xlim(0, 18)
        axes.set_xlabel("frames/s", fontsize=9)
        axes.tick_params(axis="x", labelsize=8)
        axes.spines["left"].set_color(GREY)
    row[0].set_yticks(range(len(shown)), shown, fontsize=8)
    row[0].invert_yaxis()
    return figure
