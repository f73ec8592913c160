"""The ranks of ``sortlast bandwidth``; their settings are ``_bandwidth_run.Settings``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sortlast import launch
from sortlast.cli import _bandwidth_run

if TYPE_CHECKING:
    from mpi4py import MPI


def measure(comm: MPI.Intracomm, asked: Any) -> Any:
    """Measure on all ranks. Communicates."""
    found = _bandwidth_run.measure(comm, _bandwidth_run.Settings(**asked))
    return _bandwidth_run.as_json(found.bandwidths) | {"provenance": asdict(found.origin)}


if __name__ == "__main__":
    launch.serve(measure, alike=True)
