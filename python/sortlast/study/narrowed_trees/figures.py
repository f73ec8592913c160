"""Figures 6 and 7 of Navaridas et al."""

from __future__ import annotations

from matplotlib.figure import Figure

from sortlast.plot.study import normalized_times
from sortlast.study.narrowed_trees.networks import SETS
from sortlast.study.narrowed_trees.performance import Times
from sortlast.study.narrowed_trees.workloads import PATTERNS, size_name

_TITLES = {
    "a": "Figure 6: normalized time of each traffic pattern, networks of same size (4096 nodes)",
    "b": "Figure 7: normalized time of each traffic pattern, networks of same radix (12 ports)",
}


def figure(times: Times, which: str) -> Figure:
    """Figure 6 for set "a", Figure 7 for set "b"."""
    blocks = {net.name: times.block(which, net) for net in SETS[which]}
    return normalized_times(blocks, PATTERNS, [size_name(size) for size in times.sizes], _TITLES[which])
