"""Names and terms for the rows of the study, its report and its checks."""

from __future__ import annotations

from sortlast_studies.radix_k import cluster
from sortlast_studies.table import Table


class Items:
    """Names of items of the table."""

    by_ranks, by_size, by_content = "Figure 1, by ranks", "Figure 1, by megapixels", "Section 5.2, measured"
    over = "Figure 4, binary-swap over radix-k"
    by_blending = "Figure 4, by rate of blending"
    ends = "Figure 5, last number of processes"
    others = "Figure 5, other numbers over powers of two"
    swaps, frames = "Figure 5, 2-3 swap", "Frames asked for"
    axis, gain, ranking = "Figure 6, axis", "Figure 6, gain", "Figure 6, rank correlation"
    places = "Figure 6, place in blocks of 2x2x2"
    services, overlap = "Figure 6, by service of the links", "Figure 3, by service of the links"
    ratios = "Figure 4, by service of the links"
    primes = "Figure 7, primes over the line of multiples of 4"
    fours, lines = "Figure 7, multiples of 4", "Figure 7, lines"
    active, cores, choice = "Section 5.2, active", "Section 5.2, cores", "Section 5.2, choice"


class Terms(Items):
    """Terms over a table."""

    cut = "ordered links, cut messages"  # like the library's messages
    crossbars = tuple(map(cluster.column, cluster.CROSSBARS))  # columns of Figure 7

    def __init__(self, table: Table) -> None:
        self._table = table

    def bounds_met(self) -> int:
        """Number of schedules of Table 1 that meet the bounds of reduce-scatter, except for latency."""
        bound = self._table.line("Table 1", "Reduce-scatter")
        lines = [self._table.line("Table 1", name) for name in self._table.rows("Table 1", "computed")]
        return sum(all(line[of] == bound[of] for of in ("bandwidth", "computation")) for line in lines)

    def best(self, item: str, column: str) -> list[tuple[str, float]]:
        """The rows of an item with their values in a column, in ascending order."""
        return sorted(self._table.column(item, column).items(), key=lambda each: each[1])
