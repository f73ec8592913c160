"""Measured port counters, compared with the traffic of a pattern."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sortlast import _fabric
from sortlast._errors import ArgumentError
from sortlast.fabric.reading import read_counters

if TYPE_CHECKING:
    from sortlast._fabric import Contention


@dataclass(frozen=True)
class MeasuredLoads:
    """Bytes of each channel: ``measured``, -1 without a counter, and ``predicted``; both (channels,).

    In patterns without sizes, such as "shift", a message has one byte, so the prediction counts flows.
    """

    measured: NDArray[np.int64]
    predicted: NDArray[np.int64]

    @property
    def known(self) -> NDArray[np.int64]:
        """Channels that have a counter, ascending."""
        return np.flatnonzero(self.measured >= 0)

    @property
    def measured_share(self) -> NDArray[np.float64]:
        """Each channel's fraction of all measured bytes, 0 to 1; 0 without a counter."""
        return _shares(np.maximum(self.measured, 0))

    @property
    def predicted_share(self) -> NDArray[np.float64]:
        """Each channel's fraction of all bytes predicted for channels with a counter."""
        return _shares(np.where(self.measured >= 0, self.predicted, 0))

    @property
    def correlation(self) -> float | None:
        """Pearson's correlation over channels with a counter; None: one side is the same on all of them."""
        measured, predicted = self.measured[self.known], self.predicted[self.known]
        if len(measured) < 2 or np.ptp(measured) == 0 or np.ptp(predicted) == 0:
            return None
        return float(np.corrcoef(measured, predicted)[0, 1])

    @property
    def unpredicted_share(self) -> float:
        """The fraction of the measured bytes on channels that the pattern does not use."""
        return float(self.measured_share[self.predicted == 0].sum())


def measured_loads(found: Contention, after: str | Path, before: str | Path | None = None) -> MeasuredLoads:
    """Read port counters, and compare them with the bytes of a pattern on its fabric.

    ``after``, ``before``: as for :func:`read_counters`; their difference is the measurement. Without
    ``before`` the counters began at 0. Raises like :func:`read_counters`, and for decreasing counters.
    """
    topology = found.routes.topology
    measured = read_counters(topology, after)
    if before is not None:
        start = read_counters(topology, before)
        both = (measured >= 0) & (start >= 0)
        fell = np.flatnonzero(both & (measured < start))
        if len(fell):
            vertex, port = topology.source(int(fell[0]))
            raise ArgumentError(
                f"{after}: the counter of {topology.label(vertex)} port {port} is lower than in {before}: it"
                " was reset in between, or the files are the wrong way round (give the earlier one first)"
            )
        measured = np.where(both, measured - start, -1)
    return MeasuredLoads(measured, _fabric.channel_bytes(found.routes, found.pattern, found.placement))


def _shares(values: NDArray[np.int64]) -> NDArray[np.float64]:
    total = values.sum()
    return np.zeros(len(values)) if total == 0 else values / total
