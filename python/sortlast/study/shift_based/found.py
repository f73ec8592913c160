"""What the steps of the study are named, and their results by what they are of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sortlast.bandwidth import Bandwidths
from sortlast.study.shift_based import cluster, frames, sweep
from sortlast.study.shift_based.direct_send import Mechanism
from sortlast.study.shift_based.published import DirectSend, Run, runs
from sortlast.study.steps import Json

RANDOM_OF = "Figure 6"  # whose run is repeated with nodes in random order


def shift_step(item: str) -> str:
    """The step of a run of shift, by its figure."""
    return f"shift/{item.lower().replace(' ', '-')}"


def random_step(seed: int) -> str:
    """The step of the run of RANDOM_OF with nodes in a random order."""
    return f"shift/random-{seed}"


def sweep_step(size: tuple[int, int]) -> str:
    """The step of Figure 8 for one size of images."""
    return f"sweep/{size[0]}x{size[1]}"


def direct_send_step(mechanism: Mechanism, run: DirectSend, seed: int) -> str:
    """The step of one mechanism for the case of a published run."""
    return f"direct-send/{mechanism.key}/{run.case}-{seed}"


@dataclass(frozen=True)
class Found:
    """The results of the steps by name, with their meaning. Rates are frames a second."""

    results: Mapping[str, Json]

    def rate(self, item: str, model: str) -> float:
        """Of a run of shift by a model, one of the keys of :func:`frames.simulated` but for its matrix."""
        return float(self.results[shift_step(item)][model])

    def bandwidths(self, item: str) -> Bandwidths:
        """The matrix of a run of shift, by flows."""
        run = runs()[item]
        matrix = np.array(self.results[shift_step(item)]["matrix"]) * 1e6
        names = cluster.names(cluster.hosts(run.order, run.p))
        return Bandwidths(matrix, names, frames.message_bytes(run.pixels, run.p))

    def random_rates(self, model: str) -> list[float]:
        """Of the run of RANDOM_OF in random orders."""
        found = (name for name in self.results if name.startswith("shift/random-"))
        return [float(self.results[name][model]) for name in sorted(found)]

    def sweep(self, size: tuple[int, int], model: str) -> list[float]:
        """Figure 8 for one size, over :data:`sweep.COUNTS`, by "in_step" or "flows"."""
        return [float(rate) for rate in self.results[sweep_step(size)][model]]

    def sweep_at(self, size: tuple[int, int], p: int) -> float:
        """Figure 8 for one size and number of nodes, by flows."""
        return self.sweep(size, "flows")[sweep.COUNTS.index(p)]

    def first_over_last(self, p: int) -> float:
        """How many times as fast the smallest images of Figure 8 are as the largest on p nodes, by flows."""
        return self.sweep_at(sweep.SIZES[0], p) / self.sweep_at(sweep.SIZES[-1], p)

    def direct_send(self, mechanism: Mechanism, run: DirectSend, value: str = "fps") -> list[float]:
        """Of each seed that was simulated: "fps", or "under_way" to one receiver."""
        start = direct_send_step(mechanism, run, 0)[:-1]
        found = (name for name in self.results if name.startswith(start))
        return [float(self.results[name][value]) for name in sorted(found)]


def error(ours: float, run: Run | DirectSend) -> float:
    """By how much a rate is above the published one, as a part of it."""
    return ours / run.fps - 1


def mean(values: Sequence[float]) -> float:
    """The mean of one value or more."""
    return sum(values) / len(values)
