"""What is measured on this machine: the steps of the study, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from statistics import median

from sortlast import Error, launch
from sortlast.render import check_offscreen
from sortlast.study.hardware_barrier import network
from sortlast.study.hardware_barrier import published as paper
from sortlast.study.hardware_barrier.barriers import BARRIERS, NONE
from sortlast.study.hardware_barrier.load import background
from sortlast.study.steps import Json, PartDone, Step
from sortlast.study.study import Results

_PACKAGE = "sortlast.study.hardware_barrier.live"
_TIMEOUT = 120.0  # of the ranks of a step [s]

QUIET, LOADED = "quiet", "loaded"
RENDERERS = 8  # ranks that make frames: the inputs of one unit
PIXEL_BYTES = {"RGBA8": 4, "RGBA32F": 16}  # by format of a readback


@dataclass(frozen=True)
class Plan:
    """How much is measured; ``name`` is the first part of the steps' names."""

    name: str
    ranks: Sequence[int]  # whose barriers are timed
    turns: int
    calls: int
    network_calls: int
    frame_turns: int
    frames: int
    reads: int

    def latency(self, count: int, load: str) -> str:
        """The name of a step."""
        return f"{self.name}/latency-{count}-{load}"

    def network(self, kind: str, load: str) -> str:
        """The name of a step."""
        return f"{self.name}/{kind.lower().replace(' ', '-')}-{load}"

    @property
    def frame_rates(self) -> str:
        """The name of a step."""
        return f"{self.name}/frames"

    @property
    def readback(self) -> str:
        """The name of a step."""
        return f"{self.name}/readback"

    @property
    def accesses(self) -> str:
        """The name of a step."""
        return f"{self.name}/accesses"

    @property
    def port(self) -> str:
        """The name of a step."""
        return f"{self.name}/port"


QUICK = Plan("quick", ranks=(2, 9), turns=5, calls=50, network_calls=10, frame_turns=3, frames=4, reads=9)
WHOLE = Plan(
    "whole", ranks=(2, 4, 9), turns=15, calls=200, network_calls=20, frame_turns=9, frames=10, reads=51
)


def plan(quick: bool) -> Plan:
    """The quick one or the whole one."""
    return QUICK if quick else WHOLE


def steps(quick: bool) -> list[Step]:
    """All measurements; each runs alone."""
    chosen = plan(quick)
    made = [_latency(chosen, count, load) for count in chosen.ranks for load in (QUIET, LOADED)]
    made += [_network(chosen, kind, load) for kind in network.RATES for load in (QUIET, LOADED)]
    ports = [_accesses(chosen, chosen.accesses, "wire"), _accesses(chosen, chosen.port, "ppdev", "port")]
    return [*made, _frames(chosen), _readback(chosen), *ports]


def _latency(chosen: Plan, count: int, load: str) -> Step:
    settings = {"barriers": list(BARRIERS), "turns": chosen.turns, "calls": chosen.calls}

    def compute(part_done: PartDone) -> Json:
        with background(_TIMEOUT) if load == LOADED else nullcontext():
            return launch.ranks(f"{_PACKAGE}.latency", settings, count, _TIMEOUT)

    return Step(chosen.latency(count, load), compute, work=chosen.turns * chosen.calls * count, alone=True)


def _network(chosen: Plan, kind: str, load: str) -> Step:
    def compute(part_done: PartDone) -> Json:
        return network.latencies(kind, chosen.turns, chosen.network_calls, _TIMEOUT, congested=load == LOADED)

    work = 100 * chosen.turns * chosen.network_calls
    return Step(chosen.network(kind, load), compute, work=work, alone=True, option="testbed")


