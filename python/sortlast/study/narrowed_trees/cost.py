"""What the networks cost: Navaridas et al., section 5.1, in dollars.

Links cost 150 each whatever their length, a switch of r ports 5625/16^2 r^2. The paper says that the links of
the nodes are left out; its Table 3 holds only with them, so they are in.
"""

from __future__ import annotations

from sortlast.study.narrowed_trees.networks import Elements, Network, complete, symmetric_window, used

LINK = 150.0
SWITCH_PORT_SQUARED = 5625 / 16**2

# Ways to count what is paid for: the complete network, and what the 4096 central nodes use.
COUNTS = {"CN": complete, "U": symmetric_window, "U by count": used}


def cost(net: Network, elements: Elements) -> float:
    """Dollars for these elements of a network."""
    return SWITCH_PORT_SQUARED * net.radix**2 * elements.switches + LINK * elements.links


def cost_per_node(net: Network, count: str) -> float:
    """Dollars a node, counted as ``count`` says; see :data:`COUNTS`."""
    elements = COUNTS[count](net)
    return cost(net, elements) / elements.nodes
