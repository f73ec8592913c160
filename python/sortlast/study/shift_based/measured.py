"""What was measured: bandwidths of all pairs under a shift, and frames of shift and direct-send.

The ranks that are started here share one machine, so that what they measure is its memory and its cores, not
a network: it shows the method of section 5 on real messages, not the paper's cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from sortlast import launch
from sortlast.bandwidth import Bandwidths
from sortlast.study.steps import Json, PartDone, Step

_MODULE = "sortlast.study.shift_based._measured_ranks"
_PREFIX = "measured/"
_TIMEOUT = 120.0  # seconds


@dataclass(frozen=True)
class Measurement:
    """A run on ranks of this machine.

    Attributes:
        ranks: processes.
        size: width and height of the image whose shift the matrix is of.
        frame: width and height of the image that is composited.
        repeat: timed runs of each stage, and of each algorithm; the median counts.
    """

    ranks: int
    size: tuple[int, int]
    frame: tuple[int, int]
    repeat: int = 5

    @property
    def step(self) -> Step:
        """Run it within a time limit, alone."""

        def compute(part_done: PartDone) -> Json:
            return launch.ranks(_MODULE, asdict(self), self.ranks, _TIMEOUT)

        width, height = self.size
        name = f"{_PREFIX}{self.ranks}-ranks-{width}x{height}"
        return Step(name, compute, work=0.1 * self.ranks, alone=True)


QUICK = (Measurement(4, (2048, 1024), (1024, 512), repeat=3),)
WHOLE = (Measurement(4, (4096, 2048), (2048, 1024)), Measurement(12, (4096, 2048), (2048, 1024)))


def matrices(results: Mapping[str, Json]) -> dict[str, Bandwidths]:
    """Every measured matrix among the results of the steps, by its name.

    Any step whose name begins with ``measured/`` and whose result has ``matrix`` (p x p, bytes a second),
    ``names`` and ``message_bytes`` is one, wherever its ranks were.
    """
    return {
        name.removeprefix(_PREFIX): Bandwidths(
            np.array(found["matrix"]), list(found["names"]), found["message_bytes"]
        )
        for name, found in results.items()
        if name.startswith(_PREFIX)
    }


def frame_rates(results: Mapping[str, Json]) -> dict[str, dict[str, float]]:
    """Measured frames a second by measurement and algorithm, where frames were composited."""
    return {
        name.removeprefix(_PREFIX): dict(found["fps"])
        for name, found in results.items()
        if name.startswith(_PREFIX) and "fps" in found
    }
