"""What every cell of the study offers: it becomes a step."""

from __future__ import annotations

from typing import Protocol

from sortlast.study.steps import Json, PartDone


class Cell(Protocol):
    """One simulation of the study."""

    @property
    def name(self) -> str:
        """The name of its step."""

    @property
    def work(self) -> float:
        """Seconds that it takes, about."""

    def simulate(self, part_done: PartDone) -> Json:
        """Run it."""
