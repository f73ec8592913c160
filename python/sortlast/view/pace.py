"""Chooses the resolution of coarse frames from the time that recent frames took."""

from __future__ import annotations

import math

from sortlast.view.stage import Order

SOON = 0.08  # maximum time for a frame while a camera moves [s]
COARSEST = 4.0  # maximum factor by which pixels are wider
_STEP = 0.5
_FIRST = 2.0
_WEIGHT = 0.4  # of the last frame in the moving average


class Pace:
    """Coarseness per mode, because modes differ widely in time."""

    def __init__(self) -> None:
        self._per_pixel: dict[str, float] = {}

    def took(self, order: Order, seconds: float, *, fine: bool) -> None:
        """Record the time of a frame. Fine frames count only until the first coarse one."""
        mode = order.controls.mode
        now = seconds / (order.size[0] * order.size[1])
        if mode in self._per_pixel and not fine:
            now = _WEIGHT * now + (1 - _WEIGHT) * self._per_pixel[mode]
        if not fine or mode not in self._per_pixel:
            self._per_pixel[mode] = now

    def size(self, mode: str, size: tuple[int, int]) -> tuple[int, int]:
        """Size of a coarse frame for a picture of ``size``; both (width, height) in pixels."""
        known = self._per_pixel.get(mode)
        times = _FIRST if known is None else math.sqrt(known * size[0] * size[1] / SOON)
        times = min(max(math.ceil(times / _STEP) * _STEP, 1.0), COARSEST)
        return max(1, round(size[0] / times)), max(1, round(size[1] / times))
