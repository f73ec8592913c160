"""The pictures of the study, like the paper's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from sortlast.plot import activity, save, schedule
from sortlast.plot.figure import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, empty
from sortlast.study.radix_k import cluster, live, profile, scaling, vectors
from sortlast.study.radix_k.published import published, radix_k, text
from sortlast.study.study import Results

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
_LEAST_OF_FIGURE_7 = 50  # of its scale [ms], below all points


def draw_all(results: Results, folder: Path) -> None:
    """Draw every picture of the report into a folder, as PNG and SVG."""
    pictures = {
        "figure-1": figure_1(results),
        "figure-2": schedule.draw(radix_k(12, 12 * 1024, (4, 3))),
        "figure-4": figure_4(results),
        "figure-5": figure_5(results),
        "figure-6": figure_6(results),
        "figure-7": figure_7(results),
    }
    for source in ("simulated", "measured"):
        shown = published()["figure_3"]["shown"]
        for algorithm, events in profile.events(results, source).items():
            pictures[f"figure-3-{source}-{algorithm}"] = activity.draw(events[:shown])
    for name, figure in pictures.items():
        for suffix in ("png", "svg"):
            save(figure, folder / f"{name}.{suffix}")


def figure_1(results: Results) -> Figure:
    """Frames measured here: over numbers of ranks, and over sizes of images."""
    figure, (left, right) = _pair(9.5, 4)
    counts = {float(p): times for p, times in live.by_ranks(results).items() if "MPI_Reduce" in times}
    _curves(left, counts)
    left.set_xlabel("ranks")
    left.set_ylabel("time of a frame [ms]")
    left.set_title("numbers of ranks", fontsize="medium")
    _curves(right, live.by_size(results))
    right.set_xlabel("megapixels")
    right.set_title(f"sizes of images, {live.ranks_of(results, 'sizes')} ranks", fontsize="medium")
    right.legend(frameon=False, fontsize="small")
    return figure


def figure_4(results: Results) -> Figure:
    """Simulated frames of both algorithms over powers of two, a panel for two sizes each."""
    figure, panels = _pair(9.5, 4.2, one_scale=False)
    found = [point for point in scaling.points(results) if point.mapped]
    sizes = sorted({point.megapixels for point in found})
    half = -(-len(sizes) // 2)
    for axes, own in zip(panels, (sizes[:half], sizes[half:]), strict=True):
        for size in own:
            points = [point for point in found if point.megapixels == size]
            at = [point.processes for point in points]
            colour = _SIZE_COLOURS[size]
            swap, radix = [1e3 * p.binary_swap for p in points], [1e3 * p.radix_k for p in points]
            axes.plot(at, swap, "--o", color=colour, label=f"binary swap, {size} Mpixel", markersize=4)
            axes.plot(at, radix, "-s", color=colour, label=f"radix-k, {size} Mpixel", markersize=4)
        if own:
            _powers(axes, [point.processes for point in found])
            axes.set_ylim(0)
            axes.legend(frameon=False, fontsize="small")
            axes.set_xlabel("processes")
        else:
            axes.set_axis_off()
    panels[0].set_ylabel("simulated time [ms]")
    return figure


def figure_5(results: Results) -> Figure:
    """Simulated frames over all numbers of processes, and binary swap at powers of two."""
    figure, panels = _pair(9.5, 4)
    at = published()["figure_5"]
    swaps = {
        point.processes: 1e3 * point.binary_swap
        for point in scaling.points(results)
        if point.mapped and point.megapixels == at["megapixels"]
    }
    found = scaling.counts(results)
    parts = [p for p in found if p <= at["until"]], [p for p in found if p >= at["until"]]
    for axes, own in zip(panels, parts, strict=True):
        for mapping, colour in (("none", SKY), ("blocks", VERMILION)):
            label = "radix-k" + (", blocks of 2x2x2" if mapping == "blocks" else ", no mapping")
            axes.plot(own, [1e3 * found[p][mapping] for p in own], "-o", color=colour, label=label, ms=3)
        shown = [p for p in swaps if min(own) <= p <= max(own)]
        axes.plot(shown, [swaps[p] for p in shown], "D", color=BLUE, label="binary swap, blocks of 2x2x2")
        axes.set_xlabel("processes")
    panels[0].set_ylim(0)
    panels[0].set_ylabel("simulated time [ms]")
    panels[0].legend(frameon=False, fontsize="small", loc="lower right")
    return figure


def figure_6(results: Results) -> Figure:
    """All k vectors, on mesh and torus, and in blocks."""
    figure, panels = _pair(11, 5)
    labels = [f"[{text(k).replace(',', ' ')}]" for k in vectors.seconds(results, "torus")]
    for axes, curves in zip(
        panels, (("mesh", "torus"), ("torus", "4x4x4 blocks", "2x2x2 blocks")), strict=True
    ):
        for curve in curves:
            label = "no mapping" if len(curves) == 3 and curve == "torus" else curve
            times = [1e3 * each for each in vectors.seconds(results, curve).values()]
            axes.plot(times, "-o", color=_CURVE_COLOURS[curve], label=label, markersize=3)
        axes.set_xticks(range(len(labels)), labels, rotation=90, fontsize=6.5)
        axes.grid(axis="y", color=GREY, alpha=0.25)
        axes.legend(frameon=False, fontsize="small", loc="lower left")
    panels[0].set_ylim(0)
    panels[0].set_ylabel("simulated time [ms]")
    return figure


def figure_7(results: Results) -> Figure:
    """The switch: every number of processes, and the best-fit lines of three categories."""
    figure, panels = _pair(9.5, 4.2)
    found = cluster.times(results)
    for axes, method in zip(panels, ("packets", "flows"), strict=True):
        for which, colour in _GROUP_COLOURS.items():
            own = [p for p in found if cluster.group(p) == which]
            axes.plot(own, [1e3 * found[p][method] for p in own], "o", color=colour, label=which, ms=4)
            if which != "others":
                ends = [own[0], own[-1]]
                fitted = [1e3 * cluster.on_line(found, which, method, p) for p in ends]
                axes.plot(ends, fitted, color=colour, linewidth=1)
        axes.set_title(f"simulated: {method}", fontsize="medium")
        axes.set_xlabel("processes")
    panels[0].set_ylim(_LEAST_OF_FIGURE_7)
    panels[0].set_ylabel("simulated time [ms]")
    panels[1].legend(frameon=False, fontsize="small", loc="lower right")
    return figure


def _pair(width: float, height: float, *, one_scale: bool = True) -> tuple[Figure, Sequence[Axes]]:
    """Two panels side by side, by default with one scale upward."""
    figure, axes = empty(width, height)
    axes.remove()
    panels = figure.subplots(1, 2, sharey=one_scale)
    for each in panels:
        each.spines[["top", "right"]].set_visible(False)
    return figure, panels


def _curves(axes: Axes, times: Mapping[float, Mapping[str, float]]) -> None:
    """A curve for each of what was measured, with logarithmic scales."""
    for name, colour in _LIVE_COLOURS.items():
        own = [at for at in times if name in times[at]]
        axes.plot(own, [times[at][name] for at in own], "-o", color=colour, label=name, markersize=4)
    _powers(axes, list(times))
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _powers(axes: Axes, values: Sequence[float]) -> None:
    """A scale of powers of two with a mark at each value."""
    marks = sorted(set(values))
    axes.set_xscale("log", base=2)
    axes.set_xticks(marks, [f"{value:g}" for value in marks], fontsize="small")
    axes.xaxis.set_minor_formatter(NullFormatter())
