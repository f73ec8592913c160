"""Functions and names over the table for report, checks and figures."""

from __future__ import annotations

from sortlast_studies.gpu_nodes import frames as model
from sortlast_studies.gpu_nodes.networks import (
    BY_NODE,
    BY_RAIL,
    CABLINGS,
    CROSSBAR,
    DRAGONFLY,
    FAT,
    GPUS,
    HALF,
    LINK,
    NETWORKS,
)
from sortlast_studies.table import Table

WITHIN = "Milliseconds within the nodes"
MATTERS = 1.1  # the fabric matters from this multiple of the time on one switch on


def frames(network: str, cabling: str) -> str:
    """The item with the milliseconds of frames on a network."""
    return f"Milliseconds of a frame, {network}, {cabling}"


class Terms:
    """Terms over a table."""

    networks, cablings, link, gpus = NETWORKS, CABLINGS, LINK, GPUS
    crossbar, fat, half, dragonfly = CROSSBAR, FAT, HALF, DRAGONFLY
    by_node, by_rail, matters = BY_NODE, BY_RAIL, MATTERS
    width, height = model.IMAGE
    pixel_bytes, inside, blending, message = model.PIXEL_BYTES, model.INSIDE, model.BLENDING, model.MESSAGE
    algorithms = model.ALGORITHMS
    frames = staticmethod(frames)

    def __init__(self, table: Table) -> None:
        self._table = table
        self.nodes = [int(row) for row in table.rows(frames(CROSSBAR, BY_NODE))]
        self.within = table.value(WITHIN, "", "")
        self.places = [
            (network, cabling)
            for network in NETWORKS
            if network != CROSSBAR
            for cabling in CABLINGS
            if table.rows(frames(network, cabling))
        ]

    def best(self, network: str, cabling: str, nodes: int) -> tuple[float, str]:
        """Milliseconds and name of the fastest algorithm."""
        return min((ms, name) for name, ms in self.times(network, cabling, nodes).items())

    def times(self, network: str, cabling: str, nodes: int) -> dict[str, float]:
        """Milliseconds by algorithm."""
        return self._table.line(frames(network, cabling), nodes)

    def over(self, network: str, cabling: str, nodes: int) -> float:
        """Ratio of the best frame on a network to the best frame on one switch."""
        return self.best(network, cabling, nodes)[0] / self.best(CROSSBAR, BY_NODE, nodes)[0]

    def ratios(self, network: str) -> list[float]:
        """These ratios for all cablings and numbers of nodes."""
        return [
            self.over(*place, nodes) for place in self.places if place[0] == network for nodes in self.nodes
        ]

    def matters_from(self, network: str, cabling: str) -> int | None:
        """The smallest number of nodes from which on the fabric always matters; None if there is none."""
        found = None
        for nodes in reversed(self.nodes):
            if self.over(network, cabling, nodes) < MATTERS:
                break
            found = nodes
        return found

    def where_it_matters(self) -> str:
        """A sentence on where the fabric matters, and from how many nodes on."""
        found, never = [], 0
        for network, cabling in self.places:
            here = f"on the {network} cabled {cabling}"
            first = self.matters_from(network, cabling)
            if first is not None:
                found.append(f"{here} from {first} nodes on")
            elif any(self.over(network, cabling, nodes) >= MATTERS for nodes in self.nodes):
                found.append(f"{here} for some numbers of nodes")
            else:
                never += 1
        if not found:
            return "The fabric costs less than a tenth on all networks, for every number of nodes."
        return f"The fabric costs a tenth or more {', '.join(found)}{'; elsewhere never' if never else ''}."

    def slower(self, algorithm: str) -> list[float]:
        """Ratios of one algorithm to the best, on one switch and all other networks."""
        return [
            self.times(network, cabling, nodes)[algorithm] / self.best(network, cabling, nodes)[0]
            for network, cabling in [(CROSSBAR, BY_NODE), *self.places]
            for nodes in self.nodes
            if algorithm in self.times(network, cabling, nodes)
        ]

    def worst(self) -> float:
        """The largest ratio to one switch, over all numbers of nodes and networks."""
        return max(self.over(*place, nodes) for place in self.places for nodes in self.nodes)

    def winners(self) -> dict[str, int]:
        """How often each algorithm is the fastest over a fabric, in descending order."""
        found: dict[str, int] = {}
        for network, cabling in self.places:
            for nodes in self.nodes:
                name = self.best(network, cabling, nodes)[1]
                found[name] = found.get(name, 0) + 1
        return dict(sorted(found.items(), key=lambda each: -each[1]))
