"""Measures the machine of a communicator, by which "auto" chooses.

::

    report = tune.measure(MPI.COMM_WORLD)
    if comm.rank == 0:
        tune.save(report.machine, "profile.json")  # for Compositor(comm, profile="profile.json")
        tune.keep(report.machine)  # for every compositor on this machine without another profile
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast import _arrays, _native, provenance
from sortlast._errors import ArgumentError, Error
from sortlast.files import write_text
from sortlast.schedule import Machine, choose

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.provenance import Provenance
    from sortlast.schedule import Prediction

Settings = Mapping[str, str | int | float | None]  # of a measurement, by name

TIMES = ("alpha", "beta", "node_alpha", "node_beta", "gamma_read", "gamma_write", "copy")


@dataclass(frozen=True)
class Report:
    """A measurement, the same on every rank.

    ``machine``: the median of each figure over the measurements. ``low`` and ``high``: the minimum and the
    maximum. ``measured``: names of the figures of :data:`TIMES` that could be measured; the others are
    defaults, such as times of messages between nodes if there is only one node. ``ranks``: of the
    communicator. ``messages``: ranks of a node were not allowed to read each other's images.
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
        seconds: duration; longer measurements are less affected by other load on the machine.
        node_ranks: as for :class:`sortlast.Compositor`.
        progress: called with the number of measurements done and the total.

    Raises:
        ArgumentError: ``seconds`` not positive, ``node_ranks`` below 0.
        MismatchError: arguments that differ between ranks, or are invalid on some.
        TimeoutError: a rank does not arrive within 60 s.
    """
    native, handle = _native.joining(comm)
    # Pass on an error of the conversion, so that every rank reports it.
    problem, length, ranks = "", 0.0, 0
    try:
        length = _arrays.number(seconds, "seconds")
        ranks = _arrays.count(node_ranks, "node_ranks")
        if not callable(progress):
            raise ArgumentError(f"progress is {progress!r}; expected something that can be called")
    except ArgumentError as error:
        problem, progress = str(error), lambda done, total: None
    return Report(*native.measure_machine(handle, length, ranks, progress, problem))


def machine_name() -> str:
    """A name for this host with this MPI library, which a profile records as its origin.

    It consists of the host's name without digits, so that the nodes of a cluster share it, the processor, its
    cores and the MPI library's version.
    """
    return str(_native.mpi().machine_name())


def kept_profile() -> str:
    """The file that a compositor on this machine reads if no other profile is given.

    It is :func:`machine_name` with ``.json``, in ``$XDG_CACHE_HOME/sortlast`` or ``~/.cache/sortlast``. Empty
    if neither ``XDG_CACHE_HOME`` nor ``HOME`` is set.
    """
    return str(_native.mpi().kept_profile_path())


def save(
    machine: Machine,
    path: str | os.PathLike[str],
    origin: Provenance | None = None,
    settings: Settings | None = None,
) -> None:
    """Write the profile of a measurement made here, atomically; call it on one rank.

    Besides the figures it records the machine on which they were measured: :func:`machine_name`, ``origin``
    and the ``settings`` of the measurement. ``Machine.save`` writes only the figures.

    Args:
        machine: the measured figures, or figures assumed for this machine.
        path: of the file.
        origin: of the measurement; None: this process, now.
        settings: of the measurement, for readers of the file.

    Raises:
        sortlast.Error: it cannot be written.
    """
    write_text(Path(path), _profile(machine, origin, settings))


def keep(machine: Machine, origin: Provenance | None = None, settings: Settings | None = None) -> str:
    """:func:`save` to :func:`kept_profile`, and return its path; call it on one rank.

    Raises:
        sortlast.Error: it cannot be written.
    """
    path = kept_profile()
    if not path:
        raise Error(
            "there is no place to keep a profile; set HOME or XDG_CACHE_HOME, or save it to a file and name"
            " that by SORTLAST_PROFILE"
        )
    write_text(path, _profile(machine, origin, settings), folders=True)
    return path


def _profile(machine: Machine, origin: Provenance | None, settings: Settings | None) -> str:
    told = json.loads(machine.to_json()) | {
        "measured_on": machine_name(),
        "provenance": asdict(origin or provenance.here()),
        "settings": dict(settings or {}),
    }
    return json.dumps(told, indent=2) + "\n"


def choices(report: Report, p: int, n: int) -> list[Prediction]:
    """The choices of "auto", fastest first, for p ranks on nodes like the measured ones and n pixels.

    Images are dense and RGBA float32.
    """
    nodes = None
    if report.machine.ranks > 1 and not report.messages:
        nodes = [rank // report.machine.ranks for rank in range(p)]
    return choose(p, n, report.machine, nodes=nodes)
