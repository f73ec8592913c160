"""What is measured on hosts: the paper's leaf modules as network namespaces, with real packets.

Each node is a host with one process, each link is shaped to 10 Mbit/s, and the switches forward by the tables
of ftree: :mod:`sortlast.testbed`. So the network is the slowest part, as it is not between the cores of one
machine. It needs root; without, the reason is reported instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from sortlast.study.all_to_all import cluster
from sortlast.study.all_to_all.design import NODES, Design, length
from sortlast.study.all_to_all.measured import PROGRAM
from sortlast.study.all_to_all.simulated import SEED
from sortlast.study.steps import Json, PartDone, Step

if TYPE_CHECKING:
    from sortlast.testbed import Testbed

GLOBAL_M, LOCAL_M = 256, 64  # m with constant global memory, and m/N with constant local memory
WAYS = {"posted": "C", "shift": "shift"}  # exchanges by the names of the simulated ones
_RATE = 10.0  # Mbit/s of a link
_REPEAT = 2
_TIMEOUT = 240.0  # seconds of one run
_SHARED = NODES[1:]  # with a network between nodes
PLACEMENTS = {"full": ("packed", "scattered", "scattered shuffled"), "half": ("packed", "packed shuffled")}


def constant_global(nodes: int) -> Design:
    """A cell as those of Table 4.2."""
    return Design(nodes, 1, length(1, 2), GLOBAL_M)


def constant_local(nodes: int) -> Design:
    """A cell as those of Table 4.4."""
    return Design(nodes, 1, length(1, 2), LOCAL_M * nodes)


def name(tree: str) -> str:
    """The name of the step of a tree."""
    return f"hosts/{tree}"


def cells(tree: str, placement: str) -> list[Design]:
    """What runs there: all columns where the paper placed its nodes, elsewhere the last one."""
    if (tree, placement) == ("full", "packed"):
        return [*map(constant_global, _SHARED), *map(constant_local, _SHARED)]
    return [constant_local(NODES[-1])]


def step(tree: str) -> Step:
    """The step that makes the hosts under a tree, and measures there."""
    return Step(
        name(tree), lambda part_done: measure(tree, part_done), work=80.0, alone=True, option="testbed"
    )


def measure(tree: str, part_done: PartDone) -> Json:
    """By placement what the program tells of each of :func:`cells`; or ``refused``, why there is nothing.

    Raises as :func:`sortlast.testbed.answer` does.
    """
    from sortlast.testbed import Settings, Testbed, why_not

    if reason := why_not():
        return {"refused": reason}
    found = {}
    with Testbed(Settings(cluster.family(tree), rate_mbit=_RATE)) as testbed:
        for k, placement in enumerate(PLACEMENTS[tree]):
            nodes = cluster.nodes_of(placement, NODES[-1], SEED)
            found[placement] = _ranks(testbed, nodes, cells(tree, placement))
            part_done((k + 1) / len(PLACEMENTS[tree]))
    return found


def _ranks(testbed: Testbed, hosts: Sequence[int], wanted: Sequence[Design]) -> Json:
    """Run the program with a rank on each host."""
    from sortlast.testbed import answer

    settings = {"cells": [*map(asdict, wanted)], "ways": [*WAYS.values()], "repeat": _REPEAT, "seed": SEED}
    return answer(testbed, hosts, PROGRAM, settings, _TIMEOUT)
