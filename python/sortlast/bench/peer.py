"""The interface of a peer: one way to make one frame of all ranks' images."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sortlast.bench.oracle import Finished, Oracle
from sortlast.bench.pattern import Image
from sortlast.bench.task import Task

if TYPE_CHECKING:
    from mpi4py import MPI


@dataclass(frozen=True)
class Scene:
    """The input of all peers: the ranks, the task, this rank's image, and the user's choices.

    ``asked``: algorithms of sortlast. ``installed``: paths of peers that are not part of sortlast, by name.
    """

    comm: MPI.Intracomm
    task: Task
    image: Image
    asked: Sequence[str] = ("auto",)
    installed: Mapping[str, str] = field(default_factory=dict)


class Peer(ABC):
    """One peer, set up for one task on its own communicator. Its calls are collective.

    To add a peer: write a class in a file of :mod:`sortlast.bench.peers`, and list it there.
    """

    name: ClassVar[str]
    is_floor: ClassVar[bool] = False  # does less than the task asks for
    shortlist: ClassVar[int | None] = None  # how many of its algorithms to time, the fastest at first look

    def __init__(self, scene: Scene, algorithm: str) -> None:
        self.comm = scene.comm.Dup()
        self.task, self.image, self.algorithm = scene.task, scene.image, algorithm

    @classmethod
    @abstractmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """The algorithms to set it up with, one after the other."""

    @classmethod
    def obstacle(cls, scene: Scene) -> str | None:
        """The reason why it cannot do this task here; None if it can. Communicates."""
        return None

    @abstractmethod
    def frame(self) -> None:
        """Make one frame; this is the timed part."""

    @abstractmethod
    def finished(self) -> Finished:
        """This rank's pixels of the last frame; with ``task.gather`` the whole frame at rank 0."""

    def input_bytes(self) -> int:
        """Bytes of its own copy of the image, if the image must lie in certain memory; else 0."""
        return 0

    def chosen(self) -> str:
        """The algorithm that the last frame used, with all parameters."""
        return self.algorithm

    def error(self, oracle: Oracle) -> float:
        """Maximum difference of the last frame to the right answer. Communicates."""
        return oracle.error(self.finished())

    def bound(self) -> float:
        """Upper bound for error()."""
        return self.task.bound(self.comm.size)

    def close(self) -> None:
        """Free the resources of frame()."""
        self.comm.Free()
