"""K vectors and their schedules, and Figure 6, which simulates all of them on a mesh and a torus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from sortlast.schedule import Schedule, make
from sortlast_studies.radix_k import blue_gene
from sortlast_studies.radix_k.blue_gene import MESH_256, SIX_LINKS, TORUS_512, Partition, Service
from sortlast_studies.steps import PartDone, Step, in_turn
from sortlast_studies.table import published

PUBLISHED = published("sortlast_studies.radix_k")
MEGAPIXEL = 1 << 20  # the paper's unit: 1024 x 1024
PIXEL_BYTES = 16  # RGBA of float32

# By curve: the partition, and the edge of the mapping's blocks.
CURVES: Mapping[str, tuple[Partition, int]] = {
    "mesh": (MESH_256, 0),
    "torus": (TORUS_512, 0),
    "4x4x4 blocks": (TORUS_512, 4),
    "2x2x2 blocks": (TORUS_512, 2),
}
_LARGE = {16, 32}  # "fairly large radices", named best without mapping in section 4.3
_BLOCK = 8  # the radix named best in blocks of 2x2x2

Vector = tuple[int, ...]
Named = Callable[[Vector], bool]


# --- vectors and their schedules ----------------------------------------------------------------------


def text(k: Vector) -> str:
    """A k vector in the names of algorithms: ``8,8,4``."""
    return ",".join(map(str, k))


def label(k: Vector) -> str:
    """A k vector in the paper's notation: ``[8,8,4]``."""
    return f"[{text(k)}]"


def parse(written: str) -> Vector:
    """The k vector of a text or label."""
    return tuple(map(int, written.strip("[]").split(",")))


def radix_k(p: int, n: int, k: Vector = ()) -> Schedule:
    """Radix-k of p ranks and n pixels; by default with the paper's choice, factors of 8 first."""
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
    """Pixels per image of a figure with images of one size."""
    return int(PUBLISHED.value("Settings", figure, "Mpixel")) * MEGAPIXEL


# --- Figure 6 -----------------------------------------------------------------------------------------

VECTORS = tuple(map(parse, PUBLISHED.rows("Figure 6")))  # of its axis, without the duplicate
PROCESSES = int(PUBLISHED.value("Settings", "Figure 6", "processes"))


def steps() -> list[Step]:
    """The steps, one per curve."""
    return [Step(f"figure-6/{name}", partial(seconds, *CURVES[name]), work=9000) for name in CURVES]


def seconds(
    where: Partition, block: int, part_done: PartDone, *, service: Service = SIX_LINKS
) -> dict[str, float]:
    """Seconds of every k vector, by its text."""
    found = {}
    for k, done in in_turn(VECTORS, part_done):
        made = radix_k(PROCESSES, pixels("Figure 6"), k)
        found[text(k)] = blue_gene.run(made, where, block, service=service, part_done=done).seconds
    return found


def has_large(k: Vector) -> bool:
    """Whether the paper names the vector best without mapping."""
    return not _LARGE.isdisjoint(k)


def has_eight(k: Vector) -> bool:
    """Whether a vector includes radix 8, like the vectors that the paper names best in blocks of 2x2x2."""
    return _BLOCK in k


def begins_with_eights(k: Vector) -> bool:
    """Whether a vector begins like the two that the paper names."""
    return k[:2] == (_BLOCK, _BLOCK)


def rank_correlation(times: Mapping[Vector, float], named: Named) -> float:
    """Rank-biserial correlation of times with being named best, -1 to 1.

    Among all pairs of a named and another vector, the fraction where the named one is faster, minus the
    fraction where it is slower. 1: all named vectors are faster than all others; 0: named ones are as good as
    any.
    """
    inside = [time for k, time in times.items() if named(k)]
    outside = [time for k, time in times.items() if not named(k)]
    wins = sum((b > a) - (b < a) for a in inside for b in outside)
    return wins / (len(inside) * len(outside))
