"""Figures of several panels: one legend, grid lines and plain numbers."""

from __future__ import annotations

from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter
from numpy.typing import NDArray

from sortlast.plot.figure import GREY


def panels(
    width: float, height: float, rows: int = 1, columns: int = 1, **options: Any
) -> tuple[Figure, NDArray[Any]]:
    """A white figure of ``width`` x ``height`` inches with panels without boxes around them.

    Returns the figure and its axes, an array (rows, columns). ``options`` are passed to matplotlib's
    ``subplots``.
    """
    figure = Figure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, **options)
    for axes in grid.flat:
        axes.spines[["top", "right"]].set_visible(False)
    return figure, grid


def legend_below(figure: Figure, axes: Axes, columns: int) -> None:
    """One legend for all panels, taken from ``axes``, below them."""
    handles = axes.get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=columns, frameon=False)


def lines_behind(axes: Axes, which: Literal["both", "x", "y"] = "both") -> None:
    """Draw thin grid lines behind the data."""
    axes.grid(axis=which, color=GREY, alpha=0.25)
    axes.set_axisbelow(True)


def plain_numbers(axis: Axis, form: str = "g") -> None:
    """Label a logarithmic scale without powers of ten, and only at its major ticks."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: format(value, form)))
    axis.set_minor_formatter(NullFormatter())
