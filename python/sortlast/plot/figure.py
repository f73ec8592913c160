"""Common to all pictures: colours, an empty figure, and saving."""

from __future__ import annotations

from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sortlast import Error
from sortlast.files import STANDARD_OUTPUT, replacing

# Okabe and Ito's palette, distinguishable with any colour vision.
BLACK, ORANGE, SKY, GREEN = "#000000", "#e69f00", "#56b4e9", "#009e73"
YELLOW, BLUE, VERMILION, PURPLE = "#f0e442", "#0072b2", "#d55e00", "#cc79a7"
GREY = "#8c8c8c"

FORMATS = ("png", "svg", "pdf")
_DOTS_PER_INCH = 160

_DATES = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def empty(width: float, height: float) -> tuple[Figure, Axes]:
    """A white figure of ``width`` x ``height`` inches with one pair of axes and no box around it."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _format(path: str | Path) -> str:
    """The format of a suffix; png for standard output."""
    return "png" if Path(path) == STANDARD_OUTPUT else Path(path).suffix.lower().lstrip(".")


def draws(path: str | Path) -> bool:
    """Whether :func:`save` knows the format of this suffix."""
    return _format(path) in FORMATS


def check_format(path: str | Path) -> None:
    """Raise :class:`sortlast.Error` unless the suffix is one that :func:`save` knows: png, svg or pdf."""
    if not draws(path):
        raise Error(f"cannot draw {path}: the suffix must be one of {', '.join(FORMATS)}")


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure atomically to ``path``, in the format of its suffix, without a date.

    Raises :class:`sortlast.Error` like :func:`check_format`, or if the file cannot be written.
    """
    check_format(path)
    form = _format(path)
    # Make files reproducible; the fonts of a PDF are TrueType, as journals require.
    same = rc_context({"svg.hashsalt": "sortlast", "pdf.fonttype": 42})
    with replacing(path) as temporary, same:
        figure.savefig(temporary, format=form, dpi=_DOTS_PER_INCH, metadata=_DATES.get(form))
