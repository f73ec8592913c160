"""More ranks than cores: ask MPICH to yield the core while it waits, before MPI starts.

MPICH polls. With 16 ranks on 2 cores a shift of 1 MB takes 36 ms polling and 1.3 ms yielding; with a core
for each rank yielding would raise the latency of small messages, so it is asked for only where it helps.
"""

import os
import sys

SETTINGS = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "10",
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
}


def relax() -> None:
    """Set MPICH's variables, unless the user did, if its launcher put more ranks here than cores."""
    ranks = os.environ.get("MPI_LOCALNRANKS", "")
    if "mpi4py.MPI" in sys.modules or not ranks.isdigit():
        return
    if int(ranks) > len(os.sched_getaffinity(0)):
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
