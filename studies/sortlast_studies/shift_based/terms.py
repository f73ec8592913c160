"""Functions and names over the table for the report and the checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose

import numpy as np

from sortlast import Error
from sortlast.bandwidth import Bandwidths
from sortlast_studies.shift_based.cluster import (
    ARITY,
    CALIBRATED_BY,
    DIRECT_SEND,
    NODES,
    RUNS,
    Run,
    size_name,
)
from sortlast_studies.shift_based.costs import ALGORITHMS, OTHERS, POWERS, POWERS_ONLY
from sortlast_studies.shift_based.costs import PRICED as PRICED_RANKS
from sortlast_studies.shift_based.frames import COUNTS, SIZES
from sortlast_studies.shift_based.steps import RANDOM_RUN
from sortlast_studies.table import Table, Wanted

# Items, rows and columns of the table.
RATIOS = "Table 1, ours / published"
COMMUTES = "parallel-pipeline, with an operator that commutes"  # a row of RATIOS
SWAPS = ("2-3-swap", "binary-swap")
PRICED = "Table 1, 4096x4096 pixels"
CALIBRATION = "Calibration"
RANDOM = f"{RANDOM_RUN.item}, random order"
SIZES_RATIO = f"{size_name(SIZES[0])} / {size_name(SIZES[-1])}"  # a column of Figure 8
BY_MECHANISM, CROWDING = "Direct-send by mechanism", "Messages under way to one receiver"
MEASURED = "Measured"
BESIDE = "Other algorithms, frames/s"
BEYOND = "Beyond the paper, {}"  # with an image

LATENCY = (128, 1024, 4096, 32768)  # ranks for the fraction of latency
_ROUNDING = 1e-9
_CALLED = {"2-3-swap": "2-3 swap", "parallel-pipeline": "pipeline"}  # in sentences


def pairs(name: str) -> str:
    """The item with the bandwidths of all pairs of a figure or a measurement."""
    return f"{name}, all pairs"


@dataclass(frozen=True)
class Ratios:
    """Ratios of ours to the published values: minimum and maximum over some numbers of ranks."""

    least: float
    most: float

    @property
    def equal(self) -> bool:
        """Whether ours equals the published value at all of them."""
        return isclose(self.least, 1, rel_tol=_ROUNDING) and isclose(self.most, 1, rel_tol=_ROUNDING)

    @property
    def text(self) -> str:
        """The ratios for a cell or a sentence."""
        if self.equal:
            return "equal"
        least, most = f"{self.least:.2f}", f"{self.most:.2f}"
        return least if least == most else f"{least} to {most}"


class Table1:
    """How close our Table 1 is, and why it differs, from the ratios in the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def ratios(self, name: str, term: str, item: str = RATIOS) -> Ratios:
        """Ratios of an algorithm's latency or transfer."""
        found = self._table.find(item, name, term)
        if found is None or found.spread is None:
            raise Error(f"the table has no least and greatest of {item}, {name}, {term}")
        return Ratios(*found.spread)

    def equal(self, name: str, item: str = RATIOS) -> bool:
        """Whether both terms equal the published ones at all numbers of ranks."""
        return all(self.ratios(name, term, item).equal for term in ("latency", "transfer"))

    def bounded(self, name: str, most: float = 1) -> bool:
        """Whether neither term is above ``most`` times the published one."""
        return all(self.ratios(name, term).most <= most * (1 + _ROUNDING) for term in ("latency", "transfer"))

    @property
    def compared(self) -> list[str]:
        """The algorithms of the table."""
        return [name for name in self._table.rows(RATIOS) if name in ALGORITHMS]

    @property
    def near_table_1(self) -> str:
        """A sentence without its end: how many rows are equal, and the ratios of the others."""
        names, every = self.compared, sorted([*POWERS, *OTHERS])
        different = [name for name in names if not self.equal(name)]
        where = (
            f"{len(every)} numbers of ranks from {every[0]} to {every[-1]} "
            f"({' and '.join(sorted(POWERS_ONLY))} at the {len(POWERS)} powers of two)"
        )
        ratios = (
            f"{name} latency {self.ratios(name, 'latency').text}, "
            f"transfer {self.ratios(name, 'transfer').text}"
            for name in different
        )
        equal = len(names) - len(different)
        return "; ".join([f"{equal} of {len(names)} rows equal at {where}", *ratios])

    @property
    def why_table_1(self) -> str:
        """A sentence without its end on why rows differ; empty if none does."""
        return "; ".join(self._why(name) for name in self.compared if not self.equal(name))

    def _why(self, name: str) -> str:
        latency, transfer = (self.ratios(name, term) for term in ("latency", "transfer"))
        called = _CALLED.get(name, name)
        if self.bounded(name):
            how = f"our {called} costs less than published"
        elif min(latency.least, transfer.least) >= 1 - _ROUNDING:
            how = (
                f"our {called} costs up to {max(latency.most, transfer.most):.2f} times as much as published"
            )
        else:
            how = f"our {called} differs from the published one"
        return f"{how}, {self._reason(name)}"

    def _reason(self, name: str) -> str:
        if name == "parallel-pipeline" and self.equal(COMMUTES):
            return (
                "because an operator such as over may not join the two ends of its ring; with a commutative "
                "operator it is equal"
            )
        if name == "2-3-swap" and self.equal("powers of two", "Table 1, " + " / ".join(SWAPS)):
            return (
                "because the published terms are bounds for any p; at powers of two our groups are all of "
                "two, as in binary swap, and at others some are of three"
            )
        return "for an unknown reason"


