"""What ports have counted, beside what a pattern should have moved over them."""

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
    """Bytes of each channel: ``measured``, -1 where no counter is known, and ``predicted``; (channels,) both.

    Of patterns without sizes, such as "shift", a message has one byte: then the predicted ones are flows.
    """

    measured: NDArray[np.int64]
    predicted: NDArray[np.int64]

    @property
    def known(self) -> NDArray[np.int64]:
        """Channels that have a counter, ascending."""
        return np.flatnonzero(self.measured >= 0)

    @property
    def measured_share(self) -> NDArray[np.float64]:
        """The part of each channel of all that counters of the fabric tell, 0 to 1; 0 where none is known."""
        return _shares(np.maximum(self.measured, 0))

    @property
    def predicted_share(self) -> NDArray[np.float64]:
        """The same of what was predicted for the channels that have a counter."""
        return _shares(np.where(self.measured >= 0, self.predicted, 0))

    @property
    def correlation(self) -> float | None:
        """Pearson's, over the channels that have a counter; None: one side is the same on all of them."""
        measured, predicted = self.measured[self.known], self.predicted[self.known]
        if len(measured) < 2 or np.ptp(measured) == 0 or np.ptp(predicted) == 0:
            return None
        return float(np.corrcoef(measured, predicted)[0, 1])

    @property
    def unpredicted_share(self) -> float:
        """The part of the measured bytes on channels that the pattern does not use."""
        return float(self.measured_share[self.predicted == 0].sum())


def measured_loads(found: Contention, after: str | Path, before: str | Path | None = None) -> MeasuredLoads:
    """Read counters of ports, and put them beside the bytes of a pattern on its fabric.

    ``after``, ``before``: as for :func:`read_counters`; what is measured is their difference. Without
    ``before`` the counters began at 0. Raises as :func:`read_counters`, and for counters that went down.
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
