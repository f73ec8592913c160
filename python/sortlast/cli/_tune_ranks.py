"""What ``sortlast tune`` starts on every rank: ``python -m sortlast.cli._tune_ranks SETTINGS REPORT``.

SETTINGS is a JSON file with the fields of :class:`~sortlast.cli._tune_run.Settings`; rank 0 writes the report
to the JSON file REPORT.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sortlast import _failure, launch
from sortlast.cli import _tune_run


def main(settings_file: str, report_file: str) -> None:
    """Measure on all ranks."""
    settings = _tune_run.Settings(**json.loads(Path(settings_file).read_text()))
    comm = launch.world()
    found = _tune_run.measure(comm, settings)
    if comm.rank == 0:
        _tune_run.write(found, Path(report_file))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:
        _failure.end(error)
