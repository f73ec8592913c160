"""The cluster of section 5: its nodes, the measured runs of the paper, and the two constants of the model.

144 nodes on a 12-ary 2-tree, routed by OpenSM's fat-tree engine. The paper does not print the names of the
nodes. For its alphabetical order we assume names that count the nodes in routing order without leading zeros:
node1, node10, node100, node101, ... Names unrelated to the cables would give a random order, such as
``random-SEED``.

Beyond the paper, a tree of three levels joins more nodes with the same switches.

The simulations need two constants, which are derived from two of the paper's figures. A message of m bytes
that shares no link takes ``stage_seconds + m / link``. Figures 4 and 5 are the runs without contention, with
messages of 11 and 0.9 MB; each gives one equation, by default from its mean bandwidth. As a check, the frame
rates of the same two figures give other constants: a frame consists of p - 1 such messages. All results for
these two figures are called calibrated, including their frame rates; the other runs are predicted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from sortlast import fabric
from sortlast.fabric import Routes
from sortlast_studies.table import published

PACKAGE = "sortlast_studies.shift_based"
NODES = 144
ARITY = 12  # nodes per leaf switch
MOST_NODES = ARITY**3  # in a tree of three levels
PIXEL_BYTES = 16

# --- nodes --------------------------------------------------------------------------------------------


def tree(p: int = NODES) -> Routes:
    """The cluster with its forwarding tables; for more than 144 nodes, the tree with one more level."""
    return _tree(2 if p <= NODES else 3)


@cache
def _tree(levels: int) -> Routes:
    return fabric.route(fabric.k_ary_n_tree(ARITY, levels), "ftree")


@cache
def one_switch(p: int) -> Routes:
    """One crossbar with p nodes."""
    return fabric.route(fabric.crossbar(p), "minhop")


def hosts(order: str, p: int) -> list[int]:
    """The first p hosts in an order: "routing", or on the paper's cluster "alphabetical" or "random-SEED"."""
    if order == "routing":
        listed = list(range(max(p, NODES)))
    elif order == "alphabetical":
        listed = sorted(range(NODES), key=lambda host: str(host + 1))
    else:
        listed = fabric.order_hosts(tree().topology, "random", seed=int(order.removeprefix("random-")))
    return listed[:p]


# --- runs ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A run that the paper measured, shown in one figure; the published values belong to that item.

    Attributes:
        item: the figure.
        p: nodes.
        size: width and height of the image, with 16 bytes per pixel.
        order: order of the nodes, an argument of :func:`hosts`.
    """

    item: str
    p: int
    size: tuple[int, int]
    order: str

    @property
    def pixels(self) -> int:
        """Number of pixels of the image."""
        return self.size[0] * self.size[1]

    @property
    def message_bytes(self) -> int:
        """Bytes per message, rounded."""
        return round(PIXEL_BYTES * self.pixels / self.p)

    @property
    def image(self) -> str:
        """Size of the image, as shown in reports."""
        return size_name(self.size)

    @property
    def basis(self) -> str:
        """Whether a value of this figure calibrates the model: "calibrated", or "predicted"."""
        return "calibrated" if self in CALIBRATED_BY else "predicted"

    @property
    def case(self) -> str:
        """Nodes and order, as shown in reports."""
        return f"{self.p} nodes, {self.order} order"


def size_name(size: tuple[int, int]) -> str:
    """Width and height, as 4096x2048."""
    return f"{size[0]}x{size[1]}"


RUNS = (
    Run("Figure 4", 12, (4096, 2048), "routing"),
    Run("Figure 5", 144, (4096, 2048), "routing"),
    Run("Figure 6", 144, (4096, 2048), "alphabetical"),
    Run("Figure 7", 144, (4096, 4096), "routing"),
    Run("Figure 9", 64, (4096, 2048), "routing"),
)
# Runs with a published rate of direct-send, in the order in which they are shown.
DIRECT_SEND = tuple(RUNS[k] for k in (0, 4, 1, 2))


# --- constants ----------------------------------------------------------------------------------------

CALIBRATED_BY = RUNS[:2]


@dataclass(frozen=True)
class Calibration:
    """``link``: bytes per second in one direction of a link; ``stage_seconds``: fixed cost of a stage."""

    link: float
    stage_seconds: float


@cache
def by_bandwidths() -> Calibration:
    """Constants from the mean bandwidths of Figures 4 and 5: a message takes m / bandwidth."""
    return _solve(lambda run: _bytes(run) / (1e6 * _published(run, "mean bandwidth")))


@cache
def by_frame_rates() -> Calibration:
    """Constants from the frame rates of Figures 4 and 5: a message takes 1 / (p - 1) of a frame."""
    return _solve(lambda run: 1 / _published(run, "frames/s") / (run.p - 1))


def _published(run: Run, row: str) -> float:
    return published(PACKAGE).value(run.item, row, "shift")


def _bytes(run: Run) -> float:
    """Bytes per message, not rounded."""
    return PIXEL_BYTES * run.pixels / run.p


def _solve(message_seconds: Callable[[Run], float]) -> Calibration:
    """The line through the messages of both figures."""
    first, second = CALIBRATED_BY
    slope = (message_seconds(first) - message_seconds(second)) / (_bytes(first) - _bytes(second))
    return Calibration(1 / slope, message_seconds(second) - slope * _bytes(second))
