"""Communication time over the number of ranks: Figures 2 and 3 of the shift paper, and more curves.

Source: section 4 of Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand
Fat-Trees" (2012). Figure 2 is for an ideal crossbar, on which every algorithm has the full bandwidth; Figure
3 for a real fat-tree, on which only patterns that its routing serves without contention have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from sortlast.cost import Network, communication_time
from sortlast.plot.figure import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, empty

# Patterns that fat-tree routing serves without contention if the ranks are listed in routing order.
CONTENTION_FREE = frozenset({"shift", "parallel-pipeline"})

_STYLES = {
    "direct-send": (VERMILION, "s", "-"),
    "binary-swap": (BLUE, "o", "-"),
    "2-3-swap": (PURPLE, "D", "--"),
    "radix-k": (GREEN, "^", "-"),
    "parallel-pipeline": (SKY, "P", "-"),
    "shift": (BLACK, "o", "-"),
    "tree": (ORANGE, "x", ":"),
}
_LABELS = {"2-3-swap": "2-3-swap (published bound)"}


def crossbar(network: Network, names: Sequence[str], counts: Iterable[int], *, titled: bool = True) -> Figure:
    """Figure 2: ``names`` over ``counts`` ranks, all with the full bandwidth; ``titled``: add a title."""
    return _draw(dict.fromkeys(names, network), list(counts), "Ideal crossbar" if titled else "")


def fat_tree(
    network: Network,
    names: Sequence[str],
    counts: Iterable[int],
    degradation: float,
    *,
    titled: bool = True,
) -> Figure:
    """Figure 3: all except :data:`CONTENTION_FREE` lose the fraction ``degradation`` of the bandwidth.

    ``titled``: add a title that states it, for pictures without a caption.
    """
    slow = network.degraded(degradation)
    networks = {name: network if name in CONTENTION_FREE else slow for name in names}
    title = f"Fat-tree, contention takes {degradation:.0%} of the bandwidth" if titled else ""
    return _draw(networks, list(counts), title)


def _draw(networks: dict[str, Network], counts: list[int], title: str) -> Figure:
    figure, axes = empty(7.2, 4.4)

    # Draw coinciding curves as one, with all their names.
    curves: dict[tuple[float, ...], list[str]] = {}
    for name, network in networks.items():
        times = tuple(1e3 * communication_time(name, p, network) for p in counts)
        curves.setdefault(times, []).append(name)
    width = 0.8 + 0.6 * len(curves)  # each narrower than its predecessor, so that none is hidden
    for times, names in curves.items():
        colour, marker, line = _STYLES.get(names[-1], (BLACK, ".", "-"))
        label = ", ".join(_LABELS.get(name, name) for name in names)
        axes.plot(counts, times, line, color=colour, marker=marker, ms=width + 2.5, lw=width, label=label)
        width -= 0.6

    network = next(iter(networks.values()))
    axes.set_xscale("log", base=2)
    axes.set_xticks(counts)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda p, _: f"{p:g}"))
    axes.tick_params(axis="x", labelrotation=45)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ranks p")
    axes.set_ylabel("communication time [ms]")
    if title:
        image = f"{network.n:,} pixels of {network.pixel_bytes} bytes"
        axes.set_title(f"{title}; {image}", loc="left", fontsize=11)
    axes.grid(axis="y", color="#e4e4e4")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="lower right", fontsize=9)
    return figure
