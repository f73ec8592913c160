"""Pictures of a simulated run: utilisation of links, occupation of buffers, delays of packets."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter
from numpy.typing import NDArray

from sortlast.plot.figure import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, empty
from sortlast.simulate.links import LinkClass

_GRID = "#e4e4e4"
_LEVELS = (GREY, BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION)  # of buffers, by level of the switch
_WIDE = 20  # ratio of maximum to minimum delay from which the axis is logarithmic
_OCTAVE_PARTS = 8  # bins per octave on a logarithmic axis
_BARS = 80  # max number of bars on a linear axis
_NUMBER = FuncFormatter(lambda value, _: f"{value:,g}")
_SHORT = FuncFormatter(lambda value, _: f"{value:,.10g}")


def links(classes: Sequence[LinkClass], busy: NDArray[np.float64], title: str) -> Figure:
    """One row for each class of links: the fraction of time in which they are busy.

    ``busy`` is by channel, 0 to 1. The thin line spans all links of a class, the thick line the 5th to the
    95th percentile; the dot is the mean.
    """
    figure, axes = empty(8.4, 1.5 + 0.36 * len(classes))
    names = [f"{each.name} ({len(each.channels):,})" for each in classes]
    for row, each in enumerate(classes):
        least, low, high, most = np.percentile(busy[each.channels], (0, 5, 95, 100))
        axes.hlines(row, least, most, colors=SKY, linewidth=2, gid="all")
        axes.hlines(row, low, high, colors=SKY, linewidth=8, gid="most")
        axes.plot(busy[each.channels].mean(), row, "o", color=BLUE, markersize=5)
    axes.set_yticks(range(len(classes)), names)
    axes.set_ylim(len(classes) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel("time in which a link is busy (thin: all links; thick: 5 % to 95 % of them; dot: mean)")
    axes.grid(axis="x", color=_GRID)
    axes.set_axisbelow(True)
    axes.set_title(title, loc="left", fontsize=10)
    return figure


def sweep(ranks: Sequence[int], seconds: Sequence[float], title: str) -> Figure:
    """The time of a run over its number of ranks; both axes are logarithmic if ranks at least double."""
    figure, axes = empty(8.4, 4.2)
    axes.plot(ranks, [1e3 * each for each in seconds], "o-", color=BLUE, markersize=4)
    if len(ranks) > 2 and ranks[-1] - ranks[-2] > ranks[1] - ranks[0] and min(seconds) > 0:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(ranks)
        axes.xaxis.set_minor_formatter(NullFormatter())
        # Label values between the powers of ten too, as few powers lie in the range.
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    axes.xaxis.set_major_formatter(_NUMBER)
    axes.yaxis.set_major_formatter(_SHORT)
    axes.set_xlabel("ranks")
    axes.set_ylabel("time [ms]")
    axes.grid(color=_GRID)
    axes.set_axisbelow(True)
    axes.set_title(title, loc="left", fontsize=10)
    return figure


def buffers(occupation: NDArray[np.int64], title: str) -> Figure:
    """The packets in the buffers of switches over time, one band per level of switches.

    ``occupation`` is taken from a run: the cycle, then the packets by level.
    """
    figure, axes = empty(8.4, 4.2)
    cycles, packets = occupation[:, 0], occupation[:, 1:]
    levels = [level for level in range(packets.shape[1]) if level > 0 or packets.shape[1] == 1]
    names = ["switches" if level == 0 else f"level {level}" for level in levels]
    colours = [_LEVELS[level % len(_LEVELS)] for level in levels]
    axes.stackplot(cycles, *(packets[:, level] for level in levels), labels=names, colors=colours)
    axes.set_xlim(cycles[0], max(cycles[-1], cycles[0] + 1))
    axes.xaxis.set_major_formatter(_NUMBER)
    axes.yaxis.set_major_formatter(_NUMBER)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("cycle")
    axes.set_ylabel("packets in buffers")
    axes.grid(axis="y", color=_GRID)
    axes.set_axisbelow(True)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside right upper", frameon=False, fontsize=9)
    axes.set_title(title, loc="left", fontsize=10)
    return figure


def delays(bins: NDArray[np.int64], marks: Sequence[tuple[str, float]], title: str) -> Figure:
    """The histogram of the packets' delays, in which areas are numbers of packets.

    ``bins`` are taken from a run; ``marks`` are named delays, such as the mean.
    """
    figure, axes = empty(8.4, 4.2)
    wide = len(bins) > 0 and bins[-1, 1] > _WIDE * max(bins[0, 0], 1)
    if len(bins) > 0:
        edges, counts = _merged(bins, wide)
        widths = np.diff(_OCTAVE_PARTS * np.log2(np.maximum(edges, 1))) if wide else np.diff(edges)
        axes.stairs(counts / widths, edges, fill=True, color=SKY, gid="packets")
    for (name, value), colour in zip(marks, (BLUE, VERMILION, GREEN), strict=False):
        axes.axvline(value, color=colour, linewidth=1.2, label=f"{name} {value:,.0f}")
    if wide:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(_NUMBER)
    axes.yaxis.set_major_formatter(_NUMBER)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("delay of a packet [cycles]")
    axes.set_ylabel(
        f"packets in 1/{_OCTAVE_PARTS} of an octave" if wide else "packets for each cycle of delay"
    )
    axes.grid(axis="y", color=_GRID)
    axes.set_axisbelow(True)
    figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    axes.set_title(title, loc="left", fontsize=10)
    return figure


def loads(rows: Sequence[tuple[str, float, float, float | None]], title: str) -> Figure:
    """Accepted load and packet delay over the offered load; one curve per name.

    ``rows``: name, offered load, accepted load, mean delay in cycles (None: no packet arrived).
    """
    figure = Figure(figsize=(8.4, 3.8), layout="constrained")
    throughput, delay = figure.subplots(1, 2)
    names = list(dict.fromkeys(name for name, *_ in rows))
    for name, colour in zip(names, itertools.cycle((BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, GREY))):
        own = sorted((row[1:] for row in rows if row[0] == name), key=lambda row: row[0])
        offered = [row[0] for row in own]
        throughput.plot(offered, [row[1] for row in own], "o-", color=colour, markersize=3, label=name)
        known = [(row[0], row[2]) for row in own if row[2] is not None]
        delay.plot([x for x, _ in known], [y for _, y in known], "o-", color=colour, markersize=3)
    throughput.set_ylabel("accepted load")
    delay.set_ylabel("mean delay of a packet [cycles]")
    delay.set_yscale("log")
    delay.yaxis.set_major_formatter(_NUMBER)
    for axes in (throughput, delay):
        axes.set_xlim(0, 1)
        axes.set_xlabel("offered load")
        axes.grid(color=_GRID)
        axes.set_axisbelow(True)
    throughput.set_ylim(0, 1)
    figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def _merged(bins: NDArray[np.int64], wide: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merge bins: into about equal parts of an octave if ``wide``, else into equal widths."""
    if wide:
        place = np.floor(_OCTAVE_PARTS * np.log2(np.maximum(bins[:, 0], 1))).astype(np.int64)
    else:
        step = -(-int(bins[-1, 1] + 1 - bins[0, 0]) // _BARS)
        place = (bins[:, 0] - bins[0, 0]) // step
    first = np.flatnonzero(np.diff(place, prepend=-1))
    return np.append(bins[first, 0], bins[-1, 1] + 1), np.add.reduceat(bins[:, 2], first)
