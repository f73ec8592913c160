"""The steps of the study: runs of shift, Figure 8, mechanisms of direct-send, and what is measured here."""

from __future__ import annotations

from functools import partial

from sortlast_studies.shift_based import direct_send, frames, measured
from sortlast_studies.shift_based.cluster import ARITY, DIRECT_SEND, RUNS, Run, size_name
from sortlast_studies.shift_based.direct_send import MECHANISMS, Mechanism
from sortlast_studies.steps import Step

RANDOM_RUN = RUNS[2]  # whose run is repeated with nodes in random order
_SEEDS = 3  # of every random order
_SEEDS_OF_FEW = 20  # the same on a leaf's nodes, whose few messages vary most and cost least


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
    """Of a random order on p nodes."""
    if quick:
        return range(1, 2)
    return range(1, 1 + (_SEEDS_OF_FEW if p <= ARITY else _SEEDS))


def seeds_of(mechanism: Mechanism, run: Run, quick: bool) -> range:
    """Those of which direct-send is simulated: none where the nodes of one switch have no order."""
    if not mechanism.tree and run.order != "routing":
        return range(0)
    return seeds(run.p, quick) if mechanism.order == "random" else range(1, 2)


def steps(quick: bool) -> list[Step]:
    """All steps; the quick ones have one seed and the mechanisms without pieces."""
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
    return made + [each.step for each in (measured.QUICK if quick else measured.WHOLE)]
