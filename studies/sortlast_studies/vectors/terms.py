"""What the report, the checks and the figures name, over the table."""

from __future__ import annotations

from sortlast_studies.table import Table
from sortlast_studies.vectors.jobs import FABRICS, FAT, IMAGE, LINK, ORDER, PLACEMENTS, RANKS, TAPERED

TARGET, BEST, WORST, AUTO, KNOWN = "k = 8", "best vector", "worst vector", "auto", "auto, fabric known"


def times(p: int) -> str:
    """The item of milliseconds of so many ranks."""
    return f"Milliseconds of a frame, {p} ranks"


def job(fabric: str, placement: str) -> str:
    """The row of a job."""
    return f"{fabric}, {placement}"


class Terms:
    """Those of a table."""

    fabrics, placements, link = FABRICS, PLACEMENTS, LINK
    width, height = IMAGE
    target, best, worst, auto, known = TARGET, BEST, WORST, AUTO, KNOWN
    fat, tapered, in_order = FAT, TAPERED, ORDER
    times = staticmethod(times)

    def __init__(self, table: Table) -> None:
        self._table = table
        self.ranks = [p for p in RANKS if table.rows(times(p))]

    def over(self, column: str, least: str, fabrics: list[str] | None = None) -> list[float]:
        """Of all jobs, or those on some fabrics: the time of one choice over that of another."""
        return [
            self._table.value(times(p), row, column) / self._table.value(times(p), row, least)
            for p in self.ranks
            for row in self._table.rows(times(p))
            if fabrics is None or row.partition(", ")[0] in fabrics
        ]

    def chosen(self, p: int, row: str, column: str) -> str:
        """The algorithm that a value is of."""
        return self._table.note(times(p), row, column)

    def kinds(self, column: str) -> dict[str, int]:
        """How many jobs each algorithm is chosen for, without its parameters; most first."""
        found: dict[str, int] = {}
        for p in self.ranks:
            for row in self._table.rows(times(p)):
                name = self.chosen(p, row, column).partition(":")[0]
                found[name] = found.get(name, 0) + 1
        return dict(sorted(found.items(), key=lambda each: -each[1]))

    def vectors(self, p: int) -> list[str]:
        """The different best k vectors of so many ranks."""
        return sorted({self.chosen(p, row, BEST) for row in self._table.rows(times(p))})
