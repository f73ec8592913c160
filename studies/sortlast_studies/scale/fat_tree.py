"""Frames on a fat-tree of three levels with links of 400 Gbit/s, as flows, for 4,096 to 131,072 participants.

The tree is made of switches with 64 ports: 32 hosts per leaf, 32 leaves per pod, and as many pods as the job
needs, up to 64. It has at most 65,536 hosts; with 131,072 participants, two share a host and its link.

An image has 8192x8192 pixels of 16 bytes. Two contents: *dense*, with all pixels active; and *blocks*, where
the data is a cube of p blocks that fills the image, so that p^(-2/3) of the pixels of each rank's image are
active: the more ranks, the fewer active pixels in each image. Links serve messages in order, and a rank may
have any number of messages under way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

from sortlast import fabric, simulate
from sortlast.fabric import Routes
from sortlast.schedule import Machine, choose, make
from sortlast_studies.scale.machine import blend_rate, kept
from sortlast_studies.steps import Json, PartDone, Step
from sortlast_studies.table import published

_NDR = published("sortlast_studies.scale").line("Machines", "NDR")
LINK = 1e9 * _NDR["link"] / 8  # bytes per second
_HALF = int(_NDR["ports"]) // 2  # hosts per leaf, leaves per pod
POD = _HALF * _HALF  # hosts
MOST_HOSTS = 2 * _HALF * POD
WIDTH = 8192
PIXELS = WIDTH * WIDTH
PIXEL_BYTES = 16

DENSE, BLOCKS = "dense", "blocks"
RANKS = (4096, 16384, 32768, 131072)
_DENSE_UP_TO = 16384  # ranks; with more, every rank still blends nearly a whole image
_QUICK_UP_TO = 4096
# By the names of this study. 2-3 swap is binary swap where p is a power of two.
SIMULATED = {
    "binary swap": "binary-swap",
    "radix-k": "radix-k",
    "multi-step": "multi-step",
    "tree": "tree",
}
# p - 1 messages per rank, 17 thousand million with 131,072 ranks: computed by the formula only.
COMPUTED = {"direct-send": "direct-send", "shift": "shift", "pipeline": "parallel-pipeline"}


@dataclass(frozen=True)
class Cell:
    """A frame: the content of its images, its participants and its algorithm."""

    content: str
    p: int
    algorithm: str  # in SIMULATED

    @property
    def name(self) -> str:
        """The name of its step."""
        return f"fat-tree/{self.content}-{self.p}/{self.algorithm}"

    @property
    def work(self) -> float:
        """Thousands of messages."""
        return self.p * {"radix-k": 0.04, "tree": 0.002}.get(self.algorithm, 0.017)


def ranks(content: str, quick: bool) -> list[int]:
    """The numbers of participants."""
    most = _QUICK_UP_TO if quick else _DENSE_UP_TO if content == DENSE else RANKS[-1]
    return [p for p in RANKS if p <= most]


def cells(quick: bool) -> list[Cell]:
    """All frames."""
    return [
        Cell(content, p, algorithm)
        for content in (BLOCKS, DENSE)
        for p in ranks(content, quick)
        for algorithm in SIMULATED
    ]


def steps(quick: bool) -> list[Step]:
    """The steps, one per frame."""
    return [Step(cell.name, partial(_simulate, cell), cell.work) for cell in cells(quick)]


def active(content: str, p: int) -> float:
    """The fraction of an image's pixels that are active."""
    return 1.0 if content == DENSE else p ** (-2 / 3)


@cache
def routes(hosts: int) -> Routes:
    """The tree with this number of hosts, in whole pods."""
    return fabric.route(fabric.pgft([_HALF, _HALF, hosts // POD], [1, _HALF, _HALF], [1, 1, 1]), "d-mod-k")


def placement(p: int) -> tuple[int, Sequence[int]]:
    """The number of hosts, and the host of each rank: in order, as few ranks per host as possible."""
    hosts = min(p, MOST_HOSTS)
    return hosts, [rank * hosts // p for rank in range(p)]


def joined(name: str) -> float:
    """Fragments joined to a rank's own in one pass over memory: on average k - 1 for radix-k, otherwise 1."""
    if not name.startswith("radix-k:"):
        return 1.0
    k = [int(each) for each in name.removeprefix("radix-k:").split(",")]
    return sum(k) / len(k) - 1


def _simulate(cell: Cell, part_done: PartDone) -> Json:
    """Seconds of the frame, and its messages and computations."""
    hosts, placed = placement(cell.p)
    made = make(SIMULATED[cell.algorithm], p=cell.p, n=PIXELS)
    traffic = simulate.frame_traffic(
        made,
        pixel_bytes=PIXEL_BYTES,
        active=active(cell.content, cell.p),
        blend_bytes_per_second=blend_rate(kept(), joined(made.name)),
    )
    run = simulate.flow(
        routes(hosts),
        traffic,
        placement=placed,
        link_bytes_per_second=LINK,
        message_seconds=kept().alpha,
        sends_at_once=0,
        ordered_links=True,
        progress=part_done,
    )
    return {"name": traffic.name, "seconds": run.seconds, "messages": traffic.messages}


def formula(algorithm: str, content: str, p: int) -> float:
    """Seconds by the closed form that ``auto`` uses."""
    name = {**SIMULATED, **COMPUTED}[algorithm]
    machine = Machine(
        alpha=kept().alpha,
        beta=1 / LINK,
        gamma_read=kept().gamma_read,
        gamma_write=kept().gamma_write,
        ranks=p // min(p, MOST_HOSTS),
    )
    found = choose(p, PIXELS, machine, PIXEL_BYTES, active(content, p), candidates=[name])
    return found[0].total
