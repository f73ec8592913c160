"""The machine of a communicator, measured: what "auto" chooses by.

::

    report = tune.measure(MPI.COMM_WORLD)
    report.machine.save("profile.json")  # for Compositor(comm, profile="profile.json")
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING

from sortlast import _native
from sortlast._errors import ArgumentError
from sortlast.schedule import Machine, choose

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.schedule import Prediction

TIMES = ("alpha", "beta", "node_alpha", "node_beta", "gamma_read", "gamma_write", "copy")

_LAP = 0.25  # of one measurement [s]
_LEAST_LAPS = 3
_TIMEOUT = 60.0  # longest wait for a rank without any progress [s]


@dataclass(frozen=True)
class Report:
    """What was measured, the same on every rank.

    ``machine``: the median of each figure over the measurements. ``low`` and ``high``: the least and the
    greatest. ``measured``: names of the figures of :data:`TIMES` that could be; the others are defaults, such
    as those of messages between nodes where there is one node. ``ranks``: of the communicator.
    ``messages``: ranks of a node were told not to read each other's images.
    """

    machine: Machine
    low: Machine
    high: Machine
    measured: list[str]
    ranks: int
    messages: bool


def measure(
    comm: MPI.Intracomm,
    seconds: float = 2.0,
    nodes: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Measure the machine of ``comm`` in about ``seconds``. Collective; the same report on every rank.

    Args:
        comm: any mpi4py communicator.
        seconds: how long; the longer, the less of what else the machine does is in the figures.
        nodes: as for :class:`sortlast.Compositor`.
        progress: called with the measurements done, and how many there are.

    Raises:
        ArgumentError: ``seconds`` not positive, ``nodes`` below 1.
        TimeoutError: a rank does not come.
    """
    from mpi4py import MPI

    if not 0 < seconds < float("inf"):
        raise ArgumentError(f"seconds is {seconds}; expected a time, more than 0")
    if nodes is not None and nodes < 1:
        raise ArgumentError(f"nodes is {nodes}; expected None or a number of ranks, 1 or more")
    laps = max(round(seconds / _LAP), _LEAST_LAPS)
    probe = _native.mpi().Probe(MPI._handleof(comm), nodes or 0, _TIMEOUT)
    machines = []
    for lap in range(laps):
        progress(lap, laps)
        machines.append(probe.measure(seconds / laps))
    progress(laps, laps)

    # A figure that could not be measured has its default to the last bit.
    standard = Machine()
    values = {name: [getattr(machine, name) for machine in machines] for name in TIMES}
    known = {name: [t for t in values[name] if t != getattr(standard, name)] for name in TIMES}

    def combined(choice: Callable[[list[float]], float]) -> Machine:
        times = {name: choice(known[name]) for name in TIMES if known[name]}
        return Machine(**times, cores=machines[0].cores, ranks=machines[0].ranks)

    measured = [name for name in TIMES if known[name]]
    return Report(combined(median_low), combined(min), combined(max), measured, comm.size, nodes == 1)


def choices(report: Report, p: int, n: int) -> list[Prediction]:
    """What "auto" chooses from, fastest first, for p ranks on nodes like those measured and n pixels.

    Images are dense and RGBA float32.
    """
    nodes = None
    if report.machine.ranks > 1 and not report.messages:
        nodes = [rank // report.machine.ranks for rank in range(p)]
    return choose(p, n, report.machine, nodes=nodes)
