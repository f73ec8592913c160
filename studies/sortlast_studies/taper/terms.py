"""Functions and names over the table for the report."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast_studies.narrowed_trees.networks import FAT, LINK, SWITCH_PORT_SQUARED, THIN_2
from sortlast_studies.narrowed_trees.workloads import size_name
from sortlast_studies.report import span
from sortlast_studies.table import Table
from sortlast_studies.taper import frames, leaves, patterns, placement, sweep
from sortlast_studies.taper.choice import NODE_PRICES, SAME
from sortlast_studies.taper.failures import ROUTINGS
from sortlast_studies.taper.frames import Way
from sortlast_studies.taper.trees import LARGE as LARGE_TREES
from sortlast_studies.taper.trees import REFERENCE, SLENDER, TREES, label

# Items and columns of the table.
PRICES, PER_NODE, BY_PORT = "The trees and their price", "$/node", "$/node, by port"
LARGE = "Frames a second, 4096 nodes"
BEST, WITHIN = "Taper with the best performance per cost", "Fastest tree within a budget"
ADVICE = "Cheapest whole frames, if the schedule can be chosen"
BY_PLACEMENT, BY_LEAF = "Frames a second by placement", "Frames a second by leaf"
PATTERN_TIMES = "Seven patterns, in order and at random"
MISSING = "Frames a second with missing links"

_TO_ALL = ("shift", "direct-send")  # schedules in which every rank sends to every other


def rates(way: Way) -> str:
    """The item with the frame rates on 512 nodes, for one way of simulation."""
    return f"Frames a second, {way.name}"


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


class Terms:
    """Terms over a table."""

    link, stage, blend = frames.LINK, frames.STAGE, frames.BLEND
    packet_bytes, pixel_bytes = frames.PACKET_BYTES, frames.PIXEL_BYTES
    schedules, few_messages, node_prices, same = frames.SCHEDULES, sweep.FEW_MESSAGES, NODE_PRICES, SAME
    flow, by_tables, adaptive = frames.FLOW, frames.TABLES, frames.ADAPTIVE
    rates = staticmethod(rates)
    nodes, large_nodes = REFERENCE.nodes, LARGE_TREES[0].nodes
    link_price, port_squared_price = LINK, SWITCH_PORT_SQUARED
    placements = placement.PLACEMENTS
    fat, thin, size = FAT, THIN_2, size_name(patterns.SIZE)
    cabling, gpus, leaf_schedules = leaves.CABLING, leaves.GPUS, leaves.SCHEDULES

    def __init__(self, table: Table) -> None:
        self._table = table
        self.ways = [way for way in frames.WAYS if table.rows(rates(way))]
        self.timed = [way for way in self.ways if way is not frames.FLOW]
        shown = table.columns(rates(frames.FRAME))
        self.thin_trees = [net for net in TREES if label(net) in shown]
        self.networks = [label(net) for net in (*TREES, *SLENDER) if label(net) in shown]
        trees = {label(net): net for net in (*TREES, *SLENDER)}
        self._cost = {name: table.value(PRICES, trees[name].name, PER_NODE) for name in self.networks}

    # --- taper ----------------------------------------------------------------------------------------

    def relative_cost(self, name: str) -> float:
        """Cost of a network relative to the fat-tree."""
        return self._cost[name] / self._cost[label(REFERENCE)]

    def per_cost(self, way: Way, schedule: str) -> dict[str, float]:
        """Frame rate per cost of each network, relative to the fat-tree."""
        found = self._table.line(rates(way), schedule)
        values = {name: fps / self._cost[name] for name, fps in found.items()}
        return {name: value / values[label(REFERENCE)] for name, value in values.items()}

    def over(self, way: Way, other: Way, schedule: str) -> list[float]:
        """Ratios of the frame rates by two ways, for each thin-tree, the fat-tree first."""
        return [
            self._table.value(rates(way), schedule, label(net))
            / self._table.value(rates(other), schedule, label(net))
            for net in self.thin_trees
        ]

    def over_flows(self) -> dict[str, list[float]]:
        """Frame rates of packets by the tables relative to flows, by schedules and trees."""
        return self._grouped(frames.TABLES, frames.FLOW)

    def over_tables(self) -> dict[str, list[float]]:
        """Frame rates of adaptive packets relative to packets by the tables, by schedules and trees."""
        return self._grouped(frames.ADAPTIVE, frames.TABLES)

    def _grouped(self, way: Way, other: Way) -> dict[str, list[float]]:
        over = {schedule: self.over(way, other, schedule) for schedule in frames.SCHEDULES}
        rest = [name for name in frames.SCHEDULES if name not in _TO_ALL]
        return {
            **over,
            **{f"{name} on thinner trees": over[name][1:] for name in _TO_ALL},
            "others": [each for name in rest if name != "radix-k" for each in over[name]],
            "others on thinner trees": [each for name in rest for each in over[name][1:]],
        }

    def losing(self) -> list[str]:
        """Schedules that lose frames on the fat-tree without its tables, with the remaining fraction."""
        left = {name: self.over(frames.ADAPTIVE, frames.TABLES, name)[0] for name in frames.SCHEDULES}
        return [f"{name} {part:.2f}" for name, part in left.items() if part < 1 - SAME]

    def bought(self, node_price: int) -> str:
        """The trees with the most whole frames per dollar, with their schedules and gains."""
        column = f"node ${node_price:,}"
        found: dict[str, list[str]] = {}
        for schedule in frames.SCHEDULES:
            row = f"{schedule}, {frames.FRAME.name}"
            found.setdefault(self._table.note(BEST, row, column), []).append(schedule)
        return "; ".join(
            f"{net}{' (the fat-tree)' if net == label(REFERENCE) else ''} for {_listed(names)}"
            f"{self._gain(names, column)}"
            for net, names in found.items()
        )

    def most_gain(self, node_price: int) -> str:
        """The largest gain in whole frames per dollar by narrowing, and its schedule."""
        column = f"node ${node_price:,}"
        gains = {
            schedule: self._table.value(BEST, f"{schedule}, {frames.FRAME.name}", column)
            for schedule in frames.SCHEDULES
        }
        schedule = max(gains, key=lambda each: gains[each])
        return f"{gains[schedule]:.2f} times ({schedule})"

    def _gain(self, schedules: Sequence[str], column: str) -> str:
        rows = [f"{schedule}, {frames.FRAME.name}" for schedule in schedules]
        gains = [self._table.value(BEST, row, column) for row in rows]
        return f" ({span(gains)} times the fat-tree's)" if max(gains) > 1 else ""

    def kept(self, way: Way, schedule: str) -> float:
        """Frame rate of the thin-tree with half the ports up relative to the fat-tree."""
        half = label(next(net for net in self.thin_trees if net.narrowing == 2))
        return self._table.value(rates(way), schedule, half) / self._table.value(
            rates(way), schedule, label(REFERENCE)
        )

    def large_per_cost(self, schedule: str) -> list[float]:
        """Frame rates per cost of the trees of 4096 nodes, relative to the fat-tree."""
        costs = {label(net): net.name for net in LARGE_TREES}
        found = self._table.line(LARGE, schedule)
        values = [fps / self._table.value(PRICES, costs[name], PER_NODE) for name, fps in found.items()]
        return [value / values[0] for value in values]

    def answer(self) -> str:
        """A sentence on whether the thin-tree keeps its advantage on random nodes; the paper denies it."""

        def told(row: str) -> dict[str, float]:
            columns = {order: f"{label(THIN_2)} / {label(FAT)}, {order}" for order in patterns.ORDERS}
            return {order: self._table.value(PATTERN_TIMES, row, column) for order, column in columns.items()}

        performance, per_cost = told("φ, fat-tree = 1"), told("φ per cost")
        if per_cost["random"] <= 1:
            verdict = "is lost"
        else:
            smaller = per_cost["random"] < per_cost["routing"]
            verdict = "gets smaller, but is not lost" if smaller else "stays"
        return (
            f"Here the advantage {verdict}: with tasks on random nodes the {THIN_2.name} has "
            f"{performance['random']:.2f} of the performance of the {FAT.name} and "
            f"{per_cost['random']:.2f} times its performance per cost, "
            f"in order {performance['routing']:.2f} and {per_cost['routing']:.2f} times."
        )

    # --- other factors --------------------------------------------------------------------------------

    def rate(self, item: str, row: str, column: str) -> tuple[float, float]:
        """Mean and minimum of the frame rate over the seeds."""
        mean, found = self._table.value(item, row, column), self._table.find(item, row, column)
        return mean, found.spread[0] if found and found.spread else mean

    def share(self, row: str, schedule: str) -> str:
        """Frames per second in order, otherwise percent of this rate; the minimum in brackets."""
        job, placed, net = row.split(", ")
        best, _ = self.rate(BY_PLACEMENT, f"{job}, {placement.ORDER}, {net}", schedule)
        mean, least = self.rate(BY_PLACEMENT, row, schedule)
        shown = f"{mean:.0f}/s" if placed == placement.ORDER else f"{mean / best:.0%}"
        return shown if mean == least else f"{shown} ({least / best:.0%})"

    def over_fat(self, row: str, schedule: str) -> float:
        """Frame rate of a placement relative to the fat-tree."""
        job, placed, _ = row.split(", ")
        fat = f"{job}, {placed}, {label(REFERENCE)}"
        return self.rate(BY_PLACEMENT, row, schedule)[0] / self.rate(BY_PLACEMENT, fat, schedule)[0]

    @property
    def most_ranks(self) -> int:
        """Largest number of ranks of the placed jobs."""
        return max(int(row.split()[0]) for row in self._table.rows(BY_PLACEMENT))

    def intact(self, net: str, schedule: str) -> float:
        """Frame rate of the intact network with the tables of ftree."""
        return self.rate(MISSING, f"{net}, {schedule}, {ROUTINGS[1]}", "0 %")[0]
