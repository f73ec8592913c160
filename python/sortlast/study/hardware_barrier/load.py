"""Background traffic on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sortlast import Error, _leftovers


@contextmanager
def background(seconds: float) -> Iterator[None]:
    """One TCP stream a core over the loopback network while the block runs.

    A stream ends by itself after ``seconds``, whatever becomes of this process. Each is a session of
    its own, as ranks are: Linux may share the cores among sessions, and streams in another starved all ranks.

    Raises:
        Error: a stream did not start.
    """
    command = [sys.executable, "-m", "sortlast.study.hardware_barrier.live.stream", str(seconds)]
    streams: list[subprocess.Popen[str]] = []
    with _leftovers.processes() as mark:
        for _ in os.sched_getaffinity(0):
            streams.append(
                subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    text=True,
                    start_new_session=True,
                    env={**os.environ, **mark},
                )
            )
        for stream in streams:
            if stream.stdout is None or stream.stdout.readline() != "sending\n":
                raise Error(f"{' '.join(command)} did not start to send")
        yield
    for stream in streams:
        stream.communicate()
