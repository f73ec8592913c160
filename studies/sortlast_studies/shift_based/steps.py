"""The steps of the study: runs of shift and others, direct-send, larger clusters, and measurements.

Beyond the paper, the whole study takes larger clusters of the same switches, :data:`LARGER`; other numbers of
nodes and square images of other sizes are optional.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from sortlast import ArgumentError
from sortlast_studies.shift_based import direct_send, frames, measured
from sortlast_studies.shift_based.cluster import ARITY, DIRECT_SEND, MOST_NODES, RUNS, Run, size_name
from sortlast_studies.shift_based.direct_send import EXPLANATION, MECHANISMS, Mechanism
from sortlast_studies.steps import Step

RANDOM_RUN = RUNS[2]  # repeated with nodes in random order
LARGER = (288, 576)  # nodes, beyond the paper's
_EDGES = range(16, 32769)  # of a square image, in pixels
_SEEDS = 3  # per random order
_SEEDS_OF_FEW = 20  # on the nodes of one leaf, where rates of few messages vary most and are cheapest


def shift_step(run: Run) -> str:
    """The step of a run of shift."""
    return f"shift/{run.item.lower().replace(' ', '-')}"


def random_step(seed: int) -> str:
    """The step of the run of RANDOM_RUN with nodes in a random order."""
    return f"shift/random-{seed}"


def sweep_step(size: tuple[int, int]) -> str:
    """The step of Figure 8 for one size of images."""
    return f"sweep/{size_name(size)}"


def direct_send_step(mechanism: Mechanism, run: Run, seed: int) -> str:
    """The step of one mechanism for the case of a published run."""
    return f"direct-send/{mechanism.key}/{run.p}-{run.order}-{seed}"


def seeds(p: int, quick: bool) -> range:
    """Seeds of random orders on p nodes."""
    if quick:
        return range(1, 2)
    return range(1, 1 + (_SEEDS_OF_FEW if p <= ARITY else _SEEDS))


def seeds_of(mechanism: Mechanism, run: Run, quick: bool) -> range:
    """Seeds of direct-send; none for other orders of the nodes on one switch, where order has no effect."""
    if not mechanism.tree and run.order != "routing":
        return range(0)
    return seeds(run.p, quick) if mechanism.order == "random" else range(1, 2)


# --- beyond the paper -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Beyond:
    """A number of nodes and an image (width, height) that are not in the paper."""

    p: int
    size: tuple[int, int]

    @property
    def pixels(self) -> int:
        """Number of pixels of the image."""
        return self.size[0] * self.size[1]

    @property
    def shift(self) -> str:
        """The step of shift."""
        return f"beyond/shift/{self.p}-{size_name(self.size)}"

    @property
    def direct_send(self) -> str:
        """The step of direct-send, which the quick study leaves out."""
        return f"beyond/direct-send/{self.p}-{size_name(self.size)}"


def beyond(ranks: Sequence[int] | None, edges: Sequence[int] | None, quick: bool) -> list[Beyond]:
    """Combinations of every number of nodes with every image; by default LARGER, unless quick.

    Args:
        ranks: numbers of nodes; by default, if there are images, the numbers in the paper's figures.
        edges: edges of square images, in pixels; by default the paper's image of Figures 4 to 6.
        quick: whether the study is quick.

    Raises:
        ArgumentError: the tree of three levels has too few nodes, or an image is out of range.
    """
    for p in ranks or []:
        if not 2 <= p <= MOST_NODES:
            raise ArgumentError(
                f"shift on {p} nodes; the {ARITY}-ary tree of three levels has 2 to {MOST_NODES}"
            )
    for edge in edges or []:
        if edge not in _EDGES:
            raise ArgumentError(
                f"an image of {edge} x {edge} pixels; a size is the edge of a square of "
                f"{_EDGES[0]} to {_EDGES[-1]} pixels"
            )
    if ranks is None and edges is None:
        ranks = [] if quick else LARGER
    counts = ranks if ranks is not None else sorted({run.p for run in RUNS})
    sizes = [RUNS[0].size] if edges is None else [(edge, edge) for edge in edges]
    return list(dict.fromkeys(Beyond(p, size) for size in sizes for p in counts))


def _beyond_steps(each: Beyond, quick: bool) -> list[Step]:
    area = each.pixels / RUNS[0].pixels
    made = [Step(each.shift, partial(frames.beyond, each.p, each.pixels), work=(each.p / 300) ** 2)]
    if not quick:
        compute = partial(direct_send.simulated, EXPLANATION, each.p, "routing", 1, pixels=each.pixels)
        made.append(Step(each.direct_send, compute, work=area * each.p / 30))
    return made


# --- all --------------------------------------------------------------------------------------------------


def others_step(run: Run) -> str:
    """The step of the other algorithms for the case of a published run."""
    return f"others/{run.p}-{run.order}"


def steps(quick: bool, ranks: Sequence[int] | None = None, edges: Sequence[int] | None = None) -> list[Step]:
    """All steps; the quick ones have one seed and the mechanisms without pieces. See :func:`beyond`."""
    made = [
        Step(shift_step(run), partial(frames.simulated, run.p, run.pixels, run.order), work=run.p / 20)
        for run in RUNS
    ]
    made += [
        Step(
            random_step(seed),
            partial(frames.simulated, RANDOM_RUN.p, RANDOM_RUN.pixels, f"random-{seed}"),
            work=7,
        )
        for seed in seeds(RANDOM_RUN.p, quick)
    ]
    made += [Step(sweep_step(size), partial(frames.swept, size), work=3) for size in frames.SIZES]
    made += [
        Step(
            direct_send_step(mechanism, run, seed),
            partial(direct_send.simulated, mechanism, run.p, run.order, seed),
            work=run.p / 30 if mechanism.packets else 0.2,
        )
        for mechanism in MECHANISMS
        if mechanism.quick or not quick
        for run in DIRECT_SEND
        for seed in seeds_of(mechanism, run, quick)
    ]
    made += [
        Step(others_step(run), partial(frames.others, run.p, run.pixels, run.order), work=0.1)
        for run in DIRECT_SEND
    ]
    made += [step for each in beyond(ranks, edges, quick) for step in _beyond_steps(each, quick)]
    return made + [each.step for each in (measured.QUICK if quick else measured.WHOLE)]
