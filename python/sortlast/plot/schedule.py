"""A schedule drawn as in the papers: ranks in a row, stages downward, image pieces as coloured boxes.

A box is a rank after a stage. Its width spans the image's pixels, its height the depth positions from front
(top) to back (bottom). A rank therefore starts with one bar, its own image, and ends with full columns, its
finished pixels. A bar's colour is its original depth position. Arrows are transfers; they start below the
pixels that are sent and end above the pixels that arrive, which are outlined.

After Figure 1 of Cavin and Demengeon (2012) and Figure 2 of Peterka et al. (2009). With more than 16 ranks,
the first 16 are drawn; with more than 16 stages, the first 8 and the last 8. A short arrow names a peer
outside the picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from sortlast.plot.held import Move, Part, held, moves

if TYPE_CHECKING:
    from sortlast.schedule import Schedule

MAX_RANKS = 16
MAX_STAGES = 16

_PITCH = 1.3  # distance between ranks' boxes; a box is 1 x 1
_LEFT, _TOP = -1.15, 2.35  # edges of the picture; the first box has its lower left corner at (0, 0)
_INK = "#333333"
_KEY = "across: pixels; down: depth, front on top; outlined: just received"


def draw(schedule: Schedule, *, titled: bool = True) -> Figure:
    """Draw a schedule of p >= 1 ranks. Costs O(all steps of the schedule).

    ``titled``: add a title, for pictures without a caption.
    """
    stages = moves(schedule)
    states = held(schedule, stages)
    columns = min(schedule.p, MAX_RANKS)
    rows = _rows(len(stages))
    pitch = 1.75 + 0.12 * min(_most_sends(stages), 12)

    figure, axes = _canvas(columns, len(rows), pitch)

    # Draw the boxes, row by row, and the transfers to each row.
    for row, stage in enumerate(rows):
        if stage is None:
            axes.text(-0.25, -row * pitch + 0.5, "⋮", ha="right", va="center", fontsize=11)
            continue
        arrived = stages[stage - 1] if stage else []
        for rank in range(columns):
            _box(axes, _corner(rank, row, pitch), states[stage][rank], schedule)
        _outline(axes, [move for move in arrived if move.destination < columns], row, pitch, schedule)
        follows = row > 0 and rows[row - 1] is not None
        _arrows(axes, arrived if follows else [], row, columns, pitch, schedule)
        label = f"stage {stage}" if stage else "start"
        axes.text(-0.25, -row * pitch + 0.5, label, ha="right", va="center", fontsize=9, color=_INK)

    for rank in range(columns):
        axes.text(rank * _PITCH + 0.5, 1.15, f"$P_{{{rank}}}$", ha="center", va="bottom", fontsize=10)
    if titled:
        axes.text(_LEFT + 0.05, _TOP - 0.08, _title(schedule, columns, rows), va="top", fontsize=11)
    axes.text(_LEFT + 0.05, _TOP - 0.52, _KEY, va="top", fontsize=9, color="#4a4a4a")
    return figure


def _canvas(columns: int, rows: int, pitch: float) -> tuple[Figure, Axes]:
    """Axes that fill the figure, with the same scale in both directions."""
    right, bottom = max(columns * _PITCH, 5.2), -(rows - 1) * pitch - 0.2
    inches = min(0.8, 18 / (right - _LEFT))  # of a box's side
    figure = Figure(figsize=((right - _LEFT) * inches, (_TOP - bottom) * inches))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(_LEFT, right)
    axes.set_ylim(bottom, _TOP)
    axes.set_axis_off()
    return figure, axes


def _rows(stages: int) -> list[int | None]:
    """Stages to draw, with 0 for the start; None stands for omitted stages."""
    if stages <= MAX_STAGES:
        return list(range(stages + 1))
    half = MAX_STAGES // 2
    return [*range(half + 1), None, *range(stages - half + 1, stages + 1)]


def _most_sends(stages: list[list[Move]]) -> int:
    """Maximum number of transfers sent by one rank in one stage."""
    most = 0
    for stage in stages:
        counts: dict[int, int] = {}
        for move in stage:
            counts[move.source] = counts.get(move.source, 0) + 1
        most = max(most, *counts.values()) if counts else most
    return most


def _title(schedule: Schedule, columns: int, rows: list[int | None]) -> str:
    ranks = "1 rank" if schedule.p == 1 else f"{schedule.p} ranks"
    text = f"{schedule.name}, {ranks}, {schedule.n:,} pixels"
    if columns < schedule.p:
        text += f" (ranks 0 to {columns - 1}"
        text += ")" if None not in rows else f"; {len(rows) - 2} of {schedule.stage_count} stages)"
    elif None in rows:
        text += f" ({len(rows) - 2} of {schedule.stage_count} stages)"
    return text


def _corner(rank: int, row: int, pitch: float) -> tuple[float, float]:
    """Lower left corner of a rank's box."""
    return rank * _PITCH, -row * pitch


