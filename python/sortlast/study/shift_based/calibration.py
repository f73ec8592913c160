"""The two constants of the cluster that the simulations need, from two of the paper's figures.

A message of m bytes that shares no link takes ``stage_seconds + m / link``. Figures 4 and 5 are the runs
without contention, with messages of 11 and 0.9 MB; each gives one equation. By default their average
bandwidths do, so that no frame rate is used and all are predicted. As a check, the same two figures' frame
rates give other constants: p - 1 such messages make a frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from sortlast.study.shift_based.cluster import PIXEL_BYTES
from sortlast.study.shift_based.published import Run, runs

FIGURES = ("Figure 4", "Figure 5")


@dataclass(frozen=True)
class Calibration:
    """``link``: bytes a second in one direction of a link; ``stage_seconds``: fixed cost of a stage."""

    link: float
    stage_seconds: float


@cache
def by_bandwidths() -> Calibration:
    """From the average bandwidths of Figures 4 and 5: m / bandwidth is the time of a message."""
    return _solve(lambda run: _message_bytes(run) / run.bandwidth)


@cache
def by_frame_rates() -> Calibration:
    """From the frame rates of Figures 4 and 5: the time of a message is the (p - 1)-th part of a frame."""
    return _solve(lambda run: 1 / run.fps / (run.p - 1))


def _message_bytes(run: Run) -> float:
    return PIXEL_BYTES * run.pixels / run.p


def _solve(message_seconds: Callable[[Run], float]) -> Calibration:
    """The line through the messages of both figures."""
    first, second = (runs()[item] for item in FIGURES)
    slope = (message_seconds(first) - message_seconds(second)) / (
        _message_bytes(first) - _message_bytes(second)
    )
    return Calibration(1 / slope, message_seconds(second) - slope * _message_bytes(second))
