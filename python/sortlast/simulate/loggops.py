"""The LogGOPS model: messages on a network where none is in another's way."""

from __future__ import annotations

from collections.abc import Callable

from sortlast import _simulate
from sortlast._simulate import LogGopsResult, Program, Traffic


def loggops(
    program: Program | Traffic,
    *,
    L: int = 2500,  # noqa: N803 - the model's names
    o: int = 1500,
    g: int = 1000,
    G: float = 6,  # noqa: N803
    O: float = 0,  # noqa: E741, N803
    S: int = 65535,  # noqa: N803
    progress: Callable[[float], object] | None = None,
) -> LogGopsResult:
    """Simulate a program by the LogGOPS model, as LogGOPSim does.

    A message takes the latency L whatever else is under way; what costs time are the ranks' CPUs and NICs.
    See Hoefler, Schneider and Lumsdaine, "LogGOPSim - Simulating Large-Scale Applications in the LogGOPS
    Model" (2010). The parameters have the model's names, and LogGOPSim's values unless told otherwise.

    Args:
        program: of :func:`sortlast.simulate.read_program`; or traffic, whose receives then wait for nothing.
        L: latency, from the end of the sender's overhead to the first byte at the receiver, in ns.
        o: overhead of a message: a CPU is busy with it at the sender, and at the receiver, in ns.
        g: gap from one message of a NIC to the next, in ns.
        G: gap of each byte but the first, in ns.
        O: overhead of each byte but the first, in ns.
        S: bytes of the longest message that does not wait for its receive.
        progress: called now and then with the part done, 0 to 1; what it raises ends the run, as False does.

    Raises:
        ArgumentError: a parameter is below 0 or above 1e15; the program ends past 2^54 ns.
        Error: ranks wait for each other for ever: the text says who for whom.
    """
    asked = _simulate.program_of(program) if isinstance(program, Traffic) else program
    return _simulate.simulate_loggops(asked, L=L, o=o, g=g, G=G, O=O, S=S, progress=progress)
