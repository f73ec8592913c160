"""Seconds of a write to a port and of a read from it, Table 5: ``python -m ...accesses SETTINGS REPORT``.

Settings: ``port`` ("wire", the simulated one, or "ppdev", the machine's parallel port), ``calls`` and
``turns``. The report has by that name a list of [write, read], the mean seconds of each turn; or under
``refused``, why there is no such port.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from sortlast import Error, launch
from sortlast.study.hardware_barrier.port import Port, SimulatedWire
from sortlast.study.hardware_barrier.ppdev import ParallelPort
from sortlast.study.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI


def measure(comm: MPI.Intracomm, settings: Json) -> Json:
    """Rank 0's port; the other ranks keep their lines low."""
    makers: dict[str, Callable[[], Port]] = {"wire": lambda: SimulatedWire(comm), "ppdev": ParallelPort}
    name = settings["port"]
    try:
        with closing(makers[name]()) as port:
            return {name: [_mean_seconds(port, settings["calls"]) for _ in range(settings["turns"])]}
    except Error as error:
        return {"refused": str(error)}


def _mean_seconds(port: Port, calls: int) -> tuple[float, float]:
    begin = time.perf_counter()
    for k in range(calls):
        port.write(k % 2 == 0)
    written = time.perf_counter()
    for _ in range(calls):
        port.read()
    return (written - begin) / calls, (time.perf_counter() - written) / calls


if __name__ == "__main__":
    launch.serve(measure)
