"""Functions and names over the table for report, checks and figures."""

from __future__ import annotations

from sortlast_studies.made_routes.frames import IMAGE, NODES, SHARED_BY, SHIFT, SWAP
from sortlast_studies.made_routes.measured import HOSTS, MADE, RATE, USUAL
from sortlast_studies.table import Table

# Items and columns of the table.
USUAL_RATE, MADE_RATE = "frames/s, ftree", "frames/s, made"
GAIN, USUAL_FLOWS, MADE_FLOWS, LOST, GAP = "gain", "flows, ftree", "flows, made", "lost", "gap"
PAIRS = "Tables that two schedules share"
MEASURED = "Frames a second on hosts of network namespaces"


def of_nodes(p: int) -> str:
    """The item with the frames on ``p`` nodes."""
    return f"Frames of {p} nodes"


class Terms:
    """Terms over a table."""

    swap, shift, shared_by, hosts, rate = SWAP, SHIFT, SHARED_BY, HOSTS, RATE
    width, height = IMAGE
    usual, made, pairs, measured = USUAL, MADE, PAIRS, MEASURED
    gain_column, lost_column, gap_column = GAIN, LOST, GAP
    of_nodes = staticmethod(of_nodes)

    def __init__(self, table: Table) -> None:
        self._table = table
        self.nodes = [p for p in NODES if table.rows(of_nodes(p))]

    def rate_of(self, p: int, schedule: str, column: str = MADE_RATE) -> float:
        """Frames per second."""
        return self._table.value(of_nodes(p), schedule, column)

    def usual_rate(self, p: int, schedule: str) -> float:
        """Frames per second under ftree's tables."""
        return self.rate_of(p, schedule, USUAL_RATE)

    def gains(self, schedule: str) -> list[float]:
        """Ratio of the frame rates under the made tables and ftree's, by number of nodes."""
        return [self._table.value(of_nodes(p), schedule, GAIN) for p in self.nodes]

    def radix_gains(self) -> list[float]:
        """These ratios for all k vectors."""
        rows = [(p, row) for p in self.nodes for row in self._table.rows(of_nodes(p)) if "radix-k" in row]
        return [self._table.value(of_nodes(p), row, GAIN) for p, row in rows]

    def losing(self, kind: str) -> list[str]:
        """Schedules with ``kind`` in their names, and node counts, with a loss under the made tables."""
        return [
            f"{row}, {p} nodes"
            for p in self.nodes
            for row in self._table.rows(of_nodes(p))
            if kind in row and self._table.value(of_nodes(p), row, LOST) > 0
        ]

    def swap_over_shift(self) -> list[float]:
        """Ratio of the frame rates of binary swap and shift, each under its own tables, by node count."""
        return [self.rate_of(p, SWAP) / self.rate_of(p, SHIFT) for p in self.nodes]

    def sharing(self, with_shift: bool) -> list[bool]:
        """For each pair with or without shift, whether both lose nothing under shared tables."""
        lost = {row: self._table.value(PAIRS, row, LOST) for row in self._table.rows(PAIRS)}
        found = []
        for row in lost:
            first, _, second = row.partition(" with ")
            if first < second and (SHIFT in (first, second)) == with_shift:
                found.append(lost[row] == 0 and lost[f"{second} with {first}"] == 0)
        return found

    def measured_rate(self, schedule: str, tables: str) -> float | None:
        """Frames per second on namespaces; None if not measured."""
        return self._table.get(MEASURED, schedule, tables, "measured")
