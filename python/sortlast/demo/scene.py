"""The demo's scene, known to every rank, and the interface of its modes."""

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
    """Settings of a run; `size` is (width, height), `timeout` the longest wait in seconds."""

    data: str
    mode: str  # a key of MODES
    size: tuple[int, int]
    frames: int
    algorithm: str
    timeout: float
    trace: Path | None
    memory: int | None = None  # max bytes for the data


@dataclass(frozen=True)
class Scene:
    """Properties of the volume that every rank knows."""

    shape: tuple[int, int, int]
    spacing: Spacing
    threshold: float
    radius: float

    @classmethod
    def of(cls, volume: Volume) -> Scene:
        """Extract the scene of a volume."""
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
    """Limit Mesa's threads to this rank's share of the node; must be called before any rendering."""
    from mpi4py import MPI

    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    cores = len(os.sched_getaffinity(0))
    os.environ.setdefault("LP_NUM_THREADS", str(max(1, cores // node.size)))
    node.Free()


class Part(ABC):
    """One rank's part in one mode: how it is rendered, composited, and compared.

    Every rank makes one, Part(comm, settings, scene, voxels), with the volume on rank 0 only. The rendered
    contribution of a rank, `own`, and the order in depth, `order`, are opaque outside the mode.
    """

    @abstractmethod
    def render(self, camera: Camera) -> Any:
        """This rank's contribution to a frame."""

    @abstractmethod
    def order(self, camera: Camera) -> Any:
        """The order of the contributions in depth. Communicates, unless no order is needed."""

    @abstractmethod
    def composite(self, compositor: sortlast.Compositor, own: Any, order: Any) -> sortlast.Tile:
        """Composite; returns this rank's tile of the frame. Communicates."""

    @abstractmethod
    def serial(self, own: Any, order: Any) -> Image | None:
        """Composite all contributions one after the other, on rank 0; None elsewhere. Communicates."""

    @abstractmethod
    def whole(self, camera: Camera) -> Image:
        """Render the frame in one process. Call on rank 0 only; does not communicate."""

    @property
    @abstractmethod
    def images(self) -> int:
        """Number of images or lists of all ranks; rounding errors grow with it. 0: no rounding errors."""


def send(comm: MPI.Intracomm, array: npt.NDArray[Any], rank: int) -> None:
    """Send an array of any shape to `receive` on another rank."""
    comm.send((array.shape, array.dtype.str), dest=rank)
    comm.Send(np.ascontiguousarray(array), dest=rank)


def receive(comm: MPI.Intracomm, rank: int) -> npt.NDArray[Any]:
    """Receive an array sent by `send`."""
    shape, dtype = comm.recv(source=rank)
    array: npt.NDArray[Any] = np.empty(shape, dtype)
    comm.Recv(array, source=rank)
    return array
