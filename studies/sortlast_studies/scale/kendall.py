"""The frame of Kendall et al. (2010) on the model of Intrepid that the study of radix-k has.

They leave empty pixels out; how many are active their abstract does not say. Here the images are those of
the blocks of a cube that fills the image, and of blocks that cover twice and four times as much of it; and
dense images are told by the bound of a node's links.
"""

from __future__ import annotations

from functools import partial

from sortlast.schedule import make
from sortlast_studies.radix_k import blue_gene
from sortlast_studies.radix_k.blue_gene import BLOCK, LINK, LINKS, SIX_ORDERED
from sortlast_studies.radix_k.vectors import MEGAPIXEL, PIXEL_BYTES
from sortlast_studies.steps import Json, PartDone, Step
from sortlast_studies.table import published

_GIVEN = published("sortlast_studies.scale").line("Kendall et al.", "radix-k")
PROCESSES = 1024 * int(_GIVEN["processes"])
PIXELS = int(_GIVEN["size"]) * MEGAPIXEL
TIME = _GIVEN["time"]  # s
TIMES = (1, 2, 4)  # of what blocks cover
ALGORITHMS = ("radix-k", "binary-swap")
_QUICK_PROCESSES = 2048


def processes(quick: bool) -> int:
    """Of the frame that is simulated."""
    return _QUICK_PROCESSES if quick else PROCESSES


def steps(quick: bool) -> list[Step]:
    """Radix-k for every share, binary swap for that of the blocks."""
    p = processes(quick)
    cases = [("radix-k", times) for times in TIMES] + [("binary-swap", TIMES[0])]
    return [
        Step(name(algorithm, times, p), partial(_simulate, algorithm, times, p), work=p / 25)
        for algorithm, times in cases
    ]


def name(algorithm: str, times: int, p: int) -> str:
    """Of a step."""
    return f"kendall/{algorithm}-{p}-{times}"


def share(times: int, p: int) -> float:
    """Of active pixels in an image."""
    return times * float(p ** (-2 / 3))


def bound(p: int) -> float:
    """Seconds in which a node's links can send what it must of a dense image."""
    return PIXELS * PIXEL_BYTES * (p - 1) / p / (LINKS * LINK)


def _simulate(algorithm: str, times: int, p: int, part_done: PartDone) -> Json:
    run = blue_gene.run(
        make(algorithm, p=p, n=PIXELS),
        blue_gene.partition(p),
        BLOCK,
        active=share(times, p),
        service=SIX_ORDERED,
        part_done=part_done,
    )
    return {"seconds": run.seconds}