def _frames(chosen: Plan) -> Step:
    settings = {
        "barriers": [NONE, *BARRIERS],
        "sizes": list(paper.sizes().values()),
        "turns": chosen.frame_turns,
        "frames": chosen.frames,
    }

    def compute(part_done: PartDone) -> Json:
        return launch.ranks(f"{_PACKAGE}.frames", settings, RENDERERS, 2 * _TIMEOUT)

    return Step(chosen.frame_rates, compute, work=300 * chosen.frame_turns * chosen.frames, alone=True)


def _readback(chosen: Plan) -> Step:
    settings = {"sizes": list(paper.sizes().values()), "repeat": chosen.reads}

    def compute(part_done: PartDone) -> Json:
        try:
            check_offscreen()
        except Error as error:
            return {"refused": str(error)}
        return {"sizes": launch.ranks(f"{_PACKAGE}.readback", settings, 1, _TIMEOUT)}

    return Step(chosen.readback, compute, work=50 * chosen.reads, alone=True)


def _accesses(chosen: Plan, name: str, port: str, option: str = "") -> Step:
    settings = {"port": port, "turns": chosen.turns, "calls": 20 * chosen.calls}

    def compute(part_done: PartDone) -> Json:
        return launch.ranks(f"{_PACKAGE}.accesses", settings, 1, _TIMEOUT)

    return Step(name, compute, work=chosen.turns * chosen.calls, alone=True, option=option)


@dataclass(frozen=True)
class Measured:
    """The results of the steps; times are in seconds."""

    results: Results
    plan: Plan

    def latencies(self, count: int, load: str, barrier: str) -> list[float]:
        """Mean times of a barrier, one a turn."""
        return list(self.results[self.plan.latency(count, load)][barrier])

    def latency(self, count: int, load: str, barrier: str) -> float:
        """The median of them."""
        return median(self.latencies(count, load, barrier))

    @property
    def network_missing(self) -> str:
        """Why there was no network of namespaces; empty if there was."""
        return str(self.results[self.plan.network(paper.FAST, QUIET)].get("refused", ""))

    def network(self, kind: str, load: str, barrier: str) -> float | None:
        """The median time of a barrier of nine hosts; None where there was no network."""
        if self.network_missing:
            return None
        seconds: list[float] = self.results[self.plan.network(kind, load)][barrier]
        return median(seconds)

    def frame(self, size: str, barrier: str) -> float:
        """The median time of a frame."""
        seconds: list[float] = self._frames(size)["seconds"][barrier]
        return median(seconds)

    def frame_spread(self, size: str, barrier: str) -> tuple[float, float]:
        """The shortest and the longest mean of a turn."""
        seconds = self._frames(size)["seconds"][barrier]
        return min(seconds), max(seconds)

    @property
    def frame_error(self) -> int:
        """The largest difference of a channel of any frame from the serial composite, of 255."""
        return max(int(entry["error"]) for entry in self.results[self.plan.frame_rates])

    @property
    def readback_missing(self) -> str:
        """Why nothing was read back; empty if it was."""
        return str(self.results[self.plan.readback].get("refused", ""))

    def readback(self, size: str, pixel_format: str) -> float | None:
        """The median time to read a framebuffer back; None where VTK is missing."""
        if self.readback_missing:
            return None
        index = list(paper.sizes()).index(size)
        seconds: list[float] = self.results[self.plan.readback]["sizes"][index][pixel_format]
        return median(seconds)

    def accesses(self, port: str) -> tuple[float, float] | None:
        """The median times of a write and a read; None where it cannot be used."""
        found = self.results[self.plan.port if port == "ppdev" else self.plan.accesses]
        if "refused" in found:
            return None
        writes, reads = zip(*found[port], strict=True)
        return median(writes), median(reads)

    @property
    def port_missing(self) -> str:
        """Why there is no parallel port; empty if there is."""
        return str(self.results[self.plan.port].get("refused", ""))

    def _frames(self, size: str) -> dict[str, Json]:
        entry: dict[str, Json] = self.results[self.plan.frame_rates][list(paper.sizes()).index(size)]
        return entry