def _rectangle(
    corner: tuple[float, float], part: Part, schedule: Schedule, depth: int | None = None
) -> Rectangle:
    """A part within the box at ``corner``; with ``depth``, only this depth position."""
    first, last = (part.first, part.last) if depth is None else (depth, depth + 1)
    n, p = max(schedule.n, 1), schedule.p
    return Rectangle(
        (corner[0] + part.begin / n, corner[1] + 1 - last / p),
        (part.end - part.begin) / n,
        (last - first) / p,
    )


def _box(axes: Axes, corner: tuple[float, float], parts: list[Part], schedule: Schedule) -> None:
    axes.add_patch(Rectangle(corner, 1, 1, facecolor="#f4f4f4", edgecolor="#b8b8b8", lw=0.7))
    bars = [(part, depth) for part in parts for depth in range(part.first, part.last)]
    collection = PatchCollection([_rectangle(corner, part, schedule, depth) for part, depth in bars])
    collection.set_facecolor([depth_colour(depth, schedule.p) for _, depth in bars])
    collection.set_gid("pieces")
    axes.add_collection(collection)


def depth_colour(depth: int, p: int) -> tuple[float, float, float, float]:
    """The colour of a depth position, from blue (front) to red (back)."""
    return to_rgba(colormaps["turbo"](0.08 + 0.84 * depth / max(p - 1, 1)))


def _darker(colour: tuple[float, float, float, float]) -> tuple[float, float, float]:
    """The same hue, dark enough for a thin line on white."""
    red, green, blue, _ = colour
    return 0.72 * red, 0.72 * green, 0.72 * blue


def _outline(axes: Axes, arrived: list[Move], row: int, pitch: float, schedule: Schedule) -> None:
    """Outline the parts that have arrived in this row."""
    line = 0.8 if schedule.p <= MAX_RANKS else 0.3
    patches = [_rectangle(_corner(move.destination, row, pitch), move.part, schedule) for move in arrived]
    axes.add_collection(PatchCollection(patches, facecolor="none", edgecolor=_INK, lw=line))


def _arrows(
    axes: Axes, arrived: list[Move], row: int, columns: int, pitch: float, schedule: Schedule
) -> None:
    """Draw the transfers between the row above and this one, in the colour of the foremost image in them."""
    for move in arrived:
        middle = (move.part.begin + move.part.end) / 2 / max(schedule.n, 1)
        colour = _darker(depth_colour(move.part.first, schedule.p))
        start = (move.source * _PITCH + middle, -(row - 1) * pitch - 0.03)
        end = (move.destination * _PITCH + middle, -row * pitch + 1.03)
        if move.source < columns and move.destination < columns:
            _arrow(axes, start, end, colour)
        elif move.source < columns:
            _arrow(axes, start, (start[0], start[1] - 0.22), colour)
            axes.text(start[0], start[1] - 0.26, str(move.destination), ha="center", va="top", fontsize=5)
        elif move.destination < columns:
            _arrow(axes, (end[0], end[1] + 0.22), end, colour)
            axes.text(end[0], end[1] + 0.24, str(move.source), ha="center", va="bottom", fontsize=5)


def _arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: tuple[float, float, float]
) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=6,
            lw=0.7,
            color=colour,
            shrinkA=0,
            shrinkB=0,
            gid="transfer",
        )
    )
