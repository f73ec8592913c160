"""Dynamic barriers on the paper's wire, its future work: any groups of nodes, formed and ended at run time.

This is ours: the paper names the aim (section 5) but no circuit. A group is identified by its leader, one of
its members, and has a register with one bit per node and one bit for open groups. A node has a second line to
the wire and one from it, in addition to the lines of the barrier of all nodes, which stays unchanged::

    set   = open AND AND(pin OR NOT member)     the latch of the paper's wire, one for each group
    reset = NOR(pin AND member)
    line to a node = OR over groups (latch AND member)

A signal therefore passes one more gate before the latch, and two more after it.

The leader sets up the group: it writes the register over lines of the parallel port that the paper leaves
unused, a few bits at a time, and then opens the group. No other node has to wait for this. A member that
raises its line before is counted once the group is open, and no other group of the member is released
meanwhile, because the line of its leader is low. Barriers alternate between high and low, like the paper's. A
group that ends high needs one more barrier, and its leader closes it by one more write.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sortlast import Error
from sortlast_studies.hardware_barrier import paper
from sortlast_studies.hardware_barrier.wire import Circuit, Delays, Edge, Gate, latch, nor

MORE_GATES = 3  # additional gates on the path of a line in a group: one at the pin, two behind the latch
_TAKEN = 3  # lines of a port that carry no register: barrier of all, barrier of the group, and a strobe


# --- the gates ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drive:
    """An input has a level from a time on [ps]; see :func:`line`, :func:`member` and :func:`opened`."""

    time: int
    net: str
    high: bool


def line(node: int) -> str:
    """The input that a node drives."""
    return f"line{node}"


def member(group: int, node: int) -> str:
    """The bit of a group's register for a node."""
    return f"member{group},{node}"


def opened(group: int) -> str:
    """The bit for an open group."""
    return f"open{group}"


def released(node: int) -> str:
    """The line that a node reads."""
    return f"released{node}"


def simulate(nodes: int, groups: int, drives: Sequence[Drive]) -> list[Edge]:
    """The edges of the lines that the nodes read, in order of time; all inputs are low at first.

    Raises:
        Error: a drive of an input that does not exist.
    """
    delays = Delays.as_published()
    pins = [f"pin{k}" for k in range(nodes)]
    gates = [Gate(pin, [line(k)], all, delays.internal) for k, pin in enumerate(pins)]
    for g in range(groups):
        gates += _group(g, pins, delays.gate)
    for k in range(nodes):
        passed = [f"passed{g},{k}" for g in range(groups)]
        gates += [Gate(net, [f"q{g}", member(g, k)], all, delays.gate) for g, net in enumerate(passed)]
        gates.append(Gate(released(k), passed, any, delays.gate))
    inputs = [line(k) for k in range(nodes)] + [opened(g) for g in range(groups)]
    inputs += [member(g, k) for g in range(groups) for k in range(nodes)]
    for drive in drives:
        if drive.net not in inputs:
            raise Error(f"no input {drive.net} of a wire with {nodes} nodes and {groups} groups")
    driven = [(drive.time, drive.net, drive.high) for drive in drives]
    return Circuit(inputs, gates).run(driven, {released(k) for k in range(nodes)})


def _group(g: int, pins: Sequence[str], delay: int) -> list[Gate]:
    """The gates of a group up to its latch."""
    high, low = ([f"{what}{g},{k}" for k in range(len(pins))] for what in ("high", "low"))
    members = [member(g, k) for k in range(len(pins))]
    each = zip(high, low, pins, members, strict=True)
    return [
        *(
            gate
            for up, down, pin, bit in each
            for gate in (
                Gate(up, [pin, bit], _or_not, delay, target=True),
                Gate(down, [pin, bit], all, delay),
            )
        ),
        Gate(f"set{g}", [opened(g), *high], all, delay),
        Gate(f"reset{g}", low, nor, delay, target=True),
        *latch(f"set{g}", f"reset{g}", f"q{g}", delay),
    ]


def _or_not(levels: Sequence[bool]) -> bool:
    return levels[0] or not levels[1]


def delay(nodes: int, members: Collection[int]) -> int:
    """Time from the last member's line to the line that it reads, simulated [ps].

    Half of the nodes outside the group keep their lines high meanwhile, which has no effect.
    """
    settled = 20 * Delays.as_published().total(nodes)
    others = [node for node in range(nodes) if node not in members][::2]
    drives = [Drive(0, member(0, node), True) for node in members]
    drives += [Drive(0, line(node), True) for node in others]
    drives.append(Drive(settled, opened(0), True))
    drives += [Drive(2 * settled, line(node), True) for node in members]
    edges = simulate(nodes, 1, drives)
    if {edge.net for edge in edges} != {released(node) for node in members}:
        raise Error(f"a barrier of the nodes {sorted(members)} released {sorted({e.net for e in edges})}")
    return max(edge.time for edge in edges) - 2 * settled


# --- costs of a group ---------------------------------------------------------------------------------


def total(nodes: int, fan_in: int | None = None) -> int:
    """The delay of a group's wire by the formula [ps]; see :meth:`Delays.total`. One group per node."""
    delays = Delays.as_published()
    levels = 1 if fan_in is None else max(1, math.ceil(round(math.log(nodes, fan_in), 9)))
    return delays.total(nodes, fan_in) + (MORE_GATES + levels - 1) * delays.gate


def costs(nodes: int) -> Mapping[str, float]:
    """Seconds for a group of any size among ``nodes`` nodes: "set-up", "barrier" and "tear-down".

    A barrier takes the paper's time plus the additional gates. Other accesses to a port take the slowest time
    of Table 5. A set-up consists of its leader's writes, a tear-down of at most a barrier and a write.
    """
    out = 1e-6 * max(paper.PAPER.column("Table 5", "OUT").values())
    wide = None if nodes <= paper.NODES else paper.INPUTS
    more = total(nodes, wide) - Delays.as_published().total(paper.NODES)
    barrier = paper.hardware_barrier() + 1e-12 * more
    return {
        "set-up": writes(nodes) * out,
        "barrier": barrier,
        "tear-down": barrier + _words(_number_bits(nodes)) * out,
    }


def writes(nodes: int) -> int:
    """Accesses to a port that set up a group: its number and register, and the bit that opens it."""
    return _words(_number_bits(nodes) + nodes) + 1


def software(kind: str, members: int) -> Mapping[str, float]:
    """Seconds with an MPI communicator instead of a group, alone on a kind of network.

    A barrier takes Table 4's time for each of ceil(log2 k) rounds. To make a communicator its members must
    agree on it, which takes at least as many rounds.
    """
    rounds, of_all = (math.ceil(math.log2(count)) for count in (members, paper.NODES))
    barrier = paper.software_barrier(kind) * rounds / of_all
    return {"set-up": barrier, "barrier": barrier}


def _number_bits(nodes: int) -> int:
    return math.ceil(math.log2(nodes))


def _words(bits: int) -> int:
    """Number of writes for these bits over the free lines of a port."""
    return -(-bits // (int(paper.PAPER.value("The device", "lines of a port")) - _TAKEN))
