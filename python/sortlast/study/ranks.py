"""Measurements of a study under MPI: ranks started for one, what they are asked, and what they tell."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast import launch
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
    return launch.answer(
        settings, lambda files: launch.run(module, files, ranks, timeout), f"{ranks} ranks of {module}"
    )


def main(measure: Callable[[MPI.Intracomm, Json], Json]) -> None:
    """What the module runs in each rank: measure as asked, and let rank 0 tell the report.

    A failure ends all ranks, and is told on standard error.
    """
    from sortlast import _failure

    asked, told = map(Path, sys.argv[1:])
    try:
        comm = launch.world()
        report = measure(comm, json.loads(asked.read_text()))
        if comm.rank == 0:
            told.write_text(json.dumps(report))
    except Exception as error:
        _failure.end(error, alike=False)
