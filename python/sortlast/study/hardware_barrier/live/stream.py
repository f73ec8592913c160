"""One TCP stream over the loopback network: ``python -m ...stream SECONDS``; says "sending" once it does."""

from __future__ import annotations

import socket
import sys
import threading
import time

_BYTES = 1 << 20  # of a send


def stream(seconds: float) -> int:
    """Send to a thread of this process as fast as TCP takes it, and return how many bytes arrived."""
    arrived = 0

    def drain() -> None:
        nonlocal arrived
        into = bytearray(_BYTES)
        while count := receiver.recv_into(into):
            arrived += count

    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = socket.create_connection(server.getsockname())
        receiver, _ = server.accept()
    with receiver, sender:
        draining = threading.Thread(target=drain, daemon=True)
        draining.start()
        data = bytes(_BYTES)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            sender.sendall(data)
        sender.shutdown(socket.SHUT_WR)
        draining.join()
    return arrived


if __name__ == "__main__":
    print("sending", flush=True)
    stream(float(sys.argv[1]))
