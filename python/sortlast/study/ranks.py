"""Measurements of a study under MPI: ranks started for one, what they are asked, and what they tell."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast import Error, launch
from sortlast.study.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI


def answer(module: str, settings: Mapping[str, Json], ranks: int, timeout: float) -> Json:
    """Run ``python -m module SETTINGS REPORT`` on ``ranks`` ranks of this machine and return the report.

    Args:
        module: it calls :func:`main`.
        settings: what it is asked, as JSON.
        ranks: how many are started.
        timeout: seconds after which they are ended.

    Raises:
        TimeoutError: they did not end in time.
        Error: they failed, and said why on standard error.
    """
    with tempfile.TemporaryDirectory(prefix="sortlast-") as folder:
        asked, told = Path(folder, "settings.json"), Path(folder, "report.json")
        asked.write_text(json.dumps(dict(settings)))
        status = launch.run(module, [str(asked), str(told)], ranks, timeout)
        if status != 0:
            raise Error(f"{ranks} ranks of {module} failed with status {status}")
        return json.loads(told.read_text())


def main(measure: Callable[[MPI.Intracomm, Json], Json]) -> None:
    """What the module runs in each rank: measure as asked, and let rank 0 tell the report.

    A failure ends all ranks, with one message on standard error.
    """
    from sortlast.cli import _failure

    asked, told = map(Path, sys.argv[1:])
    try:
        comm = launch.world()
        report = measure(comm, json.loads(asked.read_text()))
        if comm.rank == 0:
            told.write_text(json.dumps(report))
    except Exception as error:
        _failure.end(error)
