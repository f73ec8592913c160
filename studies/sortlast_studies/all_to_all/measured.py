"""Measurements on this machine: the paper's cells with one process for each of its nodes.

On cores: with ``per_node`` = 1 equation 3.1 gives n = 23,328, so that messages have exactly the size that
they have in the paper, and the total is 1/64. Quick runs use n = 2,592, a ninth of that.

On hosts: the paper's leaf modules as network namespaces, with real packets. Each node is a host with one
process, each link is shaped to 10 Mbit/s, and the switches forward by the tables of ftree:
:mod:`sortlast_testbed`. The network is then the slowest part, in contrast to the cores of one machine. This
needs root; otherwise the reason is reported instead.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sortlast import Error, _memory, launch
from sortlast_studies.all_to_all import cluster, program
from sortlast_studies.all_to_all.design import GLOBAL_M, LOCAL_M, NODES, Design, length, refusal
from sortlast_studies.all_to_all.exchange import WAYS
from sortlast_studies.all_to_all.simulated import SEED
from sortlast_studies.steps import Json, PartDone, Step

if TYPE_CHECKING:
    from sortlast_testbed import Testbed

QUICK_NODES = NODES[:3]
REPEAT = 3
_RING_SEED = 1  # for the shuffled ring
_TIMEOUT = 150.0  # seconds per run

# On hosts.
HOSTS_GLOBAL_M, HOSTS_LOCAL_M = 256, 64  # m with constant global memory, and m/N with constant local memory
HOSTS_WAYS = {"posted": "C", "shift": "shift"}  # exchanges by the names of simulated ones
HOSTS_PLACEMENTS = {
    "full": ("packed", "scattered", "scattered shuffled"),
    "half": ("packed", "packed shuffled"),
}
HOSTS_REPEAT = 2
RATE = 10.0  # Mbit/s per link
_HOSTS_TIMEOUT = 240.0  # seconds per run
_SHARED = NODES[1:]  # with a network between nodes


# --- on cores -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A run of the program: a cell, and the timed exchanges."""

    design: Design
    ways: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of its step."""
        cell = self.design
        return f"measured/{'-'.join(self.ways)}/{cell.nodes}-{cell.n}-{cell.m}"


def constant_global(quick: bool) -> list[Run]:
    """Tables 4.2 and 4.5, with the shifts, by the number of nodes."""
    return [Run(_cell(nodes, GLOBAL_M, quick), WAYS) for nodes in _nodes(quick)]


def constant_local(quick: bool) -> dict[int, list[Run]]:
    """Table 4.4, by m/N and the number of nodes."""
    return {m: [Run(_cell(nodes, m * nodes, quick), ("C",)) for nodes in _nodes(quick)] for m in LOCAL_M}


def all_of(quick: bool) -> list[Run]:
    """All runs."""
    return constant_global(quick) + [run for row in constant_local(quick).values() for run in row]


def step(run: Run) -> Step:
    """The step that measures, or gives the reason why it cannot."""
    return Step(run.name, lambda part_done: measure(run), work=_work(run), alone=True)


def measure(run: Run) -> Json:
    """Results of the program by exchange, under ``ways``; or under ``refused`` why the run does not fit.

    ``cores`` is the number of cores that the ranks shared.

    Raises Error as :func:`sortlast.launch.ranks`, and if the available memory is unknown.
    """
    room = _memory.limit()
    if room is None:
        raise Error("/proc/meminfo does not tell how much memory is available; the study needs Linux")
    if reason := refusal(run.design, room):
        return {"refused": reason}
    settings = {"cells": [asdict(run.design)], "ways": run.ways, "repeat": REPEAT, "seed": _RING_SEED}
    [ways] = launch.ranks(program.__name__, settings, run.design.p, _TIMEOUT)
    return {"cores": len(os.sched_getaffinity(0)), "ways": ways}


def _cell(nodes: int, m: int, quick: bool) -> Design:
    return Design(nodes, 1, length(1, 2 if quick else 6), m)


def _nodes(quick: bool) -> tuple[int, ...]:
    return QUICK_NODES if quick else NODES


def _work(run: Run) -> float:
    """Rough estimate of seconds: starting ranks, and moving bytes."""
    return 0.5 + 0.2 * run.design.p + 5e-9 * run.design.global_bytes * (len(run.ways) + 1)


# --- on hosts -----------------------------------------------------------------------------------------


def hosts_global(nodes: int) -> Design:
    """A cell like Table 4.2's."""
    return Design(nodes, 1, length(1, 2), HOSTS_GLOBAL_M)


def hosts_local(nodes: int) -> Design:
    """A cell like Table 4.4's."""
    return Design(nodes, 1, length(1, 2), HOSTS_LOCAL_M * nodes)


def hosts_name(tree: str) -> str:
    """The name of the step for a tree."""
    return f"hosts/{tree}"


def hosts_cells(tree: str, placement: str) -> list[Design]:
    """The cells of a placement: all columns for the paper's placement, otherwise only the last one."""
    if (tree, placement) == ("full", "packed"):
        return [*map(hosts_global, _SHARED), *map(hosts_local, _SHARED)]
    return [hosts_local(NODES[-1])]


def hosts_step(tree: str) -> Step:
    """The step that creates the hosts under a tree, and measures on them."""
    return Step(
        hosts_name(tree),
        lambda part_done: measure_on_hosts(tree, part_done),
        work=80.0,
        alone=True,
        option="testbed",
    )


def measure_on_hosts(tree: str, part_done: PartDone) -> Json:
    """Results of the program by placement, for each of :func:`hosts_cells`; or the reason under ``refused``.

    Raises as :func:`sortlast_testbed.answer` does.
    """
    from sortlast_testbed import Settings, Testbed, why_not

    if reason := why_not():
        return {"refused": reason}
    placements, found = HOSTS_PLACEMENTS[tree], {}
    with Testbed(Settings(cluster.family(tree), rate_mbit=RATE)) as testbed:
        for k, placement in enumerate(placements, 1):
            nodes = cluster.nodes_of(placement, NODES[-1], SEED)
            found[placement] = _on(testbed, nodes, hosts_cells(tree, placement))
            part_done(k / len(placements))
    return found


def _on(testbed: Testbed, hosts: Sequence[int], wanted: Sequence[Design]) -> Json:
    """Run the program with one rank on each host."""
    from sortlast_testbed import answer

    ways = [*HOSTS_WAYS.values()]
    settings = {"cells": [*map(asdict, wanted)], "ways": ways, "repeat": HOSTS_REPEAT, "seed": SEED}
    return answer(testbed, hosts, program.__name__, settings, _HOSTS_TIMEOUT)
