"""Functions and names over the table for report, checks and figures."""

from __future__ import annotations

from sortlast_studies.radix_k.blue_gene import LINKS
from sortlast_studies.scale import fat_tree, k_computer
from sortlast_studies.scale.fat_tree import BLOCKS, COMPUTED, DENSE, SIMULATED
from sortlast_studies.table import Table

# Items of the table.
MESSAGES = "Messages and steps of a frame"
KENDALL = "The frame of Kendall et al., seconds"
K_COMPUTER = "The frame of Nonaka et al., milliseconds"
SPEED_UP = "What several steps gain"
MACHINE = "Costs of messages and blending"


def times(content: str) -> str:
    """The item with the milliseconds by algorithm and number of participants."""
    return f"Milliseconds of a frame, {content}"


class Terms:
    """Terms over a table."""

    blocks, dense = BLOCKS, DENSE
    simulated, computed = list(SIMULATED), list(COMPUTED)
    width, pixel_bytes = fat_tree.WIDTH, fat_tree.PIXEL_BYTES
    most_hosts, link = fat_tree.MOST_HOSTS, fat_tree.LINK
    message, k_pixel_bytes, gathers = k_computer.MESSAGE, k_computer.PIXEL_BYTES, k_computer.GATHERS
    links = LINKS
    times_item = staticmethod(times)
    messages, kendall, k_computer, speed_up, machine = MESSAGES, KENDALL, K_COMPUTER, SPEED_UP, MACHINE

    def __init__(self, table: Table) -> None:
        self._table = table
        self.ranks = [int(each) for each in table.columns(times(BLOCKS), "simulated")]
        self.processes = int(table.value(KENDALL, "frame", "processes"))
        self.nodes = int(table.value(K_COMPUTER, "frame", "nodes"))
        self.published_time = table.value("Kendall et al.", "radix-k", "time")

    def time(self, content: str, algorithm: str, p: int, kind: str = "simulated") -> float:
        """Milliseconds of a frame."""
        return self._table.value(times(content), algorithm, p, kind)  # type: ignore[arg-type]

    def fastest(self, content: str, p: int) -> str:
        """The fastest simulated algorithm."""
        return min(SIMULATED, key=lambda each: self.time(content, each, p))

    def speed_up_of(self, algorithm: str) -> float:
        """Speedup from the smallest to the largest number of participants, images of blocks."""
        return self.time(BLOCKS, algorithm, self.ranks[0]) / self.time(BLOCKS, algorithm, self.ranks[-1])

    def over_formula(self, content: str) -> list[float]:
        """Ratio of simulated to computed times, for all algorithms but the tree."""
        return [
            self.time(content, each, p) / self.time(content, each, p, "computed")
            for each in SIMULATED
            if each != "tree"
            for p in map(int, self._table.columns(times(content), "simulated"))
        ]

    def over_published(self) -> dict[str, float]:
        """Ratio of our time to Kendall et al.'s, by the pixels that blocks cover."""
        found = self._table.column(KENDALL, "radix-k", "simulated")
        return {row: seconds / self.published_time for row, seconds in found.items()}

    def nearest(self) -> tuple[str, float]:
        """The row nearest to the published time, and its ratio."""
        found = self.over_published()
        row = min(found, key=lambda each: max(found[each], 1 / found[each]))
        return row, found[row]

    def gains(self, gather: str) -> list[float]:
        """The gain by multi-step, by ascending size."""
        return list(self._table.column(SPEED_UP, gather).values())

    def published_gains(self) -> list[float]:
        """The published minimum and maximum."""
        return [self._table.value("Nonaka et al.", "multi-step", each) for each in ("least", "most")]
