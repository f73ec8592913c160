"""Figures 1 to 4 of Navaridas et al., drawn from the topologies and from runs of the patterns."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sortlast import fabric, simulate
from sortlast.fabric import Topology
from sortlast.plot.figure import BLACK, BLUE, GREY
from sortlast.plot.panels import panels

_TREES = {  # Figure 1
    "a) 4,3-fat-tree": fabric.thin_tree(4, 4, 3),
    "b) 4:2,3-thin-tree": fabric.thin_tree(4, 2, 3),
    "c) 4:2,4-slender-tree": fabric.slender_tree(4, 2, 4),
}
_PARTLY = {  # Figure 3, with 40 or 64 central nodes in use
    "4,3-fat-tree": (fabric.thin_tree(4, 4, 3), 40),
    "4:2,4-thin-tree": (fabric.thin_tree(4, 2, 4), 40),
    "4:2,5-slender-tree": (fabric.slender_tree(4, 2, 5), 40),
}
_PATTERNS = {
    "a) 2W": ("2W", 9),
    "b) 2M": ("2M", 16),
    "c) BU": ("BU", 8),
    "d) BT": ("BT", 8),
    "e) WF": ("WF", 9),
}
_PACKET = 64  # bytes


def trees() -> Figure:
    """Figure 1: the switches of small trees, level above level, and the links between them."""
    figure, grid = panels(9, 2.6, 1, len(_TREES))
    for axes, (name, tree) in zip(grid.flat, _TREES.items(), strict=True):
        _tree(axes, tree, np.ones(tree.vertices, dtype=bool))
        axes.set_xlabel(name)
    return figure


def partly_used() -> Figure:
    """Figure 3: the parts of larger trees that central nodes use, dark; all else light."""
    figure, grid = panels(9, 2.8, 1, len(_PARTLY))
    for axes, (name, (tree, tasks)) in zip(grid.flat, _PARTLY.items(), strict=True):
        hosts = len(tree.hosts)
        first = (hosts - tasks) // 2
        used = np.zeros(tree.vertices, dtype=bool)
        used[first : first + tasks] = True
        for _ in range(tree.levels):
            for link in tree.links:
                low, high = sorted((link.a, link.b), key=lambda vertex: _level(tree, vertex))
                used[high] |= used[low]
        _tree(axes, tree, used)
        axes.set_xlabel(f"{name}: {tasks} of {hosts} nodes")
    return figure


def switch(ports: int = 4, queue: int = 4) -> Figure:
    """Figure 2: input ports with a queue of some packets each, and output ports with an arbiter each."""
    figure, grid = panels(5, 2.6)
    axes = grid[0, 0]
    for port in range(ports):
        y = ports - port
        for place in range(queue):
            axes.add_patch(Rectangle((1 + 0.35 * place, y - 0.2), 0.35, 0.4, fill=False, edgecolor=BLACK))
        axes.annotate("", (1, y), (0.4, y), arrowprops={"arrowstyle": "->"})
        axes.add_patch(Rectangle((5, y - 0.25), 1.1, 0.5, fill=False, edgecolor=BLUE))
        axes.text(5.55, y, "arbiter", ha="center", va="center", fontsize="small")
        axes.annotate("", (6.8, y), (6.1, y), arrowprops={"arrowstyle": "->"})
        for other in range(ports):
            axes.plot([1 + 0.35 * queue, 5], [y, ports - other], color=GREY, linewidth=0.6, zorder=0)
    axes.text(0.3, ports + 0.6, f"input ports, a queue of {queue} packets each", fontsize="small")
    axes.text(6.9, ports + 0.6, "output ports", ha="right", fontsize="small")
    axes.set_xlim(0, 7.2)
    axes.set_ylim(0.4, ports + 1)
    axes.set_axis_off()
    return figure


def patterns() -> Figure:
    """Figure 4: messages of one packet among few tasks on a crossbar, from their sender to their receiver."""
    figure, grid = panels(9, 4.6, 2, 3)
    for axes, (title, (name, tasks)) in zip(grid.flat, _PATTERNS.items(), strict=False):
        sent = simulate.pattern(name, tasks, _PACKET)
        run = simulate.packet(fabric.crossbar(tasks), sent, message_log=True, arbitration="round-robin")
        for message, _, start, end in run.message_log:
            ends = (start, end), (sent.source[message], sent.destination[message])
            axes.plot(*ends, color=BLUE, linewidth=0.8, marker=".", markersize=3)
        axes.set_title(title, fontsize="medium", loc="left")
        axes.set_xlabel("cycle")
        axes.set_ylabel("task")
        axes.invert_yaxis()
        axes.yaxis.get_major_locator().set_params(integer=True)
    grid.flat[-1].set_axis_off()
    return figure


def _level(tree: Topology, vertex: int) -> int:
    hosts = len(tree.hosts)
    return 0 if vertex < hosts else tree.switches[vertex - hosts].level


def _tree(axes: Axes, tree: Topology, used: np.ndarray) -> None:
    """The switches of a tree as boxes, each level spread over the whole width, and their links."""
    hosts = len(tree.hosts)
    levels = np.array([switch.level for switch in tree.switches])
    place = np.zeros((len(levels), 2))
    for level in range(1, tree.levels + 1):
        here = np.flatnonzero(levels == level)
        place[here, 0] = (np.arange(len(here)) + 0.5) / len(here)
        place[here, 1] = level
    between = [(link.a - hosts, link.b - hosts) for link in tree.links if min(link.a, link.b) >= hosts]
    dark = used[hosts:]
    for shown, colour in ((False, "#c8ccd2"), (True, BLACK)):
        lines = [place[list(pair)] for pair in between if bool(dark[list(pair)].all()) == shown]
        axes.add_collection(LineCollection(lines, colors=colour, linewidths=0.5, zorder=1 + shown))
        x, y = place[dark == shown].T
        axes.scatter(x, y, s=14, marker="s", color=colour, zorder=3 + shown)
    axes.set_xlim(0, 1)
    axes.set_ylim(0.6, tree.levels + 0.4)
    axes.set_xticks([])
    axes.set_yticks(range(1, tree.levels + 1))
    axes.set_ylabel("level")
    axes.spines[["bottom", "left"]].set_visible(False)
