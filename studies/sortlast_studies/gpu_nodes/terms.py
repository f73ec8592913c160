"""What the report, the checks and the figures name, over the table."""

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
MATTERS = 1.1  # times the time on one switch, from which on the fabric matters


def frames(network: str, cabling: str) -> str:
    """The item of milliseconds of frames on a network."""
    return f"Milliseconds of a frame, {network}, {cabling}"


class Terms:
    """Those of a table."""

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
        """Milliseconds of the fastest algorithm, and which that is."""
        return min((ms, name) for name, ms in self.times(network, cabling, nodes).items())

    def times(self, network: str, cabling: str, nodes: int) -> dict[str, float]:
        """Milliseconds by algorithm."""
        return self._table.line(frames(network, cabling), nodes)

    def over(self, network: str, cabling: str, nodes: int) -> float:
        """The best frame there, over the best one on one switch."""
        return self.best(network, cabling, nodes)[0] / self.best(CROSSBAR, BY_NODE, nodes)[0]

    def ratios(self, network: str) -> list[float]:
        """The same for all cablings and numbers of nodes."""
        return [
            self.over(*place, nodes) for place in self.places if place[0] == network for nodes in self.nodes
        ]

    def matters_from(self, network: str, cabling: str) -> int | None:
        """The smallest number of nodes from which on the fabric matters; None: none of those here."""
        found = None
        for nodes in reversed(self.nodes):
            if self.over(network, cabling, nodes) < MATTERS:
                break
            found = nodes
        return found

    def where_it_matters(self) -> str:
        """On which networks the fabric matters and from how many nodes on, as a sentence."""
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
        """Frames of one algorithm over the best, on one switch and everywhere else."""
        return [
            self.times(network, cabling, nodes)[algorithm] / self.best(network, cabling, nodes)[0]
            for network, cabling in [(CROSSBAR, BY_NODE), *self.places]
            for nodes in self.nodes
            if algorithm in self.times(network, cabling, nodes)
        ]

    def worst(self) -> float:
        """The most that any number of nodes takes on any network, over one switch."""
        return max(self.over(*place, nodes) for place in self.places for nodes in self.nodes)

    def winners(self) -> dict[str, int]:
        """How often each algorithm is the fastest over a fabric; most often first."""
        found: dict[str, int] = {}
        for network, cabling in self.places:
            for nodes in self.nodes:
                name = self.best(network, cabling, nodes)[1]
                found[name] = found.get(name, 0) + 1
        return dict(sorted(found.items(), key=lambda each: -each[1]))
