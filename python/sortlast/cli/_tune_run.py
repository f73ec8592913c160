"""Measuring the machine: on the ranks of the user's mpiexec, or on ranks that are started for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sortlast import launch
from sortlast.cli import _progress
from sortlast.schedule import Machine

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.tune import Report


@dataclass(frozen=True)
class Settings:
    """As the arguments of :func:`sortlast.tune.measure`; ``keep``: keep the profile for this machine."""

    seconds: float
    node_ranks: int | None
    keep: bool


@dataclass(frozen=True)
class Measured:
    """A report, and the file in which its profile was kept; "" if it was not to be."""

    report: Report
    kept: str


def measure(comm: MPI.Intracomm, settings: Settings) -> Measured:
    """Measure on the ranks of ``comm`` with a progress bar on rank 0's standard error. Communicates.

    The profile is kept by rank 0, on whose host and MPI library its place depends.
    """
    from sortlast import tune

    with _progress.bar(f"measuring on {comm.size} ranks", enabled=comm.rank == 0) as bar:
        report = tune.measure(comm, settings.seconds, settings.node_ranks, bar)
    return Measured(report, tune.keep(report.machine) if settings.keep and comm.rank == 0 else "")


def started(ranks: int, settings: Settings) -> Measured:
    """Measure on ranks that are started for it. Raises RanksError if they fail."""
    from sortlast.tune import Report

    told = launch.ranks("sortlast.cli._tune_ranks", asdict(settings), ranks)
    machine, low, high = (Machine.from_json(told[name]) for name in ("machine", "low", "high"))
    report = Report(machine, low, high, told["measured"], told["ranks"], told["messages"])
    return Measured(report, told["kept"])


def as_json(found: Measured) -> dict[str, Any]:
    """What was measured, for :func:`started`."""
    report = found.report
    told = {name: getattr(report, name).to_json() for name in ("machine", "low", "high")}
    others = {"measured": report.measured, "ranks": report.ranks, "messages": report.messages}
    return {**told, **others, "kept": found.kept}
