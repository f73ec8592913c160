"""The ranks of ``sortlast tune``; their settings are ``_tune_run.Settings``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortlast import launch
from sortlast.cli import _tune_run

if TYPE_CHECKING:
    from mpi4py import MPI


def measure(comm: MPI.Intracomm, asked: Any) -> Any:
    """Measure on all ranks. Communicates."""
    return _tune_run.as_json(_tune_run.measure(comm, _tune_run.Settings(**asked)))


if __name__ == "__main__":
    launch.serve(measure, alike=True)
