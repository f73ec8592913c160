"""The steps of the study: measurements on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from sortlast import Error, launch
from sortlast.render import check_offscreen
from sortlast_studies.hardware_barrier import frames, groups, latency, port, readback, swap
from sortlast_studies.hardware_barrier.barriers import BARRIERS, NONE
from sortlast_studies.hardware_barrier.paper import NODES, SIZES
from sortlast_studies.hardware_barrier.traffic import background
from sortlast_studies.steps import Json, PartDone, Step, on_ranks

QUIET, LOADED = LOADS = ("quiet", "loaded")
MEMBERS = (2, 4, 9)  # ranks per group
LOCKS = (swap.FREE, NONE, "mpi", "flags", "port")
LOCKS_ON_HOSTS = (NONE, "mpi")

_TIMEOUT = 300.0  # for the ranks of a step [s]


@dataclass(frozen=True)
class Plan:
    """The extent of the measurements; ``name`` is the first part of the steps' names."""

    name: str
    ranks: Sequence[int]  # numbers of ranks for the timed barriers
    turns: int
    calls: int
    network_calls: int
    frame_turns: int
    frames: int
    reads: int
    group_turns: int
    group_calls: int
    swaps: int

    def step(self, *parts: object) -> str:
        """The name of a step.

        Parts by measurement: "latency", number of ranks and load; kind of network and load; "frames";
        "readback"; "accesses" (to the simulated wire); "port"; "groups"; "swap"; or "future" and kind of
        network, for groups and swaps on its hosts.
        """
        return f"{self.name}/{'-'.join(map(str, parts)).lower().replace(' ', '-')}"


QUICK = Plan(
    "quick",
    ranks=(2, 9),
    turns=5,
    calls=50,
    network_calls=10,
    frame_turns=3,
    frames=4,
    reads=9,
    group_turns=3,
    group_calls=10,
    swaps=20,
)
WHOLE = Plan(
    "whole",
    ranks=(2, 4, 9),
    turns=15,
    calls=200,
    network_calls=20,
    frame_turns=9,
    frames=10,
    reads=51,
    group_turns=5,
    group_calls=50,
    swaps=60,
)


def plan(quick: bool) -> Plan:
    """The quick or the whole plan."""
    return QUICK if quick else WHOLE


def steps(quick: bool) -> list[Step]:
    """All measurements; each runs alone."""
    chosen = plan(quick)
    made = [_latency(chosen, count, load) for count in chosen.ranks for load in LOADS]
    made += [_network(chosen, kind, load) for kind in latency.RATES for load in LOADS]
    ports = [_accesses(chosen, "accesses", "wire"), _accesses(chosen, "port", "ppdev", option="port")]
    future = [_groups(chosen), _swap(chosen), *(_future(chosen, kind) for kind in latency.RATES)]
    return [*made, _frames(chosen), _readback(chosen), *ports, *future]


def _latency(chosen: Plan, count: int, load: str) -> Step:
    settings = {"barriers": list(BARRIERS), "turns": chosen.turns, "calls": chosen.calls}

    def compute(part_done: PartDone) -> Json:
        with background(_TIMEOUT) if load == LOADED else nullcontext():
            return launch.ranks(latency.__name__, settings, count, _TIMEOUT)

    return Step(
        chosen.step("latency", count, load), compute, work=chosen.turns * chosen.calls * count, alone=True
    )


def _network(chosen: Plan, kind: str, load: str) -> Step:
    def compute(part_done: PartDone) -> Json:
        calls, congested = chosen.network_calls, load == LOADED
        return latency.on_hosts(kind, chosen.turns, calls, _TIMEOUT, congested=congested)

    work = 100 * chosen.turns * chosen.network_calls
    return Step(chosen.step(kind, load), compute, work=work, alone=True, option="testbed")


def _frames(chosen: Plan) -> Step:
    settings = {
        "barriers": [NONE, *BARRIERS],
        "sizes": list(SIZES.values()),
        "turns": chosen.frame_turns,
        "frames": chosen.frames,
    }
    work = 300 * chosen.frame_turns * chosen.frames
    name, ranks = chosen.step("frames"), frames.RENDERERS
    return on_ranks(name, frames.__name__, settings, ranks, 2 * _TIMEOUT, work=work)


def _readback(chosen: Plan) -> Step:
    settings = {"sizes": list(SIZES.values()), "repeat": chosen.reads}

    def compute(part_done: PartDone) -> Json:
        try:
            check_offscreen()
        except Error as error:
            return {"refused": str(error)}
        return {"sizes": launch.ranks(readback.__name__, settings, 1, _TIMEOUT)}

    return Step(chosen.step("readback"), compute, work=50 * chosen.reads, alone=True)


def _accesses(chosen: Plan, name: str, to: str, option: str = "") -> Step:
    settings = {"port": to, "turns": chosen.turns, "calls": 20 * chosen.calls}
    work = chosen.turns * chosen.calls
    return on_ranks(chosen.step(name), port.__name__, settings, 1, _TIMEOUT, work=work, option=option)


def _groups(chosen: Plan) -> Step:
    settings = _asked_of_groups(chosen, groups.WAYS)
    work = 10 * chosen.group_turns * chosen.group_calls
    return on_ranks(chosen.step("groups"), groups.__name__, settings, NODES, _TIMEOUT, work=work)


def _swap(chosen: Plan) -> Step:
    settings = _asked_of_swaps(chosen, LOCKS)
    return on_ranks(chosen.step("swap"), swap.__name__, settings, NODES, _TIMEOUT, work=200 * chosen.swaps)


def _future(chosen: Plan, kind: str) -> Step:
    def compute(part_done: PartDone) -> Json:
        from sortlast_testbed import answer, why_not

        if why := why_not():
            return {"refused": why}
        asked = {"groups": _asked_of_groups(chosen, ["mpi"]), "swap": _asked_of_swaps(chosen, LOCKS_ON_HOSTS)}
        modules = {"groups": groups.__name__, "swap": swap.__name__}
        with latency.network(kind) as testbed:
            return {
                what: answer(testbed, latency.HOSTS, modules[what], settings, _TIMEOUT)
                for what, settings in asked.items()
            }

    return Step(chosen.step("future", kind), compute, work=300 * chosen.swaps, alone=True, option="testbed")


def _asked_of_groups(chosen: Plan, ways: Sequence[str]) -> Json:
    return {"ways": ways, "sizes": MEMBERS, "turns": chosen.group_turns, "calls": chosen.group_calls}


def _asked_of_swaps(chosen: Plan, locks: Sequence[str]) -> Json:
    return {"barriers": locks, "turns": 3, "frames": chosen.swaps}
