"""The ranks of :func:`sortlast.testbed.measure`: ``python -m sortlast.testbed._ranks SETTINGS REPORT``.

SETTINGS is a JSON file with the testbed's name, the bytes of a message and how often a stage is repeated.
Rank 0 writes to the JSON file REPORT the matrix, the names of the machines, and the bytes that had left by
each channel before each stage and after the last.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sortlast import _failure, bandwidth, launch
from sortlast.testbed.testbed import Testbed


def main(settings_file: str, report_file: str) -> None:
    """Measure on all ranks; the counters are read between two barriers, when no message is under way."""
    settings = json.loads(Path(settings_file).read_text())
    comm = launch.world()
    testbed = Testbed.found(settings["testbed"])
    counters = []

    def between_stages(done: int, total: int) -> None:
        comm.Barrier()
        if comm.rank == 0:
            counters.append(testbed.sent().tolist())
        comm.Barrier()

    found = bandwidth.measure(comm, settings["message_bytes"], settings["repeat"], between_stages)
    if comm.rank == 0:
        told = {"matrix": found.matrix.tolist(), "names": found.names, "counters": counters}
        Path(report_file).write_text(json.dumps(told))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:
        _failure.end(error)
