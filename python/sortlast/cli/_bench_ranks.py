"""The ranks of ``sortlast bench``; their settings are :class:`sortlast.bench.Settings`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sortlast import launch
from sortlast.bench import Settings, Task
from sortlast.cli import _bench_run

if TYPE_CHECKING:
    from mpi4py import MPI


def measure(comm: MPI.Intracomm, asked: Any) -> Any:
    """Measure on all ranks. Communicates."""
    tasks = [Task(**task) for task in asked["tasks"]]
    return asdict(_bench_run.measure(comm, Settings(**{**asked, "tasks": tasks})))


if __name__ == "__main__":
    launch.serve(measure, alike=True)
