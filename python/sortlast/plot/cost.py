"""Communication time over the number of ranks: Figures 2 and 3 of the shift paper, and more curves.

Source: section 4 of Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand
Fat-Trees" (2012). Figure 2 is an ideal crossbar, where every algorithm has the full bandwidth; Figure 3
a real fat-tree, where only patterns that its routing serves without contention have it.

The paper counts n in pixels in Table 1, and gives beta = 0.53e-9 s "per data item". That is the time of
one byte at 1800 MiB/s, not of a pixel: with n in pixels the whole curve would lie at 9 ms, against the
172 ms a frame (5.8 frames/s at 1568 MB/s) that the paper measures for this image. So beta here is the
time of a pixel, its bytes over the bandwidth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from sortlast import schedule
from sortlast.plot.figure import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, empty

# Patterns that fat-tree routing serves without contention if the ranks are listed in its order.
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


@dataclass(frozen=True)
class Network:
    """What the curves are drawn for.

    ``n``: pixels of an image; ``pixel_bytes``; ``alpha``: seconds a message; ``bandwidth``: bytes a second;
    ``latency``: ``"per_message"`` or ``"per_round"``.
    """

    n: int
    pixel_bytes: int
    alpha: float
    bandwidth: float
    latency: str = "per_message"

    @property
    def beta(self) -> float:
        """Seconds a pixel."""
        return self.pixel_bytes / self.bandwidth

    def degraded(self, fraction: float) -> Network:
        """The same network with ``fraction`` of its bandwidth lost."""
        return Network(self.n, self.pixel_bytes, self.alpha, self.bandwidth * (1 - fraction), self.latency)


def communication_time(name: str, p: int, network: Network) -> float:
    """Seconds that algorithm ``name`` communicates for p ranks, by its closed form.

    Raises :class:`sortlast.Error` if the algorithm has no closed form.
    """
    timing = schedule.formula(
        name, p, network.n, alpha=network.alpha, beta=network.beta, gamma=0.0, latency=network.latency
    )
    return timing.wait


def crossbar(network: Network, names: Sequence[str], counts: Iterable[int]) -> Figure:
    """Figure 2: ``names`` over ``counts`` ranks, all with the full bandwidth."""
    return _draw(dict.fromkeys(names, network), list(counts), "Ideal crossbar")


def fat_tree(network: Network, names: Sequence[str], counts: Iterable[int], degradation: float) -> Figure:
    """Figure 3: all but :data:`CONTENTION_FREE` lose the fraction ``degradation`` of the bandwidth."""
    slow = network.degraded(degradation)
    networks = {name: network if name in CONTENTION_FREE else slow for name in names}
    return _draw(networks, list(counts), f"Fat-tree, contention takes {degradation:.0%} of the bandwidth")


def _draw(networks: dict[str, Network], counts: list[int], title: str) -> Figure:
    figure, axes = empty(7.2, 4.4)

    # Draw curves that coincide as one, with all their names.
    curves: dict[tuple[float, ...], list[str]] = {}
    for name, network in networks.items():
        times = tuple(1e3 * communication_time(name, p, network) for p in counts)
        curves.setdefault(times, []).append(name)
    width = 0.8 + 0.6 * len(curves)  # each narrower than the one before, so that none is hidden
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
    axes.set_title(f"{title}; {network.n:,} pixels of {network.pixel_bytes} bytes", loc="left", fontsize=11)
    axes.grid(axis="y", color="#e4e4e4")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="lower right", fontsize=9)
    return figure
