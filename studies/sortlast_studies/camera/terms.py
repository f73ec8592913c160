"""Functions and names over the table for report, checks and figures."""

from __future__ import annotations

from dataclasses import dataclass

from sortlast_studies.camera import cells, frames, placement, views
from sortlast_studies.camera.fabrics import (
    FABRICS,
    LEAF,
    ONE_SWITCH,
    TAPERED,
    TAPERED_HOSTS,
    TAPERED_UP,
    TORUS,
    TWO_LEVEL,
    UPLINKS,
    taper,
)
from sortlast_studies.camera.frames import FIXED, FLOWS, SHIFT, STAGES, SWAP
from sortlast_studies.camera.views import LOWEST, SORTINGS, TREE
from sortlast_studies.table import Table
from sortlast_studies.taper import frames as taper_frames

# Items and columns of the table.
ORDERS, BY_DISTANCE = "Different orders", "Different orders by distance"
FIXED_APART = "Shift and direct-send, greatest difference between orders"
RATIO, OVER_SHIFT, FREE = "best / worst", "worst / shift", "free of contention"
SAME = 0.02  # frame rates with a smaller relative difference count as equal


def rates(p: int, way: str) -> str:
    """The item with the frame rates over the views."""
    return f"Frames a second, {p} ranks, {way}"


def by_order(p: int) -> str:
    """The item with the frame rate of each order, by flows if they cover all orders."""
    return f"Frames a second of each order, {p} ranks"


def views_of(p: int) -> str:
    """The item with directions and their orders."""
    return f"Views, {p} ranks"


def orbit(p: int) -> str:
    """The item with the orders of the orbit, by degree."""
    return f"Orbit, {p} ranks"


def models(p: int) -> str:
    """The item with ratios of flows to stages."""
    return f"Flows over stages, {p} ranks"


def tapers(p: int) -> str:
    """The item with the frame rates by taper."""
    return f"Frames a second by taper, {p} ranks"


def sample(p: int) -> str:
    """The item with the frames computed by all models."""
    return f"Best and worst order by every model, {p} ranks"


def case(fabric: str, where: str, algorithm: str, sorting: str) -> str:
    """A row: fabric or taper, placement, algorithm, and, unless in FIXED, the rule that chooses orders."""
    return "; ".join([fabric, where, algorithm, *([] if algorithm in FIXED else [sorting])])


@dataclass(frozen=True)
class Case:
    """The case of a row of frame rates, with a value."""

    p: int
    fabric: str
    placement: str
    algorithm: str
    sorting: str
    value: float

    @property
    def text(self) -> str:
        """The case as part of a sentence."""
        return f"{self.p} ranks, {self.fabric}, {self.placement}"


