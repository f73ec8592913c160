"""Start ranks: run a module of this Python under mpiexec, or tell that mpiexec already runs us.

A command that needs ranks asks a module by settings, and gets its report, both as JSON::

    report = launch.ranks("package.module", {"frames": 10}, 4)

In the module each rank measures, and what rank 0 returns is the report::

    def measure(comm, settings): ...

    if __name__ == "__main__":
        launch.serve(measure)

A user who has a launcher of their own (``srun``, ``mpiexec -f hosts``) simply puts it in front of the
command: there :func:`under_mpiexec` is true, and :func:`world` gives the communicator.
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
