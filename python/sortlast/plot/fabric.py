"""A fabric at one stage of a pattern: switches by level, every direction of every link coloured by its flows.

The same picture as the page of :mod:`sortlast.page`, for print. The upper half of a host's square is what it
sends, the lower half what it receives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from sortlast.plot.figure import GREY

if TYPE_CHECKING:
    from sortlast.fabric.scene import Scene

# Least flows of a class, its colour (as on the page), the width of its lines, and what it is called.
_CLASSES = (
    (0, "#d3d8de", 0.3, "none"),
    (1, "#2b78b5", 0.5, "1"),
    (2, "#d79a00", 0.9, "2"),
    (3, "#e06a00", 1.3, "3 to 4"),
    (5, "#c81e1e", 1.7, "5 to 8"),
    (9, "#7d1470", 2.1, "9 or more"),
)
_PIXELS_PER_INCH = 120
_APART = 1.1  # of the two directions of a link from its middle
_CAPTION = 46  # height of the lines below the picture


def draw(scene: Scene, loads: NDArray[np.int32], stage: str) -> Figure:
    """Draw a scene with the flows on each channel; ``stage`` names what they are."""
    layout = scene.layout
    figure = Figure(
        figsize=(layout.width / _PIXELS_PER_INCH, (layout.height + 2 * _CAPTION) / _PIXELS_PER_INCH)
    )
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, layout.width)
    axes.set_ylim(layout.height + _CAPTION, -_CAPTION)
    axes.set_axis_off()
    kinds = np.searchsorted([least for least, *_ in _CLASSES], loads, side="right") - 1
    _links(axes, scene, kinds)
    _hosts(axes, scene, kinds)
    _boxes(axes, scene)
    plain: dict[str, Any] = {"va": "top", "parse_math": False}
    axes.text(8, -_CAPTION + 6, f"{scene.title}: {scene.caption}", fontsize=10, **plain)
    axes.text(8, -_CAPTION + 28, f"{stage}. {scene.verdict}", fontsize=8, color="#444444", **plain)
    _legend(axes)
    return figure


def _links(axes: Axes, scene: Scene, kinds: NDArray[np.intp]) -> None:
    """Both directions of the links between switches, the fullest in front."""
    lines = np.array(scene.layout.links, float).reshape(-1, 2, 2)
    along = lines[:, 1] - lines[:, 0]
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)
    aside = _APART * np.stack([-along[:, 1], along[:, 0]], axis=1) / length[:, None]
    channels = np.array(scene.links, int).reshape(-1, 2)
    both = np.concatenate([lines + aside[:, None], lines - aside[:, None]])
    carried = kinds[np.concatenate([channels[:, 0], channels[:, 1]])]
    for k, (_, colour, width, name) in enumerate(_CLASSES):
        axes.add_collection(
            LineCollection(list(both[carried == k]), colors=colour, linewidths=width, gid=f"links {name}")
        )


def _hosts(axes: Axes, scene: Scene, kinds: NDArray[np.intp]) -> None:
    back = dict(scene.cables)
    halves, colours, frames = [], [], []
    size = scene.layout.cell
    for host, (x, y) in enumerate(scene.layout.hosts):
        for channel, top in ((host, y), (back[host], y + size / 2)):
            halves.append(Rectangle((x, top), size, size / 2))
            colours.append(_CLASSES[kinds[channel]][1])
        frames.append(Rectangle((x, y), size, size))
    axes.add_collection(PatchCollection(halves, facecolors=colours, edgecolors="none", gid="hosts"))
    axes.add_collection(PatchCollection(frames, facecolors="none", edgecolors="white", linewidths=0.6))


def _boxes(axes: Axes, scene: Scene) -> None:
    boxes = [Rectangle((x, y), width, height) for x, y, width, height in scene.layout.switches]
    axes.add_collection(
        PatchCollection(boxes, facecolors="white", edgecolors=GREY, linewidths=0.8, gid="switches", zorder=3)
    )
    for text, x, y in scene.layout.labels:
        axes.text(x, y, text, va="baseline", fontsize=7, color=GREY, parse_math=False)


def _legend(axes: Axes) -> None:
    handles: Sequence[Line2D] = [
        Line2D([], [], color=colour, linewidth=1 + 1.4 * width, label=name)
        for _, colour, width, name in _CLASSES
    ]
    axes.legend(
        handles=handles,
        title="flows on a link",
        loc="lower right",
        ncols=len(handles),
        frameon=False,
        fontsize=8,
        title_fontsize=8,
        alignment="right",
    )
