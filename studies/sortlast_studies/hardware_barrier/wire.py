"""The wire of the hardware barrier: the gates of Figure 2, simulated event by event.

Every node drives one line and reads one. The common line goes high once all nodes drive theirs high, and low
once all drive theirs low; in between it keeps its level. A barrier therefore needs no reset: the next one
waits for the other level. This is an SR latch, set by the AND of all lines and reset by their NOR::

    set   = AND(pins)         q_bar = NOR(set, q)
    reset = NOR(pins)         q     = NOR(reset, q_bar)

Figure 2 is a drawing; its text gives T_Total = T_Internal + 3 T_Gates. A rising line passes AND, NOR, NOR,
which are these three gates; a falling one passes two. ``barrier.v`` has the same gates in Verilog.

A gate has an inertial delay: an input that changes back before the delay has passed leaves no trace.
Times are in picoseconds, as integers.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from sortlast import Error
from sortlast_studies.hardware_barrier.paper import PAPER

Logic = Callable[[Sequence[bool]], bool]


@dataclass(frozen=True)
class Drive:
    """A node drives its line to a level from a time on [ps]."""

    time: int
    node: int
    high: bool


@dataclass(frozen=True)
class Edge:
    """A net of the circuit changes its level at a time [ps]."""

    time: int
    net: str
    high: bool


@dataclass(frozen=True)
class Delays:
    """T_Internal and T_Gates [ps]."""

    internal: int
    gate: int

    @classmethod
    def as_published(cls) -> Delays:
        """The delays of the paper's FPGA."""
        internal, gate = (PAPER.value("Figure 2", name) for name in ("T_Internal", "T_Gates"))
        return cls(round(1e3 * internal), round(1e3 * gate))

    def total(self, nodes: int, fan_in: int | None = None) -> int:
        """The delay of a rising line: 3 gates, or more if gates have only ``fan_in`` inputs."""
        levels = 1 if fan_in is None else max(1, math.ceil(round(math.log(nodes, fan_in), 9)))
        return self.internal + (levels + 2) * self.gate


@dataclass
class Gate:
    """A gate with its inertial delay [ps]; ``target`` is its initial level."""

    output: str
    inputs: Sequence[str]
    logic: Logic
    delay: int
    target: bool = False  # level that the output has or will have
    pending: int = 0  # number of the valid event; others were cancelled


def simulate(nodes: int, drives: Sequence[Drive]) -> list[Edge]:
    """The edges of ``set``, ``reset`` and ``q``, the common line, in order of time.

    All lines are initially low, and the latch is reset.

    Raises:
        Error: fewer than 1 node, or a drive of a node that is not in [0, nodes) or at a negative time.
    """
    if nodes < 1:
        raise Error(f"a wire of {nodes} nodes; expected at least 1")
    for drive in drives:
        if not 0 <= drive.node < nodes or drive.time < 0:
            raise Error(
                f"{drive} on a wire of {nodes} nodes; expected a node in [0, {nodes}), a time of 0 up"
            )
    lines = [f"line{k}" for k in range(nodes)]
    pins = [f"pin{k}" for k in range(nodes)]
    delays = Delays.as_published()
    gates = [
        *(Gate(pin, [line], all, delays.internal) for line, pin in zip(lines, pins, strict=True)),
        Gate("set", pins, all, delays.gate),
        Gate("reset", pins, nor, delays.gate, target=True),
        *latch("set", "reset", "q", delays.gate),
    ]
    driven = [(drive.time, f"line{drive.node}", drive.high) for drive in drives]
    return Circuit(lines, gates).run(driven, {"set", "reset", "q"})


def latch(set_: str, reset: str, q: str, delay: int) -> list[Gate]:
    """An SR latch of two gates, initially low."""
    return [
        Gate(f"{q}_bar", [set_, q], nor, delay, target=True),
        Gate(q, [reset, f"{q}_bar"], nor, delay),
    ]


def nor(levels: Sequence[bool]) -> bool:
    """Whether all levels are low."""
    return not any(levels)


def wire_delays(nodes: int) -> tuple[int, int]:
    """Time from the last node to the common line, rising and falling, simulated [ps].

    All nodes drive their lines high at once, and low much later.
    """
    settled = 10 * Delays.as_published().total(nodes)
    drives = [Drive(time, node, time == 0) for time in (0, settled) for node in range(nodes)]
    rising, falling = (edge.time for edge in simulate(nodes, drives) if edge.net == "q")
    return rising, falling - settled


class Circuit:
    """Gates between nets; inputs are initially low, other nets have the initial levels of their gates."""

    def __init__(self, inputs: Sequence[str], gates: Sequence[Gate]) -> None:
        self._gates = gates
        self._levels = dict.fromkeys(inputs, False) | {gate.output: gate.target for gate in gates}
        self._readers: dict[str, list[Gate]] = {}
        for gate in self._gates:
            for net in gate.inputs:
                self._readers.setdefault(net, []).append(gate)
        self._events: list[tuple[int, int, str, bool, Gate | None]] = []
        self._count = 0

    def run(self, drives: Sequence[tuple[int, str, bool]], watched: Collection[str]) -> list[Edge]:
        """Run once: the edges of the watched nets in order of time; drives: time [ps], input, level."""
        for time, net, high in drives:
            self._schedule(time, net, high, None)
        edges = []
        while self._events:
            time, number, net, high, gate = heapq.heappop(self._events)
            if (gate is not None and gate.pending != number) or self._levels[net] == high:
                continue
            self._levels[net] = high
            if net in watched:
                edges.append(Edge(time, net, high))
            for reader in self._readers.get(net, ()):
                self._evaluate(reader, time)
        return edges

    def _evaluate(self, gate: Gate, time: int) -> None:
        high = gate.logic([self._levels[net] for net in gate.inputs])
        if high == gate.target:
            return
        # A new target cancels the pending event.
        gate.target = high
        gate.pending = self._schedule(time + gate.delay, gate.output, high, gate)

    def _schedule(self, time: int, net: str, high: bool, gate: Gate | None) -> int:
        self._count += 1
        heapq.heappush(self._events, (time, self._count, net, high, gate))
        return self._count
