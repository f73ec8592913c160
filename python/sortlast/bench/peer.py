"""What a peer is: one way to make one frame of all ranks' images."""

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
    """What all peers are given: the ranks, the task, this rank's image, and what the user asked for.

    ``asked``: algorithms of sortlast. ``installed``: where peers that are no part of sortlast lie, by name.
    """

    comm: MPI.Intracomm
    task: Task
    image: Image
    asked: Sequence[str] = ("auto",)
    installed: Mapping[str, str] = field(default_factory=dict)


class Peer(ABC):
    """One peer, set up for one task on a communicator of its own. Its calls are collective.

    To add one: a class in a file of :mod:`sortlast.bench.peers`, and its entry there.
    """

    name: ClassVar[str]
    is_floor: ClassVar[bool] = False  # does less than the task asks for
    shortlist: ClassVar[int | None] = None  # time only so many of its algorithms, the fastest of a first look

    def __init__(self, scene: Scene, algorithm: str) -> None:
        self.comm = scene.comm.Dup()
        self.task, self.image, self.algorithm = scene.task, scene.image, algorithm

    @classmethod
    @abstractmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """What to set it up with, one after the other."""

    @classmethod
    def obstacle(cls, scene: Scene) -> str | None:
        """Why it cannot do this task here; None if it can. Communicates."""
        return None

    @abstractmethod
    def frame(self) -> None:
        """Make one frame; this is what is timed."""

    @abstractmethod
    def finished(self) -> Finished:
        """What this rank holds of the last frame; with ``task.gather`` all of it at rank 0."""

    def input_bytes(self) -> int:
        """Bytes of its own copy of the image, if the image has to lie in certain memory; else 0."""
        return 0

    def chosen(self) -> str:
        """What ``algorithm`` turned out to be in the last frame, with all parameters."""
        return self.algorithm

    def error(self, oracle: Oracle) -> float:
        """Greatest difference of the last frame to the right answer. Communicates."""
        return oracle.error(self.finished())

    def bound(self) -> float:
        """Most that error() may be."""
        return self.task.bound(self.comm.size)

    def close(self) -> None:
        """Give up what frame() needed."""
        self.comm.Free()
