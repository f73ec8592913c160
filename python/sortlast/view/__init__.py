"""A web page, served by rank 0, of data that all ranks render; and a film of one turn around the data.

Rank 0 serves viewers in one thread (`server`) and makes frames with all ranks in another (`stage`). The two
threads share a `hub`, which keeps only the latest camera and picture. While nothing moves, all ranks sleep.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import Error, schedule
from sortlast.launch import failure
from sortlast.render.camera import reach
from sortlast.render.look import Look, colour_points, opacity_points
from sortlast.view import controls, pictures, presence
from sortlast.view.controls import Controls
from sortlast.view.hub import Hub, Job
from sortlast.view.stage import FATAL, PING, Drawn, Settings, Stage
from sortlast.view.verdict import Abandoned

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.view.server import Server

__all__ = ["Controls", "Served", "Settings", "serve"]

MOST_RATE = 30.0  # frames per second
_BINS = 64  # of the histogram
_DIGITS = 6  # of times on the timeline


@dataclass(frozen=True)
class Served:
    """Where viewers are served: the address for a browser, and the parts that a tunnel needs."""

    host: str
    port: int
    token: str

    @property
    def place(self) -> str:
        """Host and port, with an IPv6 address in brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def address(self) -> str:
        """The URL, with the token."""
        return f"http://{self.place}/?token={self.token}"


def serve(
    comm: MPI.Intracomm,
    settings: Settings,
    first: Controls,
    host: str,
    port: int,
    tell: Callable[[Served, tuple[str, ...]], None],
) -> None:
    """Show data until the process ends. Collective.

    Rank 0 serves viewers at ``host`` and ``port`` (0: any free one). Once there is something to see, it
    calls ``tell`` with the address and remarks on the data.

    Raises Error on every rank if the data cannot be read or split, or if rank 0 cannot serve. When a rank
    dies or does not answer, viewers see its number, and all ranks exit with status 2.
    """
    from sortlast.view.server import Server  # needs a package that films do not need

    stage = Stage(comm, settings)
    if comm.rank:
        presence.watch(comm, [0], lambda rank: failure.end(Error("rank 0 has died"), alike=False))
        failure.together(comm, lambda: None)
        stage.follow()
        return

    hub = Hub(first, comm.size, MOST_RATE)
    token = secrets.token_urlsafe(16)
    end = _End(hub)
    presence.watch(comm, range(comm.size), end.died)
    server = failure.together(comm, lambda: Server(hub, _facts(stage, comm.size), host, port, token))
    end.server = server
    assert stage.volume is not None
    tell(Served(host, server.port, token), stage.volume.remarks)
    try:
        while True:
            job = hub.take(min(PING, settings.timeout))
            if job is None:
                stage.ping()
            else:
                _make(stage, hub, job)
    except FATAL as error:
        end(error)


class _End:
    """Ends the program once, on the first call, when no more frames can be made."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._first = threading.Lock()
        self.server: Server | None = None

    def died(self, rank: int) -> None:
        """Report that a rank has died."""
        self(Error(f"rank {rank} has died"))

    def __call__(self, error: Exception) -> None:
        """Notify the viewers, then end all ranks."""
        if not self._first.acquire(blocking=False):
            time.sleep(threading.TIMEOUT_MAX)  # the first caller ends this process
        self._hub.end(str(error))
        if self.server is not None:
            self.server.close()
        failure.end(error, alike=False)


def _make(stage: Stage, hub: Hub, job: Job) -> None:
    """Make a frame and publish its picture, unless the frame is abandoned. Raises the errors of FATAL."""
    begin = time.perf_counter()
    try:
        drawn = stage.frame(job.order, hub.moving)
    except Abandoned:
        return
    except FATAL:
        raise
    except Error as error:
        hub.refuse(job, str(error))
        return
    made = time.perf_counter()
    picture = pictures.encoded(drawn.image, job.order.controls.picture, fine=job.fine)
    encoded = time.perf_counter()
    hub.put(job, made - begin, _header(drawn, job, encoded - made), picture)


def _header(drawn: Drawn, job: Job, encode: float) -> dict[str, Any]:
    """Header of a picture for the page; times in seconds, `ready` (when it could be sent) since 1970."""
    return {
        "ready": time.time(),
        "mode": job.order.controls.mode,
        "kind": job.order.controls.picture,
        "size": job.order.size,
        "eye": vars(job.order.eye),
        "algorithm": drawn.algorithm,
        "seconds": {name: round(value, _DIGITS) for name, value in drawn.seconds.items()}
        | {"encode": round(encode, _DIGITS)},
        "timeline": [
            [(name, round(begin, _DIGITS), round(end, _DIGITS)) for name, begin, end in rank]
            for rank in drawn.timeline
        ],
    }


def _facts(stage: Stage, ranks: int) -> dict[str, Any]:
    """Facts about the data that the page needs from the start."""
    volume, scene = stage.volume, stage.scene
    assert volume is not None
    counts, _ = np.histogram(volume.voxels, bins=_BINS, range=(0, 1))
    usual = Look()
    return {
        "name": volume.name,
        "shape": scene.shape,
        "ranks": ranks,
        "threshold": scene.threshold,
        "opacity": opacity_points(usual, scene.threshold),
        "colours": {
            name: colour_points(Look(colours=name), scene.threshold) for name in controls.COLOUR_MAPS
        },
        "histogram": np.log1p(counts).tolist(),
        "modes": controls.MODES,
        "algorithms": ["auto", *(entry.name for entry in schedule.algorithms())],
        "limits": {
            "zoom": (controls.LEAST_ZOOM, controls.MOST_ZOOM),
            "pan": controls.MOST_PAN,
            "elevation": controls.MOST_ELEVATION,
            "side": (controls.LEAST_SIDE, controls.MOST_SIDE),
            "pixels": controls.MOST_PIXELS,
            "points": controls.MOST_POINTS,
        },
        "reach": reach(),
    }
