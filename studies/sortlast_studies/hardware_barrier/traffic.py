"""Background traffic: TCP streams over the loopback network, or from each machine to the next.

``python -m ...traffic SECONDS`` is one stream over the loopback network; it prints "sending" when it starts.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from sortlast import Error, _leftovers

if TYPE_CHECKING:
    from mpi4py import MPI

_BYTES = 1 << 16  # per send
_LIMIT = 30.0  # for a connection [s]
_WINDOW = 1 << 16  # maximum bytes under way on a connection: TCP's window without scaling
_SETTLE = 1.0  # time until queues and shapers are full [s]


@contextmanager
def background(seconds: float) -> Iterator[None]:
    """Run one TCP stream per core over the loopback network during the block.

    A stream ends by itself after ``seconds``, even if this process dies. Each runs in its own session, like
    ranks
    do: Linux may share the cores among sessions, and streams in another session starved all ranks.

    Raises:
        Error: a stream did not start.
    """
    command = [sys.executable, "-m", __name__, str(seconds)]
    with ExitStack() as started:
        streams = [
            started.enter_context(_leftovers.start(command, stdout=subprocess.PIPE, text=True)).process
            for _ in os.sched_getaffinity(0)
        ]
        for stream in streams:
            if stream.stdout is None or stream.stdout.readline() != "sending\n":
                raise Error(f"{' '.join(command)} did not start to send")
        yield
    for stream in streams:
        stream.communicate()


@contextmanager
def ring(comm: MPI.Intracomm, addresses: Sequence[str]) -> Iterator[None]:
    """Stream from each rank's machine to the next one's during the block, so that every link is full.

    Collective. Args: ``addresses``: addresses of the machines, by rank.
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
        server.settimeout(_LIMIT)
        ports = comm.allgather(server.getsockname()[1])
        sender = socket.create_connection((addresses[following], ports[following]), _LIMIT)
        receiver, _ = server.accept()
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _WINDOW)
    receiver.settimeout(_LIMIT)
    return sender, receiver


def pump(sender: socket.socket, more: Callable[[], bool]) -> None:
    """Send as fast as TCP accepts while ``more()`` is true, and then signal the end."""
    data = bytes(_BYTES)
    while more():
        sender.sendall(data)
    sender.shutdown(socket.SHUT_WR)


def drain(receiver: socket.socket) -> int:
    """Receive until the sender signals the end, and return the number of bytes received."""
    into = bytearray(_BYTES)
    arrived = 0
    while count := receiver.recv_into(into):
        arrived += count
    return arrived


def stream(seconds: float) -> int:
    """Send from one thread of this process to another, and return the number of bytes received."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = socket.create_connection(server.getsockname())
        receiver, _ = server.accept()
    end = time.monotonic() + seconds
    with receiver, sender:
        sending = threading.Thread(target=pump, args=(sender, lambda: time.monotonic() < end), daemon=True)
        sending.start()
        return drain(receiver)


if __name__ == "__main__":
    print("sending", flush=True)
    stream(float(sys.argv[1]))
