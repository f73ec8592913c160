"""What ``sortlast bench`` starts on every rank: ``python -m sortlast.cli._bench_ranks SETTINGS REPORT``.

SETTINGS is a JSON file with the fields of :class:`~sortlast.bench.Settings`; rank 0 writes the report to
the JSON file REPORT.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from sortlast import _failure, launch
from sortlast.bench import Settings, Task
from sortlast.cli import _bench_run


def main(settings_file: str, report_file: str) -> None:
    """Measure on all ranks."""
    settings = json.loads(Path(settings_file).read_text())
    settings["tasks"] = [Task(**task) for task in settings["tasks"]]
    comm = launch.world()
    report = _bench_run.measure(comm, Settings(**settings))
    if comm.rank == 0:
        Path(report_file).write_text(json.dumps(asdict(report)))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:
        _failure.end(error)
