"""The ranks of :func:`sortlast_testbed.record`.

Their settings are its arguments. The report has the events of each frame by rank, and the counters before and
after it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import Compositor, launch, trace
from sortlast_testbed import plan
from sortlast_testbed.recording import CONNECTIONS
from sortlast_testbed.testbed import Testbed

if TYPE_CHECKING:
    from mpi4py import MPI

_PORT = 5001
_PIECE = 1 << 16  # bytes of a send
_SOON = 0.15  # after its call, a rank is stopped [s]
_LEAD = 0.3  # of other traffic, in which its windows grow [s]


def record(comm: MPI.Intracomm, asked: Any) -> Any:
    """Composite all frames; collective."""
    testbed = Testbed.found(asked["testbed"])
    width, height = asked["size"]
    image = np.full((height, width, 4), 0.25, np.float32)
    frames = []
    with Compositor(comm, algorithm=asked["algorithm"]) as compositor:
        compositor.composite(image)
        for disturbance in asked["disturbances"]:
            before = _counters(comm, testbed)
            with ExitStack() as stack:
                _disturb(stack, comm, testbed, asked["hosts"], disturbance)
                stop = _stopper(comm.rank, stack, disturbance)
                comm.Barrier()
                if disturbance["late"] and disturbance["late"][0] == comm.rank:
                    time.sleep(disturbance["late"][1])
                stop()
                with compositor.trace() as events:
                    compositor.composite(image)
                comm.Barrier()
            gathered = trace.gather(comm, events)
            after = _counters(comm, testbed)
            own = [[list(vars(event).values()) for event in rank] for rank in gathered or []]
            frames.append({"events": own, "before": before, "after": after})
    return frames


def _counters(comm: MPI.Intracomm, testbed: Testbed) -> dict[str, list[int]]:
    """Counters of all channels, read between two barriers; empty on ranks other than 0."""
    comm.Barrier()
    found = testbed.counters() if comm.rank == 0 else None
    comm.Barrier()
    return {} if found is None else {each.name: getattr(found, each.name).tolist() for each in fields(found)}


def _disturb(stack: ExitStack, comm: MPI.Intracomm, testbed: Testbed, hosts: list[int], what: Any) -> None:
    """Begin what is slow in the fabric; it ends with the stack."""
    if what["slow"] and comm.rank == 0:
        channel, rate = what["slow"]
        testbed.set_rate(channel, rate)
        stack.callback(testbed.set_rate, channel, testbed.settings.rate_mbit)
    if what["traffic"]:
        sender, receiver, size = what["traffic"]
        address = plan.address(hosts[receiver])
        if comm.rank == receiver:
            stack.enter_context(_receiving(address))
        comm.Barrier()
        if comm.rank == sender:
            stack.enter_context(_sending(address, size))
            time.sleep(_LEAD)


def _stopper(rank: int, stack: ExitStack, what: Any) -> Callable[[], None]:
    """What has this rank's process stopped soon; the process that stops it is there already."""
    if not what["stopped"] or what["stopped"][0] != rank:
        return lambda: None
    own, seconds = os.getpid(), what["stopped"][1]
    script = f"read go; sleep {_SOON}; kill -STOP {own}; sleep {seconds}; kill -CONT {own}"
    process = stack.enter_context(subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE))
    assert process.stdin is not None
    return process.stdin.close


@contextmanager
def _receiving(address: str) -> Iterator[None]:
    """Accept connections and read all that arrives."""
    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server((address, _PORT), backlog=CONNECTIONS))

        def accept() -> None:
            connections = [server.accept()[0] for _ in range(CONNECTIONS)]
            _together([partial(_drain, end) for end in connections])

        thread = threading.Thread(target=accept)
        thread.start()
        stack.callback(thread.join)
        yield


@contextmanager
def _sending(address: str, size: int) -> Iterator[None]:
    """Send ``size`` bytes over several connections."""

    def send() -> None:
        with socket.create_connection((address, _PORT)) as connection:
            for _ in range(-(-size // CONNECTIONS // _PIECE)):
                connection.sendall(bytes(_PIECE))

    thread = threading.Thread(target=_together, args=([send] * CONNECTIONS,))
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _drain(connection: socket.socket) -> None:
    with connection:
        while connection.recv(_PIECE):
            pass


def _together(actions: list[Callable[[], None]]) -> None:
    """Run actions in threads, until all have ended."""
    threads = [threading.Thread(target=action) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    launch.serve(record, alike=True)
