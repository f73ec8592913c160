"""A congested network under the ranks of a job: every rank streams to the next over TCP."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sortlast.study.hardware_barrier.live.stream import drain, pump

if TYPE_CHECKING:
    from mpi4py import MPI

_PATIENCE = 30.0  # time for a connection [s]
_WINDOW = 1 << 16  # bytes under way on a connection at most: TCP's window without scaling
_SETTLE = 1.0  # time until queues and shapers are full [s]


@contextmanager
def ring(comm: MPI.Intracomm, addresses: Sequence[str]) -> Iterator[None]:
    """Stream from each rank's machine to the next one's while the block runs, so that every link is full.

    Collective. Args: ``addresses`` of the machines, by rank.
    """
    sender, receiver = _connected(comm, addresses)
    over = threading.Event()
    with sender, receiver:
        threads = [
            threading.Thread(target=pump, args=(sender, lambda: not over.is_set()), daemon=True),
            threading.Thread(target=drain, args=(receiver,), daemon=True),
        ]
        for thread in threads:
            thread.start()
        time.sleep(_SETTLE)
        comm.Barrier()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()


def _connected(comm: MPI.Intracomm, addresses: Sequence[str]) -> tuple[socket.socket, socket.socket]:
    """A connection to the next rank, and one from the rank before."""
    following = (comm.rank + 1) % comm.size
    with socket.create_server(("", 0)) as server:
        server.settimeout(_PATIENCE)
        ports = comm.allgather(server.getsockname()[1])
        sender = socket.create_connection((addresses[following], ports[following]), _PATIENCE)
        receiver, _ = server.accept()
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _WINDOW)
    receiver.settimeout(_PATIENCE)
    return sender, receiver
