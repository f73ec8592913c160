"""The ranks of ``sortlast demo``; their settings are ``demo.Settings`` and the output files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortlast import launch
from sortlast.cli import demo
from sortlast.demo import Settings

if TYPE_CHECKING:
    from mpi4py import MPI


def measure(comm: MPI.Intracomm, asked: Any) -> int:
    """Run the demo; returns the exit status of the command. Communicates."""
    fields = asked["settings"]
    trace, size = fields["trace"], tuple(fields["size"])
    settings = Settings(**{**fields, "size": size, "trace": None if trace is None else Path(trace)})
    json = asked["json"]
    return demo.run(comm, settings, Path(asked["output"]), None if json is None else Path(json))


if __name__ == "__main__":
    launch.serve(measure, alike=True)
