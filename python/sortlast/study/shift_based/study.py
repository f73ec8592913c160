"""The study as a value: its steps, its report, and what it reproduces."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path

from sortlast.study.document import Document
from sortlast.study.shift_based import calibration, direct_send, frames, measured, sweep
from sortlast.study.shift_based import published as paper
from sortlast.study.shift_based.cluster import ARITY
from sortlast.study.shift_based.direct_send import MECHANISMS, Mechanism
from sortlast.study.shift_based.found import (
    RANDOM_OF,
    Found,
    direct_send_step,
    random_step,
    shift_step,
    sweep_step,
)
from sortlast.study.shift_based.overview import reproduced
from sortlast.study.shift_based.published import DirectSend
from sortlast.study.shift_based.report import document
from sortlast.study.steps import Step
from sortlast.study.study import Results, Study

SUMMARY = (
    'Shift beside direct-send on 12 to 144 nodes: Cavin and Demengeon, "Shift-Based Parallel Image '
    'Compositing on InfiniBand Fat-Trees" (2012).'
)
_SEEDS = 3  # of every random order
_SEEDS_OF_FEW = 20  # the same on a leaf's nodes, whose few messages vary most and cost least


def steps(quick: bool) -> list[Step]:
    """All steps; the quick ones have one seed and the mechanisms without pieces."""
    chosen = [each for each in MECHANISMS if each.quick or not quick]
    made = [
        Step(shift_step(run.item), partial(frames.simulated, run.p, run.pixels, run.order), work=run.p / 20)
        for run in paper.runs().values()
    ]
    other = paper.runs()[RANDOM_OF]
    made += [
        Step(random_step(seed), partial(frames.simulated, other.p, other.pixels, f"random-{seed}"), work=7)
        for seed in _seeds(other.p, quick)
    ]
    made += [Step(sweep_step(size), partial(sweep.simulated, size), work=3) for size in sweep.SIZES]
    made += [
        _direct_send(mechanism, run, seed)
        for mechanism in chosen
        for run in paper.direct_send()
        for seed in (_seeds(run.p, quick) if mechanism.order == "random" else [1])
        if mechanism.tree or run.order == "routing"
    ]
    return made + [each.step for each in (measured.QUICK if quick else measured.WHOLE)]


def _seeds(p: int, quick: bool) -> range:
    """Of a random order on p nodes."""
    if quick:
        return range(1, 2)
    return range(1, 1 + (_SEEDS_OF_FEW if p <= ARITY else _SEEDS))


def _direct_send(mechanism: Mechanism, run: DirectSend, seed: int) -> Step:
    compute = partial(direct_send.simulated, mechanism, run.p, run.order, seed)
    return Step(
        direct_send_step(mechanism, run, seed), compute, work=run.p / 30 if mechanism.packets else 0.2
    )


def _report(results: Results, quick: bool, folder: Path) -> Document:
    from sortlast.study.shift_based.figures import draw

    found = Found(results)
    draw(found, folder)
    return document(found, quick)


STUDY = Study(
    name="shift-based",
    summary=SUMMARY,
    steps=steps,
    settings={"calibration": asdict(calibration.by_bandwidths())},
    report=_report,
    reproduced=lambda results, quick: reproduced(Found(results)),
)
