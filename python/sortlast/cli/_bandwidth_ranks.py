"""What ``sortlast bandwidth`` starts: ``python -m sortlast.cli._bandwidth_ranks SETTINGS REPORT``.

SETTINGS is a JSON file with the fields of :class:`~sortlast.cli._bandwidth_run.Settings`; rank 0 writes what
was measured to the JSON file REPORT.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sortlast import _failure, launch
from sortlast.cli import _bandwidth_run


def main(settings_file: str, report_file: str) -> None:
    """Measure on all ranks."""
    settings = _bandwidth_run.Settings(**json.loads(Path(settings_file).read_text()))
    comm = launch.world()
    found = _bandwidth_run.measure(comm, settings)
    if comm.rank == 0:
        Path(report_file).write_text(json.dumps(_bandwidth_run.as_json(found)))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:
        _failure.end(error)
