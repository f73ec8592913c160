"""The ranks of :func:`sortlast_testbed.measure`.

Their settings are the testbed's name, the size of a message in bytes and the number of repetitions of a
stage. The report contains the matrix, the machine names, and the bytes sent by each channel so far, before
each stage and after the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortlast import bandwidth, launch
from sortlast_testbed.testbed import Testbed

if TYPE_CHECKING:
    from mpi4py import MPI


def measure(comm: MPI.Intracomm, asked: Any) -> Any:
    """Measure on all ranks; counters are read between two barriers, when no message is in flight."""
    testbed = Testbed.found(asked["testbed"])
    counters = []

    def between_stages(done: int, total: int) -> None:
        comm.Barrier()
        if comm.rank == 0:
            counters.append(testbed.sent().tolist())
        comm.Barrier()

    found = bandwidth.measure(comm, asked["message_bytes"], asked["repeat"], between_stages)
    return {"matrix": found.matrix.tolist(), "names": found.names, "counters": counters}


if __name__ == "__main__":
    launch.serve(measure, alike=True)