class Terms(Table1):
    """Terms over a table."""

    runs, direct_send_runs, random_run = RUNS, DIRECT_SEND, RANDOM_RUN
    powers, others, powers_only = POWERS, OTHERS, sorted(POWERS_ONLY)
    priced_ranks, latency_ranks = PRICED_RANKS, LATENCY
    images = tuple(size_name(size) for size in SIZES)
    first_nodes, last_nodes, leaf = COUNTS[0], COUNTS[-1], ARITY
    commutes = COMMUTES
    predicted_runs = tuple(run for run in RUNS if run.basis == "predicted")
    calibrated_runs = CALIBRATED_BY
    beside = BESIDE

    def spread(self, item: str, row: str, column: str) -> str:
        """A mean, with minimum and maximum if there are several samples; "-" if there is none."""
        found = self._table.find(item, row, column, "ours")
        if found is None:
            return "-"
        ends = "" if found.spread is None else " ({:.2f} to {:.2f})".format(*found.spread)
        return f"{found.value:.2f}{ends}"

    def bandwidths(self, name: str, message_bytes: int) -> Bandwidths:
        """The matrix of a figure or a measurement."""
        rows = self._table.of(pairs(name))
        names = list(dict.fromkeys(row.row for row in rows))
        matrix = np.zeros((len(names), len(names)))
        for row in rows:
            matrix[int(row.row), int(row.column)] = 1e6 * (row.value or 0)
        return Bandwidths(matrix, names, message_bytes)

    # --- runs -----------------------------------------------------------------------------------------

    def error(self, item: str, column: str = "shift", row: str = "frames/s") -> float:
        """Relative deviation of ours from the published value; positive if ours is larger."""
        return self._table.value(item, row, column) / self._table.value(item, row, column, "published") - 1

    def errors(self, basis: str, row: str = "frames/s") -> dict[str, float]:
        """Deviations of the "calibrated" or "predicted" runs."""
        return {run.item: self.error(run.item, row=row) for run in RUNS if run.basis == basis}

    @property
    def direct_send_errors(self) -> dict[str, float]:
        """Deviations of the frame rates of direct-send, by case."""
        return {run.case: self.error(run.item, "direct-send") for run in DIRECT_SEND}

    @staticmethod
    def off(errors: Mapping[str, float]) -> str:
        """The range of the absolute errors, in percent."""
        sizes = [round(100 * abs(error)) for error in errors.values()]
        least, most = min(sizes), max(sizes)
        return f"{least} %" if least == most else f"{least} to {most} %"

    def rate(self, item: str, kind: Wanted = "ours") -> float:
        """Frames per second of shift in a figure."""
        return self._table.value(item, "frames/s", "shift", kind)

    def rise(self, row: str, kind: Wanted) -> float:
        """Relative increase of a value from Figure 5 to Figure 7, which has twice the pixels."""
        half, whole = (self._table.value(item, row, "shift", kind) for item in ("Figure 5", "Figure 7"))
        return whole / half - 1

    def faster(self, kind: Wanted) -> dict[str, float]:
        """Ratio of the frame rates of shift and direct-send, by case."""
        found = {}
        for run in DIRECT_SEND:
            shift, other = (
                self._table.value(run.item, "frames/s", name, kind) for name in ("shift", "direct-send")
            )
            found[run.case] = shift / other
        return found

    def over_others(self, run: Run) -> dict[str, float]:
        """Ratio of the frame rates of shift and each other algorithm for a run, simulated by flows."""
        shift = self._table.value(run.item, "frames/s", "shift", "simulated")
        return {name: shift / rate for name, rate in self._table.column(BESIDE, run.case).items()}

    def about(self, item: str) -> str:
        """Description of the figure of a run."""
        run = next(run for run in RUNS if run.item == item)
        return f"bandwidths of all pairs, {run.p} nodes, {run.image}, {run.order} order"

    def near(self, item: str) -> str:
        """How close a run is: frame rate, mean bandwidth, and direct-send where published."""
        (rate, fps), (mean, bandwidth) = (
            [self._table.value(item, row, "shift", kind) for kind in ("ours", "published")]
            for row in ("frames/s", "mean bandwidth")
        )
        calibrated = item in {run.item for run in CALIBRATED_BY}
        basis = "calibrated" if calibrated else "predicted"
        off = 100 * self.error(item, row="mean bandwidth")
        parts = [
            f"{basis}: {rate:.2f} frames/s, published {fps:g} ({100 * self.error(item):+.1f} %)",
            f"mean bandwidth {mean:.0f} MB/s, published {bandwidth:.0f} "
            f"({'given' if calibrated else f'{off:+.0f} %'})",
        ]
        if any(run.item == item for run in DIRECT_SEND):
            rate, fps = (self._table.value(item, "frames/s", "direct-send", k) for k in ("ours", "published"))
            off = 100 * self.error(item, "direct-send")
            parts.append(f"direct-send {rate:.2f} frames/s, published {fps:g} ({off:+.1f} %)")
        return "; ".join(parts)

    # --- Figure 8 -------------------------------------------------------------------------------------

    @property
    def step(self) -> int:
        """Distance of the published peaks."""
        return int(self._table.value("Figure 8", "peaks", self.images[0], "published"))

    @property
    def published_ratio(self) -> float:
        """Published ratio of the frame rates of the smallest and largest images."""
        return self._table.value("Figure 8", self.first_nodes, SIZES_RATIO, "published")

    def first_over_last(self, p: int) -> float:
        """Ratio of the frame rates of the smallest and largest images on p nodes, by flows."""
        return self._table.value("Figure 8", p, SIZES_RATIO, "ours")

    def basis(self, p: int, image: str) -> str:
        """Basis of a value of Figure 8: "calibrated" if the run of its figure calibrates the model."""
        given = any((run.p, run.image) == (p, image) for run in CALIBRATED_BY)
        return "calibrated" if given else "predicted"

    @property
    def as_published(self) -> list[str]:
        """The sizes of images with peaks at all multiples of the published step except the first."""
        whole = ", ".join(map(str, range(self.first_nodes + self.step, self.last_nodes + 1, self.step)))
        return [size for size in self.images if self._table.note("Figure 8", "peaks", size, "ours") == whole]

    @property
    def peaks(self) -> str:
        """The peaks of each size of images; sizes with the same peaks are listed together."""
        by_peaks: dict[str, list[str]] = {}
        for size in self.images:
            by_peaks.setdefault(self._table.note("Figure 8", "peaks", size, "ours"), []).append(size)
        return "; ".join(f"{listed} nodes ({', '.join(sizes)})" for listed, sizes in by_peaks.items())

    # --- beyond the paper -----------------------------------------------------------------------------

    @property
    def beyond(self) -> list[str]:
        """The items with other nodes and images, one per image."""
        return self._table.items(BEYOND.format(""))

    @property
    def larger(self) -> dict[str, dict[str, float]]:
        """The values of full larger trees with the paper's image of Figures 4 to 6, by nodes."""
        item = BEYOND.format(RUNS[0].image)
        rows = [row for row in self._table.rows(item) if int(row) > NODES and int(row) % NODES == 0]
        return {row: self._table.line(item, row) for row in rows}

    def growth(self, stage_cost: bool = False) -> dict[str, float]:
        """Simulated ratio of shift to direct-send, on the cluster and larger ones, by nodes.

        With ``stage_cost``, the messages of direct-send also pay the fixed cost of a stage of shift, one
        after the other.
        """
        stage = 1e-6 * self._table.value(CALIBRATION, "bandwidths", "stage") if stage_cost else 0.0
        run = RUNS[1]
        of_cluster = (self._table.value(run.item, "frames/s", name) for name in ("shift", "direct-send"))
        rates = {str(NODES): tuple(of_cluster)}
        rates |= {
            row: (values["shift"], values["direct-send"])
            for row, values in self.larger.items()
            if "direct-send" in values
        }
        return {
            row: shift * (1 / direct_send + (int(row) - 1) * stage)
            for row, (shift, direct_send) in rates.items()
        }
