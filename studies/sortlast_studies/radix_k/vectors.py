"""K vectors: the schedules of them, and Figure 6, which has all of them on a mesh and a torus, simulated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from sortlast.schedule import Schedule, make
from sortlast_studies.radix_k import blue_gene
from sortlast_studies.radix_k.blue_gene import MESH_256, SIX_LINKS, TORUS_512, Partition, Service
from sortlast_studies.steps import PartDone, Step, in_turn
from sortlast_studies.table import published

PUBLISHED = published("sortlast_studies.radix_k")
MEGAPIXEL = 1 << 20  # as the paper counts: 1024 x 1024
PIXEL_BYTES = 16  # RGBA of float32

# By curve: the partition, and the block of the mapping.
CURVES: Mapping[str, tuple[Partition, int]] = {
    "mesh": (MESH_256, 0),
    "torus": (TORUS_512, 0),
    "4x4x4 blocks": (TORUS_512, 4),
    "2x2x2 blocks": (TORUS_512, 2),
}
_LARGE = {16, 32}  # "fairly large radices", which section 4.3 names best without mapping
_BLOCK = 8  # the radix that it names best in blocks of 2x2x2

Vector = tuple[int, ...]
Named = Callable[[Vector], bool]


# --- vectors and their schedules ----------------------------------------------------------------------


def text(k: Vector) -> str:
    """A k vector as algorithms take it: ``8,8,4``."""
    return ",".join(map(str, k))


def label(k: Vector) -> str:
    """A k vector as the paper writes it: ``[8,8,4]``."""
    return f"[{text(k)}]"


def parse(written: str) -> Vector:
    """A k vector of its text or label."""
    return tuple(map(int, written.strip("[]").split(",")))


def radix_k(p: int, n: int, k: Vector = ()) -> Schedule:
    """Radix-k of p ranks and n pixels; without a vector the paper's choice, 8 as often as p has it first."""
    return make("radix-k" + (f":{text(k)}" if k else ""), p=p, n=n)


def prime_factors(p: int) -> Vector:
    """The k vector of section 4.4: the prime factors of p >= 2, ascending."""
    factors, divisor = [], 2
    while p > 1:
        while p % divisor == 0:
            factors.append(divisor)
            p //= divisor
        divisor += 1
    return tuple(factors)


def pixels(figure: str) -> int:
    """Of the images of a figure whose images are all alike."""
    return int(PUBLISHED.value("Settings", figure, "Mpixel")) * MEGAPIXEL


# --- Figure 6 -----------------------------------------------------------------------------------------

VECTORS = tuple(map(parse, PUBLISHED.rows("Figure 6")))  # as its axis has them; what it has twice, once
PROCESSES = int(PUBLISHED.value("Settings", "Figure 6", "processes"))


def steps() -> list[Step]:
    """One a curve."""
    return [Step(f"figure-6/{name}", partial(seconds, *CURVES[name]), work=9000) for name in CURVES]


def seconds(
    where: Partition, block: int, part_done: PartDone, *, service: Service = SIX_LINKS
) -> dict[str, float]:
    """Of every k vector, by its text."""
    found = {}
    for k, done in in_turn(VECTORS, part_done):
        made = radix_k(PROCESSES, pixels("Figure 6"), k)
        found[text(k)] = blue_gene.run(made, where, block, service=service, part_done=done).seconds
    return found


def has_large(k: Vector) -> bool:
    """Whether a vector is one of those that the paper names best without mapping."""
    return not _LARGE.isdisjoint(k)


def has_eight(k: Vector) -> bool:
    """Whether a vector includes radix 8, as those that the paper names best in blocks of 2x2x2."""
    return _BLOCK in k


def begins_with_eights(k: Vector) -> bool:
    """Whether a vector is one of the two that the paper names, or else begins as they do."""
    return k[:2] == (_BLOCK, _BLOCK)


def rank_correlation(times: Mapping[Vector, float], named: Named) -> float:
    """Rank-biserial correlation of times with being named best, -1 to 1.

    1: all named vectors are faster than all others; 0: named ones are as good as any. Of all pairs of a
    named and another vector, the share in which the named one is faster, minus that in which it is slower.
    """
    inside = [time for k, time in times.items() if named(k)]
    outside = [time for k, time in times.items() if not named(k)]
    wins = sum((b > a) - (b < a) for a in inside for b in outside)
    return wins / (len(inside) * len(outside))
