"""A claim of the paper's text, and how it fares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sortlast.study.narrowed_trees.performance import Times
from sortlast.study.narrowed_trees.workloads import SIZES, size_name

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "undecided"


@dataclass(frozen=True)
class Verdict:
    """Confirmed, refuted or undecided, and the figure that says so."""

    word: str
    figure: str


@dataclass(frozen=True)
class Claim:
    """A claim in our words, the section that makes it, and its test.

    ``test`` gives whether it holds and the figure, or None in place of the first where this study cannot say.
    ``sizes``: those without which it is undecided; a claim of all sizes then still has the figure of some.
    """

    section: str
    text: str
    test: Callable[[Times], tuple[bool | None, str]]
    sizes: tuple[int, ...] = SIZES

    def judge(self, times: Times) -> Verdict:
        """The verdict by these times."""
        missing = [size for size in self.sizes if size not in times.sizes]
        names = ", ".join(map(size_name, missing))
        if missing and self.sizes != SIZES:
            return Verdict(UNDECIDED, f"needs {names}, which did not run")
        holds, figure = self.test(times)
        if missing:
            return Verdict(UNDECIDED, f"{figure}; {names} did not run")
        return Verdict(UNDECIDED if holds is None else CONFIRMED if holds else REFUTED, figure)


def share(hits: NDArray[np.bool_]) -> tuple[float, str]:
    """The part of cases in which something holds, and the words for it."""
    return float(hits.mean()), f"{int(hits.sum())} of {hits.size}"


def span(values: NDArray[np.float64]) -> str:
    """The least and the greatest."""
    return f"{values.min():.2f} to {values.max():.2f}"
