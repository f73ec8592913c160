"""Starts ranks: runs a Python module under mpiexec, or detects that mpiexec already runs this process.

A command that needs ranks passes settings to a module and receives its report, both as JSON::

    report = launch.ranks("package.module", {"frames": 10}, 4)

In the module every rank calls a function; its result on rank 0 is the report::

    def measure(comm, settings): ...

    if __name__ == "__main__":
        launch.serve(measure)

Users with their own launcher (``srun``, ``mpiexec -f hosts``) put it in front of the command. Then
:func:`under_mpiexec` is true, and :func:`world` returns the communicator.
"""

from sortlast.launch.mpiexec import (
    Launcher,
    RanksError,
    environment,
    find_mpiexec,
    rank_command,
    run,
    under_mpiexec,
    wait_for,
    world,
)
from sortlast.launch.started import ranks, serve

__all__ = [
    "Launcher",
    "RanksError",
    "environment",
    "find_mpiexec",
    "rank_command",
    "ranks",
    "run",
    "serve",
    "under_mpiexec",
    "wait_for",
    "world",
]
