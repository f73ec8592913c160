"""The published values, ``published.json``, as typed values. Bandwidths are in bytes a second."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Run:
    """A run of shift that the paper measured, with a figure of its own.

    Attributes:
        item: the figure.
        where: the section.
        p: nodes.
        size: width and height of the image, of 16 bytes a pixel.
        order: of the nodes, as :func:`sortlast.study.shift_based.cluster.hosts` knows it.
        fps: frames a second.
        bandwidth: mean of the matrix of all pairs.
    """

    item: str
    where: str
    p: int
    size: tuple[int, int]
    order: str
    fps: float
    bandwidth: float

    @property
    def pixels(self) -> int:
        """Of the image."""
        return self.size[0] * self.size[1]


@dataclass(frozen=True)
class DirectSend:
    """A run of direct-send: images of 4096x2048 pixels; ``fps``: frames a second."""

    where: str
    p: int
    order: str
    fps: float

    @property
    def case(self) -> str:
        """Nodes and order, as in the names of steps."""
        return f"{self.p}-{self.order}"


@cache
def values() -> dict[str, Any]:
    """All of ``published.json``."""
    found: dict[str, Any] = json.loads(
        files(__package__).joinpath("published.json").read_text(encoding="utf-8")
    )
    return found


def runs() -> dict[str, Run]:
    """The runs of shift by their figure."""
    made = [Run(**{**each, "size": tuple(each["size"])}) for each in values()["shift"]]
    return {run.item: run for run in made}


def direct_send() -> list[DirectSend]:
    """The runs of direct-send."""
    return [DirectSend(**each) for each in values()["direct_send"]]
