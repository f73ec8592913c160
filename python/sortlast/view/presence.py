"""Which ranks of this machine have died: the kernel says so at once, and costs nothing until then.

Ranks of other machines, and those that live and do not answer, are found by the limits of waits.
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
    """Call ``died(rank)`` in a thread of its own, once, when one of these ranks has ended. Collective.

    To be called in the main thread.
    """
    # Hydra tells the other ranks by this signal, which would end them.
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    own = (os.uname().nodename, _namespace(), os.getpid())
    places = comm.allgather(own)
    waits = select.poll()
    watched = {}
    for rank in ranks:
        machine, namespace, pid = places[rank]
        if rank == comm.rank or (machine, namespace) != own[:2]:
            continue
        with suppress(OSError):  # a kernel without it, or one that forbids it
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
