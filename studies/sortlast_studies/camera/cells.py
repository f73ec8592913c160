"""The computations of the steps: frames of a job, tapers, a sample by all models, and orders by distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sortlast_studies.camera import fabrics, frames, placement, views
from sortlast_studies.camera.frames import FIXED, FLOWS, FLOWS_UP_TO, STAGES, algorithms
from sortlast_studies.camera.views import LOWEST, SORTINGS, Order
from sortlast_studies.steps import Json, PartDone, in_turn

VIEWS, QUICK_VIEWS = 1_000, 100
SAMPLED = (placement.LEAF, placement.RANDOM)  # placements with extreme orders by every model
TAPERED = (placement.LEAF, placement.MORTON, placement.RANDOM)  # placements on all tapers
QUICK = (placement.LEAF, placement.MORTON, placement.RANDOM)  # placements of the quick study
DISTANCES = (1.0, 1.5, 2.0, views.DISTANCE, 10.0, 100.0)  # edges of the volume


def tried(algorithm: str, different: Sequence[Order]) -> list[Order]:
    """The orders to try with an algorithm: only the first and the last if order should not matter."""
    return [different[0], different[-1]] if algorithm in FIXED else list(different)


@dataclass(frozen=True)
class Job:
    """All algorithms on p ranks, placed one way on a fabric, with every order of the views."""

    p: int
    fabric: str
    placement: str
    views: int

    @property
    def name(self) -> str:
        """The name of its step."""
        where = f"{self.fabric}/{self.placement}".replace(", ", "-").replace(" ", "-")
        return f"frames/{self.p}-{self.views}/{where}"

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return 3.0

    def compute(self, part_done: PartDone) -> Json:
        """By algorithm and sorting: frames per second of each order, and whether it is free of contention."""
        net, hosts = placement.place(self.fabric, self.p, self.placement)
        cases = [(each, sorting) for each in algorithms(self.p) for sorting in _sortings(each)]
        found: dict[str, dict[str, Json]] = {}
        for (called, sorting), done in in_turn(cases, part_done):
            algorithm = algorithms(self.p)[called]
            orders = tried(called, views.orders(self.p, self.views, sorting).different)
            counted = [frames.stages(net, algorithm, order, hosts) for order in orders]
            made: dict[str, Json] = {
                STAGES: [fps for fps, _ in counted],
                "free": [free for _, free in counted],
            }
            if self.p <= FLOWS_UP_TO:
                made[FLOWS] = []
                for order, _ in in_turn(orders, done):
                    made[FLOWS].append(frames.flows(net, algorithm, order, hosts))
            found.setdefault(called, {})[sorting] = made
        return found


@dataclass(frozen=True)
class Taper:
    """The algorithms on leaves of 16 hosts with ``up`` ports up, or on one switch (0), by stages."""

    p: int
    up: int
    views: int

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"taper/{self.p}-{self.views}/{self.up}"

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return 1.0

    def compute(self, part_done: PartDone) -> Json:
        """By placement, algorithm and sorting: frames per second of each order."""
        net = fabrics.tapered(self.up) if self.up else fabrics.one_switch(self.p)
        found: dict[str, dict[str, Json]] = {}
        for where, _ in in_turn(TAPERED, part_done):
            hosts = placement.place(fabrics.TAPERED, self.p, where)[1]
            hosts = hosts if self.up else list(range(self.p))
            for called, algorithm in algorithms(self.p).items():
                for sorting in _sortings(called):
                    orders = tried(called, views.orders(self.p, self.views, sorting).different)
                    rates = [frames.stages(net, algorithm, order, hosts)[0] for order in orders]
                    found.setdefault(where, {}).setdefault(called, {})[sorting] = rates
        return found


@dataclass(frozen=True)
class Sample:
    """The best and the worst order by stages, for one placement on a fabric, by every model."""

    p: int
    fabric: str
    placement: str
    views: int

    @property
    def name(self) -> str:
        """The name of its step."""
        where = f"{self.fabric}/{self.placement}".replace(" ", "-")
        return f"sample/{self.p}-{self.views}/{where}"

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return 5.0

    def compute(self, part_done: PartDone) -> Json:
        """By algorithm: frames per second of its best and its worst order, by model."""
        net, hosts = placement.place(self.fabric, self.p, self.placement)
        following = {name: each for name, each in algorithms(self.p).items() if name not in FIXED}
        found: dict[str, Json] = {}
        for (called, algorithm), _ in in_turn(following.items(), part_done):
            orders = views.orders(self.p, self.views, LOWEST).different
            rates = {order: frames.stages(net, algorithm, order, hosts)[0] for order in orders}
            pair = [max(rates, key=lambda order: rates[order]), min(rates, key=lambda order: rates[order])]
            made = {
                STAGES: [rates[order] for order in pair],
                FLOWS: [frames.flows(net, algorithm, order, hosts) for order in pair],
            }
            if self.fabric != fabrics.TORUS:  # where packets would deadlock on these routes
                made["flows, small"] = [
                    frames.flows(net, algorithm, order, hosts, small=True) for order in pair
                ]
                made["packets, small"] = [frames.packets(net, algorithm, order, hosts) for order in pair]
            found[called] = made
        return found


@dataclass(frozen=True)
class Distance:
    """The number of orders of the views from several distances."""

    p: int
    views: int

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"distance/{self.p}-{self.views}"

    @property
    def work(self) -> float:
        """Approximate seconds of computation."""
        return 3.0

    def compute(self, part_done: PartDone) -> Json:
        """Numbers of different orders, by distance."""
        return [views.count_orders(self.p, self.views, each) for each, _ in in_turn(DISTANCES, part_done)]


Cell = Job | Taper | Sample | Distance


def cells(ranks: Sequence[int], quick: bool) -> list[Cell]:
    """All cells of jobs with these numbers of ranks; quick cells have fewer views."""
    count, placements = (QUICK_VIEWS, QUICK) if quick else (VIEWS, placement.PLACEMENTS)
    found: list[Cell] = []
    for p in ranks:
        found += [Job(p, net, where, count) for net in fabrics.FABRICS for where in placements]
        found += [Taper(p, up, count) for up in (0, *fabrics.UPLINKS)]
        found += [Sample(p, net, where, count) for net in fabrics.FABRICS for where in SAMPLED]
        found += [Distance(p, count)]
    return found


def _sortings(algorithm: str) -> Sequence[str]:
    return (LOWEST,) if algorithm in FIXED else SORTINGS
