"""Cells of the study: one pattern with one size of messages on one network, a step each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """A pattern with messages of ``size`` bytes on a network, by name."""

    network: str
    pattern: str
    size: int

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"{self.network}/{self.pattern}-{self.size}"


@dataclass(frozen=True)
class Settings:
    """What all cells of a study share."""

    seed: int
    ties: str
    version: str


@dataclass(frozen=True)
class Result:
    """What the simulation of a cell gave; ``elapsed`` in seconds, memory in bytes."""

    cycles: int
    packets: int
    packet_hops: int
    mean_delay: float
    elapsed: float
    bytes_used: int
