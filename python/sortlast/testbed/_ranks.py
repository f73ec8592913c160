"""The ranks of :func:`sortlast.testbed.measure`.

They are asked the testbed's name, the bytes of a message and how often a stage is repeated. The report has
the matrix, the names of the machines, and the bytes that had left by each channel before each stage and after
the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortlast import bandwidth, launch
from sortlast.testbed.testbed import Testbed

if TYPE_CHECKING:
    from mpi4py import MPI


def measure(comm: MPI.Intracomm, asked: Any) -> Any:
    """Measure on all ranks; the counters are read between two barriers, when no message is under way."""
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
