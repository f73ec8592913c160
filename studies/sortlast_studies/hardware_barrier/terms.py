"""Functions and names over the table for report, checks and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sortlast_studies.hardware_barrier import paper
from sortlast_studies.hardware_barrier.device import CALIBRATION, LARGER
from sortlast_studies.hardware_barrier.frames import RENDERERS
from sortlast_studies.hardware_barrier.groups import PARTS
from sortlast_studies.hardware_barrier.latency import RATES
from sortlast_studies.hardware_barrier.port import FIRST_PORT
from sortlast_studies.hardware_barrier.steps import LOADS
from sortlast_studies.hardware_barrier.swap import HERTZ, RENDER
from sortlast_studies.table import Table, Wanted

# Items of the table.
HERE, ERROR = "Tables 3 and 6 here", "Difference from the serial composite"
LOCAL = {load: f"Table 4 here, {load}" for load in LOADS}
LARGE = "Larger clusters, {}"
GROUPS, GROUPS_HERE = "Dynamic barriers", "Dynamic barriers here"
SUBSETS = {paper.NODES: (2, 4, paper.NODES), paper.MOST_NODES + 1: (8, 64, paper.MOST_NODES + 1)}  # members
SWAP, SKEW, SWAP_HERE = "Swap locking", "Swap locking, skew", "Swap locking here"
LARGE_SIZES = ("256x256", "512x512", "1024x1024")

Range = tuple[float, float]  # lowest, highest


def gap(computed: Range, published: Range) -> float:
    """Distance of two ranges, relative to the nearer end of the published one.

    It is positive if the computed range is above, 0 if the ranges overlap.
    """
    if computed[0] > published[1]:
        return computed[0] / published[1] - 1
    if computed[1] < published[0]:
        return computed[1] / published[0] - 1
    return 0.0


@dataclass(frozen=True)
class Cell:
    """A cell of Table 3 and the cell of Table 6 for its size: frames per second.

    The paper has ranges, and two times of MPI_Barrier per network: alone on the network, and a lower bound if
    the network is congested. A computed rate is therefore a range too, from congested to alone.
    """

    network: str
    size: str
    published: Range
    computed: Range
    published_hardware: float
    computed_hardware: float

    @property
    def difference(self) -> float:
        """Gap of the computed range to the published one."""
        return gap(self.computed, self.published)

    @property
    def difference_alone(self) -> float:
        """The gap with the barrier alone on its network."""
        return gap((self.computed[1], self.computed[1]), self.published)

    @property
    def published_gain(self) -> Range:
        """Table 6 over Table 3."""
        return self.published_hardware / self.published[1], self.published_hardware / self.published[0]

    @property
    def computed_gain(self) -> Range:
        """The computed gain with the barrier alone, and congested."""
        return self.computed_hardware / self.computed[1], self.computed_hardware / self.computed[0]

    @property
    def gain_difference(self) -> float:
        """Gap of the computed gain to the published one."""
        return gap(self.computed_gain, self.published_gain)

    @property
    def implied_barrier(self) -> Range:
        """MPI_Barrier implied by the published rates [ms]: additional time of a frame over the hardware."""
        frame = 1 / self.published_hardware - paper.hardware_barrier()
        return 1e3 * (1 / self.published[1] - frame), 1e3 * (1 / self.published[0] - frame)


class Terms:
    """Terms over a table."""

    sizes, calibration = tuple(paper.SIZES), CALIBRATION
    kinds_of_network, nodes, inputs, most_nodes = paper.KINDS, paper.NODES, paper.INPUTS, paper.MOST_NODES
    here, error, local, large, renderers, port = HERE, ERROR, LOCAL, LARGE, RENDERERS, str(FIRST_PORT)
    fewest, most = LARGER[0], LARGER[-1]
    mbit = RATES
    groups, groups_here, swap, skew, swap_here = GROUPS, GROUPS_HERE, SWAP, SKEW, SWAP_HERE
    hertz, render, parts = HERTZ, RENDER, PARTS

    def __init__(self, table: Table) -> None:
        self._table = table

        def both(row: str, kind: Wanted) -> Range:
            return table.value("Table 3", row, "lowest", kind), table.value("Table 3", row, "highest", kind)

        self.cells = [
            Cell(
                network,
                size,
                both(f"{network}, {size}", "published"),
                both(f"{network}, {size}", "ours"),
                table.value("Table 6", size, "frames/s", "published"),
                table.value("Table 6", size, "frames/s", "ours"),
            )
            for network in paper.NETWORKS
            for size in paper.SIZES
        ]
        # Table 6: computed over published, minus 1, without the calibrating sizes.
        self.predicted = {
            size: ratio - 1
            for size, ratio in self.ratios("Table 6", "frames/s", "ours").items()
            if size not in CALIBRATION
        }
        # Table 5: the printed totals minus their parts.
        self.excess = {
            pc: total - table.value("Table 5", pc, "OUT") - table.value("Table 5", pc, "IN")
            for pc, total in table.column("Table 5", "total").items()
        }

    def ratios(self, item: str, column: str, kind: Wanted) -> dict[str, float]:
        """Ratios of our values of a kind to the published ones, by row."""
        ours = self._table.column(item, column, kind)
        published = self._table.column(item, column, "published")
        return {row: ours[row] / value for row, value in published.items() if row in ours}

    def kept(self, size: str) -> dict[str, float]:
        """The fraction of the frame rate on 8 nodes that remains on the largest cluster, by barrier."""
        few, *_, many = (self._table.line(LARGE.format(size), nodes) for nodes in LARGER)
        return {name: many[name] / rate for name, rate in few.items()}

    def outside(self, tolerance: float) -> list[Cell]:
        """Cells of Table 3 with a larger difference from the rate with the barrier alone."""
        return [cell for cell in self.cells if abs(cell.difference_alone) > tolerance]

    def inside(self, tolerance: float) -> list[Cell]:
        """Cells of Table 3 with at most this difference."""
        return [cell for cell in self.cells if abs(cell.difference_alone) <= tolerance]

    def sizes_alike(self, barrier: str, other: str) -> list[str]:
        """The sizes with the same frame rates with both barriers under swap locking."""
        first, second = (self._table.column(SWAP, name) for name in (barrier, other))
        return [size for size in paper.SIZES if first[size] == second[size]]

    def no_future(self, kind: str) -> str:
        """Why no future work was measured on hosts of a network; empty if it was."""
        return self._table.note(f"{GROUPS_HERE}, {kind}", "refused")

    def implied_by_others(self, cell: Cell) -> list[float]:
        """The longest barriers implied by the other ranges on a cell's network [ms]."""
        return [
            max(other.implied_barrier)
            for other in self.cells
            if other.network == cell.network and other is not cell and other.published[0] < other.published[1]
        ]

    @staticmethod
    def worst(differences: Iterable[float]) -> float:
        """The difference with the largest absolute value, with its sign."""
        return max(differences, key=abs)

    @staticmethod
    def farthest(differences: Mapping[str, float]) -> str:
        """The name of the difference with the largest absolute value."""
        return max(differences, key=lambda name: abs(differences[name]))
