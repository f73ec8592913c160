"""The bandwidth of all pairs as a grey image with its histogram: Figures 4 to 7 and 9 of the shift paper.

Source: Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand Fat-Trees" (2012), section
5. The maximum of a matrix is white (pixel value 255), zero is black (0); row: sender, column: receiver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sortlast.plot.figure import BLUE, GREY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from sortlast.bandwidth import Bandwidths

_WHITE = 255
_MEGA = 1e6
_DIAGONAL = "#f4e3c1"  # not measured


def grey(found: Bandwidths) -> NDArray[np.uint8]:
    """Pixel values, (p, p), proportional to bandwidth; the maximum is 255, the diagonal 0."""
    return np.rint(_WHITE * found.matrix / found.maximum).astype(np.uint8)


def draw(panels: Mapping[str, Bandwidths]) -> Figure:
    """Draw one row for each title ("measured", "predicted"): the image, and the histogram of its bandwidths.

    Both have a scale in MB/s. The histogram has one bar per pixel value (256).
    """
    figure = Figure(figsize=(9.6, 4.1 * len(panels)), layout="constrained")
    grid = figure.subplots(len(panels), 2, squeeze=False)
    for (left, right), (title, found) in zip(grid, panels.items(), strict=True):
        _image(figure, left, found, title)
        _histogram(right, found)
    return figure


def _image(figure: Figure, axes: Axes, found: Bandwidths, title: str) -> None:
    shown = np.ma.masked_array(grey(found), np.eye(found.p, dtype=bool))
    axes.set_facecolor(_DIAGONAL)
    image = axes.imshow(shown, cmap="gray", vmin=0, vmax=_WHITE, interpolation="nearest")
    bar = figure.colorbar(image, ax=axes, shrink=0.9)
    marks = np.asarray(MaxNLocator(5).tick_values(0, found.maximum / _MEGA))
    marks = marks[marks <= found.maximum / _MEGA]
    places = _WHITE * _MEGA / found.maximum * marks
    bar.set_ticks(places.tolist(), labels=[f"{mark:g}" for mark in marks])
    bar.set_label("MB/s of a send")
    axes.set_title(f"{title}, {found.p} ranks, messages of {_size(found.message_bytes)}", fontsize="medium")
    axes.set_xlabel("to rank")
    axes.set_ylabel("from rank")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))


def _histogram(axes: Axes, found: Bandwidths) -> None:
    values = grey(found)[~np.eye(found.p, dtype=bool)]
    counts = np.bincount(values, minlength=_WHITE + 1)
    step = found.maximum / _WHITE / _MEGA
    axes.bar(step * np.arange(_WHITE + 1), counts, width=step, color=BLUE)
    axes.axvline(found.mean / _MEGA, color=GREY, linestyle="--", linewidth=1)
    axes.set_xlim(-8 * step, (_WHITE + 8) * step)
    axes.set_xlabel("MB/s of a send (dashed: the mean)")
    axes.set_ylabel("pairs")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(
        f"min {_speed(found.minimum)}, mean {_speed(found.mean)}, max {_speed(found.maximum)} MB/s",
        fontsize="medium",
    )


def _speed(bytes_per_second: float) -> str:
    return f"{bytes_per_second / 1e6:,.0f}" if bytes_per_second >= 1e7 else f"{bytes_per_second / 1e6:.3g}"


def _size(count: int) -> str:
    for limit, unit in ((10**6, "MB"), (10**3, "kB")):
        if count >= limit:
            return f"{count / limit:.3g} {unit}"
    return f"{count} bytes"
