"""What to buy: of the trees with as many nodes, the one with most frames a second for the money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sortlast_studies.narrowed_trees.networks import Network

NODE_PRICES = (0, 1_000, 3_000, 10_000)  # dollars of a node without its network
SAME = 0.02  # frame rates that differ by less are about equal: draws make as much
BUDGETS = (500, 750, 1_000, 1_500, 2_600)  # dollars a node for the network


@dataclass(frozen=True)
class Offer:
    """A network with its frames a second, and dollars a node."""

    net: Network
    fps: float
    cost: float

    def value(self, node_price: float = 0) -> float:
        """Frames a second per dollar of network and node."""
        return self.fps / (self.cost + node_price)


def best_value(offered: Sequence[Offer], node_price: float) -> tuple[Offer, float]:
    """The offer with most frames a second per dollar, and how many times the first one's it has."""
    best = max(offered, key=lambda offer: offer.value(node_price))
    return best, best.value(node_price) / offered[0].value(node_price)


def fastest_within(offered: Sequence[Offer], budget: float) -> Offer | None:
    """The fastest offer for at most ``budget`` dollars a node, of those about as fast the cheapest."""
    affordable = [offer for offer in offered if offer.cost <= budget]
    most = max((offer.fps for offer in affordable), default=0)
    fast = [offer for offer in affordable if offer.fps >= (1 - SAME) * most]
    return min(fast, key=lambda offer: offer.cost, default=None)
