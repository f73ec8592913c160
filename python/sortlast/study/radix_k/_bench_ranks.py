"""What a measurement of frames starts on every rank: the benchmark, without its progress bar."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sortlast import bench, launch
from sortlast.study.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI


def measure(comm: MPI.Intracomm, asked: Json) -> Json:
    """The report of :func:`sortlast.bench.run` on settings as JSON. Communicates."""
    tasks = [bench.Task(**task) for task in asked["tasks"]]
    settings = bench.Settings(**{**asked, "tasks": tasks})
    return asdict(bench.run(comm, settings, lambda what, done, total: None))


if __name__ == "__main__":
    launch.serve(measure)
