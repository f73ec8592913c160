"""What every rank of the demo knows of the data, and what a mode of the demo does."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import sortlast
from sortlast.render.blocks import Block, Spacing
from sortlast.render.camera import Camera
from sortlast.render.data import Volume
from sortlast.render.window import Image

if TYPE_CHECKING:
    from mpi4py import MPI

AZIMUTH, ELEVATION = 60.0, 28.0  # of the first frame [degrees]


@dataclass(frozen=True)
class Settings:
    """What to render and how; `size` is (width, height), `timeout` the longest wait in seconds."""

    data: str
    mode: str  # a key of MODES
    size: tuple[int, int]
    frames: int
    algorithm: str
    timeout: float
    trace: Path | None
    component: int | None = None  # of the data, and its time: as render.load() takes them
    time: int | None = None
    memory: int | None = None  # bytes that the data may take


@dataclass(frozen=True)
class Scene:
    """What every rank knows of the volume."""

    shape: tuple[int, int, int]
    spacing: Spacing
    threshold: float
    radius: float

    @classmethod
    def of(cls, volume: Volume) -> Scene:
        """What every rank is told of a volume."""
        x, y, z = volume.voxels.shape
        return cls((x, y, z), volume.spacing, volume.threshold, volume.radius)

    @property
    def whole(self) -> Block:
        """The whole volume as one block."""
        x, y, z = self.shape
        return Block((0, 0, 0), (x - 1, y - 1, z - 1))

    def camera(self, turn: float) -> Camera:
        """The camera after `turn` of a full turn around the volume."""
        bounds = self.whole.bounds(self.spacing)
        return Camera.orbit(bounds, self.radius, AZIMUTH + 360 * turn, ELEVATION)


def share_cores(comm: MPI.Intracomm) -> None:
    """Limit Mesa's threads to this rank's share of the node; to be called before any rendering."""
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    cores = len(os.sched_getaffinity(0))
    os.environ.setdefault("LP_NUM_THREADS", str(max(1, cores // node.size)))
    node.Free()


class Part(ABC):
    """What one rank renders in one mode, how it is composited, and what the frame is compared with.

    All ranks make one each, with the scene and the volume that rank 0 alone has: Part(comm, settings,
    scene, voxels). What a rank renders, its `own`, and how all of it lies in depth, the `order`, are the
    mode's alone.
    """

    @abstractmethod
    def render(self, camera: Camera) -> Any:
        """What this rank contributes to a frame."""

    @abstractmethod
    def order(self, camera: Camera) -> Any:
        """How the contributions lie in depth. Communicates, unless there is nothing to find."""

    @abstractmethod
    def composite(self, compositor: sortlast.Compositor, own: Any, order: Any) -> sortlast.Tile:
        """This rank's tile of the frame. Communicates."""

    @abstractmethod
    def serial(self, own: Any, order: Any) -> Image | None:
        """All contributions composited one after the other, on rank 0; None elsewhere. Communicates."""

    @abstractmethod
    def whole(self, camera: Camera) -> Image:
        """The frame as one process renders it; to be called on rank 0 alone, without communication."""

    @property
    @abstractmethod
    def images(self) -> int:
        """How many images or lists all ranks have together: rounding errors grow with it; 0: none occur."""


def send(comm: MPI.Intracomm, array: npt.NDArray[Any], rank: int) -> None:
    """Send an array of any shape; `receive` gives it back."""
    comm.send((array.shape, array.dtype.str), dest=rank)
    comm.Send(np.ascontiguousarray(array), dest=rank)


def receive(comm: MPI.Intracomm, rank: int) -> npt.NDArray[Any]:
    """The array that a rank sends."""
    shape, dtype = comm.recv(source=rank)
    array: npt.NDArray[Any] = np.empty(shape, dtype)
    comm.Recv(array, source=rank)
    return array
