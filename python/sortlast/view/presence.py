"""Detects ranks of this machine that have died. The kernel reports it at once, at no cost until then.

Ranks of other machines, and ranks that are alive but do not answer, are detected by timeouts.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mpi4py import MPI


def watch(comm: MPI.Intracomm, ranks: Sequence[int], died: Callable[[int], None]) -> None:
    """Call ``died(rank)`` once, in a separate thread, when one of these ranks has ended. Collective.

    Must be called in the main thread.
    """
    # Hydra sends this signal to the other ranks; by default it would end them.
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    own = (os.uname().nodename, _namespace(), os.getpid())
    places = comm.allgather(own)
    waits = select.poll()
    watched = {}
    for rank in ranks:
        machine, namespace, pid = places[rank]
        if rank == comm.rank or (machine, namespace) != own[:2]:
            continue
        with suppress(OSError):  # the kernel lacks it or forbids it
            file = os.pidfd_open(pid)
            watched[file] = rank
            waits.register(file, select.POLLIN)
    if not watched:
        return

    def wait() -> None:
        ended = waits.poll()
        died(watched[ended[0][0]])

    threading.Thread(target=wait, name="presence", daemon=True).start()


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
