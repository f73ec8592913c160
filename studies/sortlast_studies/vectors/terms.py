"""Functions and names over the table for report, checks and figures."""

from __future__ import annotations

from sortlast_studies.table import Table
from sortlast_studies.vectors.jobs import FABRICS, FAT, IMAGE, LINK, ORDER, PLACEMENTS, RANKS, TAPERED

TARGET, BEST, WORST, AUTO, KNOWN = "k = 8", "best vector", "worst vector", "auto", "auto, fabric known"


def times(p: int) -> str:
    """The item with the milliseconds on ``p`` ranks."""
    return f"Milliseconds of a frame, {p} ranks"


def job(fabric: str, placement: str) -> str:
    """The row of a job."""
    return f"{fabric}, {placement}"


class Terms:
    """Terms over a table."""

    fabrics, placements, link = FABRICS, PLACEMENTS, LINK
    width, height = IMAGE
    target, best, worst, auto, known = TARGET, BEST, WORST, AUTO, KNOWN
    fat, tapered, in_order = FAT, TAPERED, ORDER
    times = staticmethod(times)

    def __init__(self, table: Table) -> None:
        self._table = table
        self.ranks = [p for p in RANKS if table.rows(times(p))]

    def over(self, column: str, least: str, fabrics: list[str] | None = None) -> list[float]:
        """Ratio of the times of two choices, for all jobs or the jobs on some fabrics."""
        return [
            self._table.value(times(p), row, column) / self._table.value(times(p), row, least)
            for p in self.ranks
            for row in self._table.rows(times(p))
            if fabrics is None or row.partition(", ")[0] in fabrics
        ]

    def chosen(self, p: int, row: str, column: str) -> str:
        """The algorithm of a value."""
        return self._table.note(times(p), row, column)

    def kinds(self, column: str) -> dict[str, int]:
        """The number of jobs per chosen algorithm, without its parameters, in descending order."""
        found: dict[str, int] = {}
        for p in self.ranks:
            for row in self._table.rows(times(p)):
                name = self.chosen(p, row, column).partition(":")[0]
                found[name] = found.get(name, 0) + 1
        return dict(sorted(found.items(), key=lambda each: -each[1]))

    def vectors(self, p: int) -> list[str]:
        """The different best k vectors on ``p`` ranks."""
        return sorted({self.chosen(p, row, BEST) for row in self._table.rows(times(p))})
