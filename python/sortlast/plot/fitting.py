"""Fitting texts: letter widths in matplotlib's font, and shortening to a given width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font

_SIZE = 100  # font size at which letters are measured
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


@cache
def _font() -> FT2Font:
    font = FT2Font(findfont(FontProperties()))
    font.set_size(_SIZE, 72)
    return font


@cache
def _advance(letter: str) -> float:
    """Width of a letter at size 1."""
    font = _font()
    glyph = font.load_glyph(font.get_char_index(ord(letter)))  # 0, a box, for missing letters
    return float(glyph.linearHoriAdvance) / 65536 / _SIZE


def width(text: str, size: float) -> float:
    """Width of a text in letters of ``size``, in the unit of ``size``."""
    return size * sum(map(_advance, text))


def fit(texts: Iterable[str], room: float, size: float) -> str:
    """The first of some texts that is at most ``room`` wide; otherwise the last one, shortened in the middle.

    Empty if not even three letters fit.
    """
    last = ""
    for last in texts:
        if width(last, size) <= room:
            return last
    for kept in range(len(last) - 1, 1, -1):
        short = last[: (kept + 1) // 2] + ELLIPSIS + last[len(last) - kept // 2 :]
        if width(short, size) <= room:
            return short
    return ""


def wrap(text: str, room: float, size: float, lines: int) -> Sequence[str]:
    """Break a text at blanks into at most ``lines`` lines, shortening the last one if necessary."""
    made = [""]
    for word in text.split():
        longer = f"{made[-1]} {word}".lstrip()
        if width(longer, size) <= room or not made[-1]:
            made[-1] = longer
        else:
            made.append(word)
    if len(made) > lines:
        made[lines - 1 :] = [" ".join(made[lines - 1 :])]
    return [fit([line], room, size) for line in made]
