"""A fabric at one stage of a pattern, with every direction of every link coloured by its flows.

This is the picture on the page of :mod:`sortlast.page`, for print. The upper half of a host's square shows
sent flows, the lower half received ones; a group's frame has the colour of the worst load of its links.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from sortlast.fabric.layout import FONT
from sortlast.plot.figure import GREY
from sortlast.plot.fitting import fit, wrap

if TYPE_CHECKING:
    from sortlast.fabric.scene import Scene

# Minimum flows of a class, its colour (as on the page), the width of its lines, and its name.
_CLASSES = (
    (0, "#d3d8de", 0.3, "none"),
    (1, "#2b78b5", 0.5, "1"),
    (2, "#d79a00", 0.9, "2"),
    (3, "#e06a00", 1.3, "3 to 4"),
    (5, "#c81e1e", 1.7, "5 to 8"),
    (9, "#7d1470", 2.1, "9 or more"),
)
_PIXELS_PER_INCH = 120.0
_MOST_PIXELS = 2.2e6  # of a picture; larger ones have more pixels per inch
_APART = 1.1  # distance of the two directions of a link from its middle
_LEAST_WIDTH = 760.0  # of a picture, for the lines above it and the legend
_INK, _FAINT = "#1b1f24", "#444444"
_EDGE = 8.0  # left and right margin of text
_TITLE, _LINE = 17.0, 13.0  # font sizes in pixels: of the title and of other lines
_LEGEND = 46.0  # height of the legend

# Text above and below the picture, as lines of (text, size).
Text = list[tuple[str, float]]


def _grown(width: float, height: float) -> float:
    """Factor by which a picture of this size has more pixels per inch than usual."""
    return max(1.0, math.sqrt(width * height / _MOST_PIXELS))


def draw(scene: Scene, loads: NDArray[np.int32], stage: str) -> Figure:
    """Draw a scene with the flows on each channel; ``stage`` describes the stage in the caption."""
    layout = scene.layout
    width = max(layout.width, _LEAST_WIDTH)
    grown = _grown(width, layout.height + 200)
    above, below = _above(scene, stage, width, grown), _below(scene, width, grown)
    legend = _LEGEND * grown
    head, foot = _height(above), _height(below) + legend
    height = layout.height + head + foot
    inch = _PIXELS_PER_INCH * grown
    figure = Figure(figsize=(width / inch, height / inch))
    axes = figure.add_axes((0, 0, 1, 1))
    left = (width - layout.width) / 2
    axes.set_xlim(-left, width - left)
    axes.set_ylim(layout.height + foot, -head)
    axes.set_axis_off()
    kinds = _kinds(scene.worst_of_parts(loads))
    _links(axes, scene, kinds, layout.thin() / grown)
    _hosts(axes, scene, kinds)
    _boxes(axes, scene, scene.worst_of_boxes(loads), inch)
    _write(axes, above, (_EDGE - left, -head), inch, _INK)
    _write(axes, below, (_EDGE - left, layout.height + legend), inch, _FAINT)
    _legend(axes, (layout.height + foot, _height(below)))
    return figure


def _kinds(loads: NDArray[np.int32]) -> NDArray[np.intp]:
    """The class of each load."""
    return np.searchsorted([least for least, *_ in _CLASSES], loads, side="right") - 1


# --- the fabric -------------------------------------------------------------------------------------------


def _links(axes: Axes, scene: Scene, kinds: NDArray[np.intp], thin: float) -> None:
    """Draw both directions of the lines between boxes, the most loaded in front."""
    pieces = [(k, piece) for k, line in enumerate(scene.layout.links) for piece in line]
    number = np.array([k for k, _ in pieces], int)
    lines = np.array([piece for _, piece in pieces], float).reshape(-1, 2, 2)
    along = lines[:, 1] - lines[:, 0]
    # The two stubs of a link point away from each other, and their directions are on opposite sides.
    second = np.diff(number, prepend=-1) == 0
    along[second] *= -1
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)
    aside = _APART * np.stack([-along[:, 1], along[:, 0]], axis=1) / length[:, None]
    both = np.concatenate([lines + aside[:, None], lines - aside[:, None]])
    carried = kinds[np.concatenate([2 * number, 2 * number + 1])]
    for k, (_, colour, width, name) in enumerate(_CLASSES):
        axes.add_collection(
            LineCollection(
                list(both[carried == k]), colors=colour, linewidths=width * thin, gid=f"links {name}"
            )
        )


def _hosts(axes: Axes, scene: Scene, kinds: NDArray[np.intp]) -> None:
    halves, colours, frames = [], [], []
    for number, (x, y, width, height) in enumerate(scene.layout.hosts):
        for part in (0, 1):
            halves.append(Rectangle((x, y + part * height / 2), width, height / 2))
            colours.append(_CLASSES[kinds[scene.square_part + 2 * number + part]][1])
        frames.append(Rectangle((x, y), width, height))
    axes.add_collection(PatchCollection(halves, facecolors=colours, edgecolors="none", gid="hosts"))
    axes.add_collection(PatchCollection(frames, facecolors="none", edgecolors="white", linewidths=0.6))


def _boxes(axes: Axes, scene: Scene, worst: NDArray[np.int32], inch: float) -> None:
    """Draw the boxes with their labels."""
    boxes = [Rectangle((x, y), width, height) for x, y, width, height in scene.layout.switches]
    frames: str | list[str] = GREY
    if not scene.groups.whole:
        frames = [_CLASSES[kind][1] for kind in _kinds(worst)]
    line = 0.8 if scene.groups.whole else 1.6
    axes.add_collection(
        PatchCollection(
            boxes, facecolors="white", edgecolors=frames, linewidths=line, gid="switches", zorder=3
        )
    )
    for slot in scene.layout.slots:
        x, y, width, height = slot.box
        texts = slot.texts
        if slot.group >= 0:
            texts = tuple(text.format(worst[slot.group]) for text in texts)
        text = fit(texts, height if slot.upright else width, FONT)
        if text:
            axes.text(
                x + width * {"left": 0, "center": 0.5, "right": 1}[slot.align],
                y + height / 2,
                text,
                ha=slot.align,
                va="center_baseline" if not slot.upright else "center",
                rotation=90 if slot.upright else 0,
                fontsize=72 * FONT / inch,
                color=GREY if slot.faint else _INK,
                parse_math=False,
                zorder=4,
                gid="label",
            )


# --- text around the picture --------------------------------------------------------------------------------


def _above(scene: Scene, stage: str, width: float, grown: float) -> Text:
    """Title, verdict, and the inputs of the picture."""
    room = width - 2 * _EDGE
    title, line = grown * _TITLE, grown * _LINE
    made = " \N{MIDDLE DOT} ".join(f"{name}: {value}" for name, value in scene.made)
    parts = [(f"{scene.title}: {scene.caption}", title), (f"{stage}. {scene.verdict}", line), (made, line)]
    if scene.note:
        parts.append((f"{scene.note}.", line))
    return [(each, size) for text, size in parts for each in wrap(text, room, size, 3)]


def _below(scene: Scene, width: float, grown: float) -> Text:
    """The command that reproduces the picture."""
    if not scene.command:
        return []
    size = grown * _LINE
    return [(line, size) for line in wrap(scene.command, width - 2 * _EDGE, size, 2)]


def _height(text: Text) -> float:
    return sum(1.45 * size for _, size in text) + (10 if text else 0)


def _write(axes: Axes, text: Text, place: tuple[float, float], inch: float, first: str) -> None:
    """Write lines from ``place`` down, with ``inch`` pixels per inch, the first one in its own colour."""
    x, y = place
    for number, (line, size) in enumerate(text):
        axes.text(
            x,
            y + 6,
            line,
            fontsize=72 * size / inch,
            color=_FAINT if number else first,
            va="top",
            parse_math=False,
            gid="line",
        )
        y += 1.45 * size


def _legend(axes: Axes, place: tuple[float, float]) -> None:
    """Draw the legend above the last lines of text; ``place`` is the lower edge and the lines' height."""
    bottom, lines = place
    handles: Sequence[Line2D] = [
        Line2D([], [], color=colour, linewidth=1 + 1.4 * width, label=name)
        for _, colour, width, name in _CLASSES
    ]
    shape: dict[str, Any] = {"ncols": len(handles), "frameon": False, "alignment": "right"}
    legend = axes.legend(
        handles=handles,
        title="flows on a link",
        loc="lower right",
        bbox_to_anchor=(axes.get_xlim()[1], bottom - lines),
        bbox_transform=axes.transData,
        borderaxespad=0.3,
        fontsize=8,
        title_fontsize=8,
        **shape,
    )
    legend.set_zorder(2)
