"""The frame of Kendall et al. (2010) on the model of Intrepid in the study of radix-k.

They leave empty pixels out; their abstract does not say how many are active. Here the images show the blocks
of a cube that fills the image, or blocks that cover two and four times as much of it; for dense images the
bound of a node's links is computed.
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
TIMES = (1, 2, 4)  # multiples of the pixels that blocks cover
ALGORITHMS = ("radix-k", "binary-swap")
_QUICK_PROCESSES = 2048


def processes(quick: bool) -> int:
    """Number of processes of the simulated frame."""
    return _QUICK_PROCESSES if quick else PROCESSES


def steps(quick: bool) -> list[Step]:
    """Radix-k for every fraction of active pixels, and binary swap for blocks."""
    p = processes(quick)
    cases = [("radix-k", times) for times in TIMES] + [("binary-swap", TIMES[0])]
    return [
        Step(name(algorithm, times, p), partial(_simulate, algorithm, times, p), work=p / 25)
        for algorithm, times in cases
    ]


def name(algorithm: str, times: int, p: int) -> str:
    """The name of a step."""
    return f"kendall/{algorithm}-{p}-{times}"


def share(times: int, p: int) -> float:
    """Fraction of active pixels in an image."""
    return times * float(p ** (-2 / 3))


def bound(p: int) -> float:
    """Seconds that a node's links need for its part of a dense image."""
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
