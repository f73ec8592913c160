"""The pictures: Figures 1 to 9 as the paper draws them, direct-send's mechanisms, and what was measured."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from sortlast import schedule
from sortlast.plot import bandwidth, cost, save
from sortlast.plot import schedule as schedules
from sortlast.plot.figure import BLACK, BLUE, GREEN, GREY, VERMILION, empty
from sortlast.study.shift_based import costs, measured, sweep, table_1
from sortlast.study.shift_based.cluster import ARITY
from sortlast.study.shift_based.direct_send import MECHANISMS
from sortlast.study.shift_based.found import Found, mean
from sortlast.study.shift_based.published import DirectSend, direct_send, runs, values

_COLOURS = dict(zip(sweep.SIZES, (BLUE, GREEN, VERMILION), strict=True))
_P, _PIXELS = 4, 16  # of Figure 1


def file_name(item: str) -> str:
    """The file of a figure, without the suffix."""
    return item.lower().replace(" ", "-")


def draw(found: Found, folder: Path) -> None:
    """Write every picture into the folder, as PNG and SVG."""
    for name, figure in pictures(found).items():
        for suffix in ("png", "svg"):
            save(figure, folder / f"{name}.{suffix}")


def pictures(found: Found) -> dict[str, Figure]:
    """Every picture of the report by the name of its file."""
    network = costs.network()
    made: dict[str, Figure] = {
        "figure-1": schedules.draw(schedule.make("shift", p=_P, n=_PIXELS)),
        "figure-2": cost.crossbar(network, table_1.ALGORITHMS, costs.COUNTS),
        "figure-3": cost.fat_tree(
            network, table_1.ALGORITHMS, costs.COUNTS, values()["network"]["degradation"]
        ),
        "figure-8": _sweep(found),
        "direct-send": _mechanisms(found),
    }
    for item in runs():
        made[file_name(item)] = bandwidth.draw({f"{item}, simulated": found.bandwidths(item)})
    for name, matrix in measured.matrices(found.results).items():
        made[f"measured-{name}"] = bandwidth.draw({"measured": matrix})
    return made


def _sweep(found: Found) -> Figure:
    """Figure 8, with the published rates that the text prints."""
    figure, axes = empty(8.2, 4.6)
    for size, colour in _COLOURS.items():
        label = f"{size[0]}x{size[1]}, simulated by flows"
        axes.plot(sweep.COUNTS, found.sweep(size, "flows"), color=colour, lw=1.2, label=label)
    for run in runs().values():
        if run.order == "routing":
            colour = _COLOURS[run.size]
            label = "" if axes.collections else "published, in the colour of the size"
            axes.scatter(run.p, run.fps, 36, color=colour, edgecolors=BLACK, label=label, zorder=3)
    axes.set_xticks(range(ARITY, sweep.COUNTS[-1] + 1, ARITY))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("nodes (labelled: whole leaf switches)")
    axes.set_ylabel("frames/s")
    title = f"Figure 8: shift on {sweep.COUNTS[0]} to {sweep.COUNTS[-1]} nodes, routing order"
    axes.set_title(title, loc="left", fontsize=11)
    axes.grid(color="#e4e4e4")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=9)
    return figure


def _mechanisms(found: Found) -> Figure:
    """A panel a published run; a bar a mechanism; a line at the published rate."""
    cases = direct_send()
    shown = [each for each in MECHANISMS if found.direct_send(each, cases[0])]
    figure = Figure(figsize=(10.4, 1.5 + 0.33 * len(shown)), layout="constrained")
    grid = figure.subplots(1, len(cases), sharey=True, squeeze=False)[0]
    for axes, case in zip(grid, cases, strict=True):
        for place, mechanism in enumerate(shown):
            rates = found.direct_send(mechanism, case)
            if rates:
                axes.barh(place, mean(rates), 0.7, color=BLUE)
                axes.text(mean(rates), place, f" {mean(rates):.1f}", va="center", fontsize=8)
        axes.axvline(case.fps, color=VERMILION, lw=1.2)
        axes.set_title(_case(case), fontsize=9, color=VERMILION)
        axes.set_xlim(0, 18)
        axes.set_xlabel("frames/s", fontsize=9)
        axes.tick_params(axis="x", labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines["left"].set_color(GREY)
    grid[0].set_yticks(range(len(shown)), [each.text for each in shown], fontsize=8)
    grid[0].invert_yaxis()
    return figure


def _case(case: DirectSend) -> str:
    return f"{case.p} nodes\n{case.order} order\npublished {case.fps:g}"
