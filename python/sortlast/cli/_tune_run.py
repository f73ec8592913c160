"""Measures the machine on the ranks of the user's mpiexec, or on ranks started here."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sortlast import launch
from sortlast.cli import _progress
from sortlast.provenance import Provenance
from sortlast.schedule import Machine

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.tune import Report


@dataclass(frozen=True)
class Settings:
    """Arguments of :func:`sortlast.tune.measure`; ``keep``: keep the profile for this machine."""

    seconds: float
    node_ranks: int | None
    keep: bool

    def told(self, ranks: int) -> dict[str, int | float | None]:
        """Settings of a measurement by ``ranks`` ranks, for files."""
        return {"ranks": ranks, "seconds": self.seconds, "node_ranks": self.node_ranks}


@dataclass(frozen=True)
class Measured:
    """A report, its provenance, and the file of the kept profile; "" if it was not kept."""

    report: Report
    origin: Provenance
    kept: str


def measure(comm: MPI.Intracomm, settings: Settings) -> Measured:
    """Measure on the ranks of ``comm`` with a progress bar on rank 0's standard error. Communicates.

    Rank 0 keeps the profile; its path depends on rank 0's host and MPI library.
    """
    from sortlast import bench, tune

    with _progress.bar(f"measuring on {comm.size} ranks", enabled=comm.rank == 0) as bar:
        report = tune.measure(comm, settings.seconds, settings.node_ranks, bar)
    origin = bench.origin(comm)
    kept = ""
    if settings.keep and comm.rank == 0:
        kept = tune.keep(report.machine, origin, settings.told(comm.size))
    return Measured(report, origin, kept)


def started(ranks: int, settings: Settings) -> Measured:
    """Measure on ranks started here. Raises RanksError if they fail."""
    from sortlast.tune import Report

    told = launch.ranks("sortlast.cli._tune_ranks", asdict(settings), ranks)
    machine, low, high = (Machine.from_json(told[name]) for name in ("machine", "low", "high"))
    report = Report(machine, low, high, told["measured"], told["ranks"], told["messages"])
    return Measured(report, Provenance(**told["origin"]), told["kept"])


def as_json(found: Measured) -> dict[str, Any]:
    """The measurement, for :func:`started`."""
    report = found.report
    told = {name: getattr(report, name).to_json() for name in ("machine", "low", "high")}
    others = {"measured": report.measured, "ranks": report.ranks, "messages": report.messages}
    return {**told, **others, "origin": asdict(found.origin), "kept": found.kept}
