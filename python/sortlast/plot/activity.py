"""The timeline of a run: ranks downward, time to the right, activities as coloured bars.

After the Jumpshot pictures of Peterka et al., "A Configurable Algorithm for Parallel Image-Compositing
Applications" (2009), Figure 3. The upper part of a rank's row is its thread of control (blending, waiting),
the lower part its sends in flight, drawn over each other; lines join the two ends of messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sortlast import overlap
from sortlast.plot.figure import BLUE, GREEN, ORANGE, PURPLE, YELLOW, empty, save
from sortlast.trace import Event, messages

COLOURS = {
    "agree": PURPLE,
    "search": ORANGE,
    "wait": "#f3b9a4",
    "blend": BLUE,
    "send": GREEN,
    "gather": YELLOW,
}
_SECOND_BLEND = "#3f97d3"
_ALPHA = {"send": 0.5}  # sends overlap
_LEGEND_COLUMNS = 4  # more entries take two rows
_MOST_LINES = 600  # more messages would hide the bars
_UPPER, _LOWER = (-0.4, 0.12), (0.16, 0.38)  # a row's bars, from its middle, downward


def timeline(events: Sequence[Sequence[Event]], path: str | Path) -> None:
    """Draw events by rank (``events[rank]``) and save the picture; see :func:`draw`.

    If the path ends in ``.json``, like a trace, the picture is a PNG of the same name.
    """
    path = Path(path)
    save(draw(events), path.with_suffix(".png") if path.suffix.lower() == ".json" else path)


def draw(events: Sequence[Sequence[Event]]) -> Figure:
    """Draw events by rank. Times are milliseconds since the first event."""
    ranks = len(events)
    figure, axes = empty(9.5, min(max(1.7 + 0.32 * ranks, 2.8), 14))
    zero = min((event.begin for own in events for event in own), default=0.0)

    # Draw one collection of bars for each kind of event.
    shown = []
    for name, colour in COLOURS.items():
        bars = [(rank, event) for rank, own in enumerate(events) for event in own if event.activity == name]
        if not bars:
            continue
        _bars(axes, bars, zero, name, colour)
        label = f"{name} {1e3 * _busy(events, name):.3g} ms"
        if name == "blend":
            behind = sum(overlap.hidden(own) for own in events) / ranks
            label += f" ({1e3 * behind:.3g} behind messages)"
        shown.append(Patch(color=colour, alpha=_ALPHA.get(name), label=label))

    # Join the two ends of every message.
    paired = messages(events)
    if len(paired) <= _MOST_LINES:
        axes.add_collection(
            LineCollection(
                [
                    [
                        (1e3 * (message.send.begin - zero), message.source + sum(_LOWER) / 2),
                        (1e3 * (message.receive.end - zero), message.destination + sum(_UPPER) / 2),
                    ]
                    for message in paired
                ],
                colors="#222222",
                linewidths=0.5,
                alpha=min(0.55, max(0.12, 40 / max(len(paired), 1))),  # fainter if there are more
                gid="messages",
            )
        )

    last = max((event.end for own in events for event in own), default=zero)
    axes.set_xlim(0, max(1e3 * (last - zero) * 1.01, 1e-6))
    axes.set_ylim(ranks - 0.4, -0.6)
    axes.set_yticks(range(0, ranks, 1 + ranks // 33))
    axes.set_xlabel("time [ms]")
    axes.set_ylabel("rank")
    axes.legend(
        handles=shown,
        title="mean of the ranks",
        loc="lower left",
        bbox_to_anchor=(-0.01, 1),
        ncols=len(shown) if len(shown) <= _LEGEND_COLUMNS else -(-len(shown) // 2),
        frameon=False,
        fontsize=9,
        title_fontsize=9,
        alignment="left",
        handlelength=1.4,
    )
    return figure


def _busy(events: Sequence[Sequence[Event]], name: str) -> float:
    """Seconds during which at least one event of this name is in progress on a rank, on average."""
    intervals = [overlap.union([event for event in own if event.activity == name]) for own in events]
    return sum(end - begin for own in intervals for begin, end in own) / len(events)


def _bars(axes: Axes, bars: list[tuple[int, Event]], zero: float, name: str, colour: str) -> None:
    top, bottom = _LOWER if name == "send" else _UPPER
    corners = []
    for rank, event in bars:
        left, right = 1e3 * (event.begin - zero), 1e3 * (event.end - zero)
        corners.append(
            [(left, rank + top), (right, rank + top), (right, rank + bottom), (left, rank + bottom)]
        )
    axes.add_collection(
        PolyCollection(
            corners,
            # Blends follow each other without a gap: alternate between two tones.
            facecolor=[colour, _SECOND_BLEND] if name == "blend" else colour,
            edgecolor="none",
            alpha=_ALPHA.get(name),
            gid=name,
        )
    )
