"""One TCP stream over the loopback network: ``python -m ...stream SECONDS``; says "sending" once it does."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable

_BYTES = 1 << 16  # of a send


def pump(sender: socket.socket, more: Callable[[], bool]) -> None:
    """Send as fast as TCP takes it while ``more()`` is true, and then say that it is over."""
    data = bytes(_BYTES)
    while more():
        sender.sendall(data)
    sender.shutdown(socket.SHUT_WR)


def drain(receiver: socket.socket) -> int:
    """Receive until the sender says that it is over, and return how many bytes came."""
    into = bytearray(_BYTES)
    arrived = 0
    while count := receiver.recv_into(into):
        arrived += count
    return arrived


def stream(seconds: float) -> int:
    """Send from one thread of this process to another, and return how many bytes arrived."""
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
