"""What is measured on this machine: the paper's cells with one process in the place of each of its nodes.

With ``per_node`` = 1 equation 3.1 gives n = 23,328, so that every message has exactly the bytes that it has
in the paper, and everything together 1/64. Quick takes n = 2,592, a ninth of that.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass

from sortlast import Error, _memory, launch
from sortlast.study.all_to_all.design import GLOBAL_M, LOCAL_M, NODES, Design, length
from sortlast.study.all_to_all.exchange import WAYS
from sortlast.study.all_to_all.memory import refusal
from sortlast.study.steps import Json, PartDone, Step

QUICK_NODES = NODES[:3]
PROGRAM = "sortlast.study.all_to_all.program"
_REPEAT = 3
_SEED = 1  # of the shuffled ring
_TIMEOUT = 150.0  # seconds of one run


@dataclass(frozen=True)
class Run:
    """A run of the program: a cell, and the exchanges that are timed."""

    design: Design
    ways: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of its step."""
        cell = self.design
        return f"measured/{'-'.join(self.ways)}/{cell.nodes}-{cell.n}-{cell.m}"


def constant_global(quick: bool) -> list[Run]:
    """Tables 4.2 and 4.5, and the shifts beside them, by the number of nodes."""
    return [Run(_cell(nodes, GLOBAL_M, quick), WAYS) for nodes in _nodes(quick)]


def constant_local(quick: bool) -> dict[int, list[Run]]:
    """Table 4.4, by m/N and the number of nodes."""
    return {m: [Run(_cell(nodes, m * nodes, quick), ("C",)) for nodes in _nodes(quick)] for m in LOCAL_M}


def all_of(quick: bool) -> list[Run]:
    """All runs."""
    return constant_global(quick) + [run for row in constant_local(quick).values() for run in row]


def step(run: Run) -> Step:
    """The step that measures, or tells why it does not."""
    return Step(run.name, lambda part_done: measure(run, part_done), work=_work(run), alone=True)


def measure(run: Run, part_done: PartDone) -> Json:
    """What the program tells of each exchange, under ``ways``, or why it does not fit, under ``refused``.

    Under ``cores`` is the number of cores that the ranks shared.

    Raises Error as :func:`sortlast.launch.ranks`, and if memory cannot be told.
    """
    room = _memory.limit()
    if room is None:
        raise Error("/proc/meminfo does not tell how much memory is available; the study needs Linux")
    if reason := refusal(run.design, room):
        return {"refused": reason}
    settings = {"cells": [asdict(run.design)], "ways": run.ways, "repeat": _REPEAT, "seed": _SEED}
    [ways] = launch.ranks(PROGRAM, settings, run.design.p, _TIMEOUT)
    return {"cores": len(os.sched_getaffinity(0)), "ways": ways}


def _cell(nodes: int, m: int, quick: bool) -> Design:
    return Design(nodes, 1, length(1, 2 if quick else 6), m)


def _nodes(quick: bool) -> tuple[int, ...]:
    return QUICK_NODES if quick else NODES


def _work(run: Run) -> float:
    """Expected seconds, roughly: starting ranks, and moving bytes."""
    return 0.5 + 0.2 * run.design.p + 5e-9 * run.design.global_bytes * (len(run.ways) + 1)
