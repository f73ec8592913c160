"""Purchase advice: the tree with the most frames per second and dollar, among trees of equal size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sortlast_studies.narrowed_trees.networks import Network

NODE_PRICES = (0, 1_000, 3_000, 10_000)  # dollars per node without its network
SAME = 0.02  # frame rates with a smaller relative difference count as equal: random draws vary as much
BUDGETS = (500, 750, 1_000, 1_500, 2_600)  # dollars per node for the network


@dataclass(frozen=True)
class Offer:
    """A network with its frames per second, and dollars per node."""

    net: Network
    fps: float
    cost: float

    def value(self, node_price: float = 0) -> float:
        """Frames per second and dollar of network and node."""
        return self.fps / (self.cost + node_price)


def best_value(offered: Sequence[Offer], node_price: float) -> tuple[Offer, float]:
    """The offer with the most frames per second and dollar, and its ratio to the first offer."""
    best = max(offered, key=lambda offer: offer.value(node_price))
    return best, best.value(node_price) / offered[0].value(node_price)


def fastest_within(offered: Sequence[Offer], budget: float) -> Offer | None:
    """The cheapest of the offers that are about as fast as the fastest for ``budget`` dollars per node."""
    affordable = [offer for offer in offered if offer.cost <= budget]
    most = max((offer.fps for offer in affordable), default=0)
    fast = [offer for offer in affordable if offer.fps >= (1 - SAME) * most]
    return min(fast, key=lambda offer: offer.cost, default=None)
