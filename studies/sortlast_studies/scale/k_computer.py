"""The gain by multi-step on the K computer: binary swap and multi-step, each with its gather to one rank.

The nodes form a torus of three dimensions, which is the view of Tofu for a job, with links of 5 GB/s. Stages
are counted from the routes: each lasts as long as its most loaded link. Values that the abstract does not
give are assumed (pixels of 4 bytes, the cost of a message) or varied (the sizes of images, the algorithm of
MPI_Gather). *Linear*: the root receives a message from every rank. *Binomial*: a tree, log2(p) messages deep.
The bytes arrive over all network interfaces of the root. Groups have 256 ranks, the default of multi-step.
"""

from __future__ import annotations

from functools import partial
from math import log2

from sortlast import fabric
from sortlast.schedule import make
from sortlast_studies.steps import Json, PartDone, Step
from sortlast_studies.table import published

_PUBLISHED = published("sortlast_studies.scale")
_MACHINE = _PUBLISHED.line("Machines", "K computer")
NODES = int(_PUBLISHED.value("Nonaka et al.", "multi-step", "nodes"))
LINK = 1e9 * _MACHINE["link"]  # bytes per second
INTERFACES = int(_MACHINE["interfaces"])
MESSAGE = 5e-6  # s
PIXEL_BYTES = 4
EDGES = (512, 1024, 2048, 4096)  # edges of square images
GATHERS = ("linear", "binomial")
ALGORITHMS = ("binary-swap", "multi-step")
_REFERENCE = 1 << 26  # pixels; every stage divides them evenly
_QUICK_NODES = 4096


def nodes(quick: bool) -> int:
    """Number of nodes of the torus."""
    return _QUICK_NODES if quick else NODES


def steps(quick: bool) -> list[Step]:
    """The stages of both algorithms."""
    p = nodes(quick)
    return [Step(name(each, p), partial(_stages, each, p), work=p / 50) for each in ALGORITHMS]


def name(algorithm: str, p: int) -> str:
    """The name of a step."""
    return f"k-computer/{algorithm}-{p}"


def _stages(algorithm: str, p: int, part_done: PartDone) -> Json:
    """Network seconds per pixel; number of sequential messages; ranks with pieces."""
    made = make(algorithm, p=p, n=_REFERENCE)
    side = round(p ** (1 / 3))
    routes = fabric.route(fabric.torus([side] * 3), "dor")
    time = fabric.pattern_time(
        routes,
        made,
        list(range(p)),
        link_bytes_per_second=LINK,
        stage_seconds=0,
        pixel_bytes=PIXEL_BYTES,
        threads=1,
    )
    busiest = made.program(0)
    return {
        "name": made.name,
        "pixel_seconds": time.synchronised / _REFERENCE,
        "messages": max(len(busiest.sends), len(busiest.receives)),
        "pieces": sum(1 for rank in range(p) if made.piece(rank)[1] > made.piece(rank)[0]),
    }


def seconds(found: Json, edge: int, gather: str, message: float = MESSAGE) -> float:
    """Duration of a frame with its gather."""
    pixels = edge * edge
    pieces = min(found["pieces"], pixels)
    depth = pieces - 1 if gather == "linear" else log2(pieces)
    gathering = depth * message + pixels * PIXEL_BYTES / (INTERFACES * LINK)
    return float(found["messages"] * message + pixels * found["pixel_seconds"] + gathering)
