"""The machine of a communicator, measured: what "auto" chooses by.

::

    report = tune.measure(MPI.COMM_WORLD)
    report.machine.save("profile.json")  # for Compositor(comm, profile="profile.json")
    if comm.rank == 0:
        tune.keep(report.machine)  # for every compositor on this machine that is told no other
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sortlast import _arrays, _native
from sortlast._errors import ArgumentError
from sortlast.schedule import Machine, choose

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.schedule import Prediction

TIMES = ("alpha", "beta", "node_alpha", "node_beta", "gamma_read", "gamma_write", "copy")


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
    node_ranks: int | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Report:
    """Measure the machine of ``comm`` in about ``seconds``. Collective; the same report on every rank.

    Args:
        comm: any mpi4py communicator.
        seconds: how long; the longer, the less of what else the machine does is in the figures.
        node_ranks: as for :class:`sortlast.Compositor`.
        progress: called with the measurements done, and how many there are.

    Raises:
        ArgumentError: ``seconds`` not positive, ``node_ranks`` below 0.
        MismatchError: arguments that differ between ranks, or are wrong on some.
        TimeoutError: a rank does not come within 60 s.
    """
    from sortlast._mpi4py import MPI

    # What C++ could not be told goes along, so that every rank hears of it.
    problem, length, ranks = "", 0.0, 0
    try:
        length = _arrays.number(seconds, "seconds")
        ranks = _arrays.count(node_ranks, "node_ranks")
        if not callable(progress):
            raise ArgumentError(f"progress is {progress!r}; expected something that can be called")
    except ArgumentError as error:
        problem, progress = str(error), lambda done, total: None
    handle = MPI._handleof(comm)
    return Report(*_native.mpi().measure_machine(handle, length, ranks, progress, problem))


def kept_profile() -> str:
    """The file that a compositor on this host, over this MPI library, reads if it is told no other profile.

    It lies in ``$XDG_CACHE_HOME/sortlast`` or ``~/.cache/sortlast``. Its name is made of the host's name
    without digits, so that the nodes of a cluster share it, its processor, its cores and the MPI library's
    version. Empty if neither ``XDG_CACHE_HOME`` nor ``HOME`` is set.
    """
    return str(_native.mpi().kept_profile_path())


def keep(machine: Machine) -> str:
    """Write :func:`kept_profile`, whole or not at all, and return its path; for one rank to call.

    Raises:
        ArgumentError: it cannot be written.
    """
    return str(_native.mpi().keep_profile(machine))


def choices(report: Report, p: int, n: int) -> list[Prediction]:
    """What "auto" chooses from, fastest first, for p ranks on nodes like those measured and n pixels.

    Images are dense and RGBA float32.
    """
    nodes = None
    if report.machine.ranks > 1 and not report.messages:
        nodes = [rank // report.machine.ranks for rank in range(p)]
    return choose(p, n, report.machine, nodes=nodes)
