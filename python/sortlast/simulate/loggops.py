"""The LogGOPS model: messages on a network without contention."""

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

    A message takes the latency L regardless of other messages; the ranks' CPUs and NICs are the shared
    resources. See Hoefler, Schneider and Lumsdaine, "LogGOPSim - Simulating Large-Scale Applications in the
    LogGOPS Model" (2010). The parameters have the model's names, and LogGOPSim's defaults.

    Args:
        program: from :func:`sortlast.simulate.read_program`; or traffic, in which receives wait for nothing.
        L: latency, from the end of the sender's overhead to the first byte at the receiver, in ns.
        o: overhead of a message, during which a CPU is busy at the sender and at the receiver, in ns.
        g: gap from one message of a NIC to the next, in ns.
        G: gap per byte except the first, in ns.
        O: overhead per byte except the first, in ns.
        S: maximum size in bytes of messages that do not wait for their receive.
        progress: called repeatedly with the fraction done, 0 to 1; an exception or the result False ends the
            run.

    Raises:
        ArgumentError: a parameter is below 0 or above 1e15; the program ends past 2^54 ns.
        Error: ranks deadlock; the text names the ranks and what they wait for.
    """
    asked = _simulate.program_of(program) if isinstance(program, Traffic) else program
    return _simulate.simulate_loggops(asked, L=L, o=o, g=g, G=G, O=O, S=S, progress=progress)