class Terms:
    """Terms over a table."""

    fabrics, placements_about, sortings = FABRICS, placement.PLACEMENTS, SORTINGS
    lowest, tree, ratio, over_shift, free, stages, flows = (
        LOWEST,
        TREE,
        RATIO,
        OVER_SHIFT,
        FREE,
        STAGES,
        FLOWS,
    )
    shift, direct, swap, swap_23, same = SHIFT, frames.DIRECT, SWAP, frames.SWAP_23, SAME
    link, stage, blend, pixel_bytes = (
        taper_frames.LINK,
        taper_frames.STAGE,
        taper_frames.BLEND,
        taper_frames.PIXEL_BYTES,
    )
    image, small, packet_bytes = taper_frames.IMAGE, taper_frames.SMALL, taper_frames.PACKET_BYTES
    seed, distance, angle, inclination = views.SEED, views.DISTANCE, views.VIEW_ANGLE, views.INCLINATION
    turn, busy, search, flows_up_to = views.TURN, placement.BUSY, placement.SEARCH, frames.FLOWS_UP_TO
    leaf_order, morton, random = placement.LEAF, placement.MORTON, placement.RANDOM
    one_switch, tapers_shown = ONE_SWITCH, [taper(up) for up in UPLINKS]
    leaf, up, tapered_hosts = LEAF, TAPERED_UP, TAPERED_HOSTS
    two_level, tapered, torus, tried_on_tapers = TWO_LEVEL, TAPERED, TORUS, cells.TAPERED
    rates_item, tapers_item, sample_item = staticmethod(rates), staticmethod(tapers), staticmethod(sample)
    models_item, apart_item = staticmethod(models), FIXED_APART
    case = staticmethod(case)

    def __init__(self, table: Table) -> None:
        self._table = table
        self.ranks = [int(row.split()[0]) for row in table.rows(BY_DISTANCE)]
        shown = {row.split("; ")[1] for row in table.rows(rates(self.ranks[0], STAGES))}
        self.placements = [each for each in placement.PLACEMENTS if each in shown]
        self.count = int(table.value(ORDERS, f"{self.ranks[0]} ranks, {LOWEST}", "views"))

    # --- values ---------------------------------------------------------------------------------------

    def way(self, p: int) -> str:
        """The model shown for a job: flows if they cover all orders, otherwise stages."""
        return FLOWS if self._table.rows(rates(p, FLOWS)) else STAGES

    def by_flows(self) -> list[int]:
        """The numbers of ranks that are shown by flows."""
        return [p for p in self.ranks if self.way(p) == FLOWS]

    def algorithms(self, p: int) -> list[str]:
        """The algorithms of a job."""
        return list(dict.fromkeys(row.split("; ")[2] for row in self._table.rows(rates(p, STAGES))))

    def following(self, p: int) -> list[str]:
        """The algorithms with messages that follow the depth order."""
        return [each for each in self.algorithms(p) if each not in FIXED]

    def at(self, p: int, fabric: str, where: str, algorithm: str, sorting: str, column: str) -> float:
        """A value of a case, by the model of its job; freedom from contention is always by stages."""
        way = STAGES if column == FREE else self.way(p)
        return self._table.value(rates(p, way), case(fabric, where, algorithm, sorting), column)

    def cases(self, column: str, algorithm: str, sorting: str = LOWEST, p: int | None = None) -> list[Case]:
        """All jobs, fabrics and placements of an algorithm, with a value, in ascending order."""
        found = [
            Case(
                each,
                fabric,
                where,
                algorithm,
                sorting,
                self.at(each, fabric, where, algorithm, sorting, column),
            )
            for each in ([p] if p else self.ranks)
            if algorithm in self.algorithms(each)
            for fabric in FABRICS
            for where in self.placements
        ]
        return sorted(found, key=lambda each: each.value)

    def values(self, column: str, algorithm: str, sorting: str = LOWEST, p: int | None = None) -> list[float]:
        """The values of :meth:`cases`."""
        return [each.value for each in self.cases(column, algorithm, sorting, p)]

    # --- answers --------------------------------------------------------------------------------------

    def free_everywhere(self, algorithm: str, sorting: str) -> list[Case]:
        """The cases that are free of contention from every view."""
        return [each for each in self.cases(FREE, algorithm, sorting) if each.value == 1]

    def worst_over_median(self, algorithm: str, p: int, sorting: str = LOWEST) -> list[float]:
        """Ratio of the worst to the median view, by fabric and placement."""
        medians = {(c.fabric, c.placement): c.value for c in self.cases("median", algorithm, sorting, p)}
        worst = self.cases("worst", algorithm, sorting, p)
        return sorted(each.value / medians[each.fabric, each.placement] for each in worst)

    def gains(self, algorithm: str, p: int) -> list[float]:
        """Ratio of the worst views by k-d tree and by the lowest rank first, by fabric and placement."""
        lowest = {(c.fabric, c.placement): c.value for c in self.cases("worst", algorithm, LOWEST, p)}
        found = self.cases("worst", algorithm, TREE, p)
        return sorted(each.value / lowest[each.fabric, each.placement] for each in found)

    def best_for_worst(self, p: int, fabric: str, where: str, sorting: str) -> tuple[str, float]:
        """The algorithm with the fastest worst view, without direct-send, and its frames per second."""
        found = {
            each: self.at(p, fabric, where, each, sorting, "worst")
            for each in self.algorithms(p)
            if each != frames.DIRECT
        }
        best = max(found, key=lambda each: found[each])
        return best, found[best]

    def wins(self, p: int, sorting: str) -> dict[str, int]:
        """Number of cases in which each algorithm has the fastest worst view, without direct-send."""
        won = [
            self.best_for_worst(p, fabric, where, sorting)[0]
            for fabric in FABRICS
            for where in self.placements
        ]
        return {each: won.count(each) for each in self.algorithms(p) if each in won}

    def wins_text(self, p: int, sorting: str) -> str:
        """These numbers for a sentence, in descending order."""
        found = sorted(self.wins(p, sorting).items(), key=lambda each: -each[1])
        return ", ".join(f"{name} {count}" for name, count in found)

    def powers(self, ranks: bool = True) -> list[int]:
        """The numbers of ranks that are powers of two, or the other ones."""
        return [p for p in self.ranks if (p & (p - 1) == 0) == ranks]

    def over_jobs(self, column: str, algorithm: str, sorting: str, ranks: list[int]) -> list[float]:
        """The values of :meth:`cases` for some numbers of ranks."""
        return [value for p in ranks for value in self.values(column, algorithm, sorting, p)]

    def ordered(self, algorithm: str, sorting: str = LOWEST) -> list[float]:
        """Ratio of the worst views with the order found for shift and with the original order of hosts."""
        where = {placement.FRAGMENTED, placement.ORDERED}
        if not where.issubset(self.placements):
            return []
        return sorted(
            self.at(p, fabric, placement.ORDERED, algorithm, sorting, "worst")
            / self.at(p, fabric, placement.FRAGMENTED, algorithm, sorting, "worst")
            for p in self.ranks
            if algorithm in self.algorithms(p)
            for fabric in FABRICS
        )

    def morton_over_shift(self, p: int) -> list[float]:
        """Ratio of the worst view of binary swap in Morton order along the k-d tree to shift, by fabric."""
        return [self.at(p, fabric, placement.MORTON, SWAP, TREE, OVER_SHIFT) for fabric in FABRICS]

    def different(self) -> list[list[str]]:
        """Rows of a table: views, orders, and the fraction of the views with the most frequent orders."""
        found = ((row, self._table.line(ORDERS, row).values()) for row in self._table.rows(ORDERS))
        return [[row, f"{views:.0f}", f"{count:.0f}", f"{share:.0%}"] for row, (views, count, share) in found]

    def as_one_switch(self, p: int, algorithm: str, sorting: str) -> list[str]:
        """Tapers and placements with a worst view as fast as on one switch."""
        return [
            f"{taper} in {where}"
            for where in self.tried_on_tapers
            for taper, fps in self.by_taper(p, algorithm, sorting, where, "worst").items()
            if taper != ONE_SWITCH
            and fps >= (1 - SAME) * self.by_taper(p, algorithm, sorting, where, "worst")[ONE_SWITCH]
        ]

    def spread_of(self, item: str, row: str, column: str) -> tuple[float, float]:
        """Minimum and maximum of a sample; the mean twice for a single value."""
        found = self._table.find(item, row, column)
        mean = self._table.value(item, row, column)
        return found.spread if found and found.spread else (mean, mean)

    def by_taper(self, p: int, algorithm: str, sorting: str, where: str, column: str) -> dict[str, float]:
        """A value on one switch and on every taper."""
        return {
            each: self._table.value(tapers(p), case(each, where, algorithm, sorting), column)
            for each in (ONE_SWITCH, *self.tapers_shown)
        }

    def apart(self, way: str) -> float:
        """The largest relative difference between two orders of shift or direct-send."""
        return max(self._table.column(FIXED_APART, way).values(), default=0)

    def extremes(self, p: int, row: str, model: str) -> float | None:
        """Ratio of the best to the worst order of the sample by a model; None if it did not run."""
        best, worst = (self._table.get(sample(p), row, f"{model}, {each}") for each in ("best", "worst"))
        return best / worst if best is not None and worst is not None else None

    def packets_over_flows(self, p: int, algorithm: str) -> list[float]:
        """Ratio of best to worst order by packets, divided by the ratio by flows of the same image."""
        found = []
        for row in self._table.rows(sample(p)):
            flow, packet = (self.extremes(p, row, f"{model}, small") for model in ("flows", "packets"))
            if row.split("; ")[2] == algorithm and flow is not None and packet is not None:
                found.append(packet / flow)
        return found

    # --- curves ---------------------------------------------------------------------------------------

    def over_views(self, p: int, row: str, sorting: str) -> list[float]:
        """Frames per second of every view."""
        return self._followed(p, row, self._table.column(views_of(p), sorting))

    def over_orbit(self, p: int, row: str, sorting: str) -> list[float]:
        """Frames per second at every degree of the orbit."""
        return self._followed(p, row, self._table.column(orbit(p), sorting))

    def jumps(self, p: int, row: str, sorting: str) -> list[float]:
        """Ratios of frame rates between neighbouring degrees of the orbit, where they differ."""
        rate = self.over_orbit(p, row, sorting)
        changes = [max(a, b) / min(a, b) for a, b in zip(rate, [*rate[1:], rate[0]], strict=True)]
        return [each for each in changes if each > 1 + SAME]

    def _followed(self, p: int, row: str, numbers: dict[str, float]) -> list[float]:
        by_number = self._table.line(by_order(p), row)
        return [by_number[str(int(number))] for number in numbers.values()]
