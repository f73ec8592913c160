"""Figure 6: all k vectors of 256 processes on a mesh and on a torus, with and without mapping, simulated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sortlast.study.radix_k import blue_gene
from sortlast.study.radix_k.blue_gene import MESH_256, TORUS_512, Partition, part_of
from sortlast.study.radix_k.published import MEGAPIXEL, published, radix_k, text, vectors
from sortlast.study.steps import Json, PartDone, Step
from sortlast.study.study import Results

# By curve: the partition, and the block of the mapping.
CURVES: Mapping[str, tuple[Partition, int]] = {
    "mesh": (MESH_256, 0),
    "torus": (TORUS_512, 0),
    "4x4x4 blocks": (TORUS_512, 4),
    "2x2x2 blocks": (TORUS_512, 2),
}
Named = Callable[[tuple[int, ...]], bool]


def steps() -> list[Step]:
    """One a curve."""
    return [_curve(name) for name in CURVES]


def seconds(results: Results, curve: str) -> dict[tuple[int, ...], float]:
    """By k vector, in the order of the axis."""
    return {k: results[f"figure-6/{curve}"][text(k)] for k in vectors()}


def best_first(times: Mapping[tuple[int, ...], float]) -> list[tuple[int, ...]]:
    """The vectors by their time."""
    return sorted(times, key=lambda k: times[k])


def has_large(k: Sequence[int]) -> bool:
    """Whether a vector is one of those that the paper names best without mapping."""
    return any(each in published()["figure_6"]["best_without_mapping"]["radices"] for each in k)


def has_eight(k: Sequence[int]) -> bool:
    """Whether a vector includes radix 8, as those that the paper names best in blocks of 2x2x2."""
    return published()["figure_6"]["best_in_blocks"]["radix"] in k


def begins_with_eights(k: Sequence[int]) -> bool:
    """Whether a vector is one of the two that the paper names, or else begins as they do."""
    return tuple(k[:2]) == (8, 8)


def rank_correlation(times: Mapping[tuple[int, ...], float], named: Named) -> float:
    """Rank-biserial correlation of times with being named best, -1 to 1.

    1: all named vectors are faster than all others; 0: named ones are as good as any. Of all pairs of a
    named and another vector, the share in which the named one is faster, minus that in which it is slower.
    """
    inside = [time for k, time in times.items() if named(k)]
    outside = [time for k, time in times.items() if not named(k)]
    wins = sum((b > a) - (b < a) for a in inside for b in outside)
    return wins / (len(inside) * len(outside))


def _curve(name: str) -> Step:
    where, block = CURVES[name]

    def compute(part_done: PartDone) -> Json:
        at = published()["figure_6"]
        found = {}
        for j, k in enumerate(vectors()):
            made = radix_k(at["processes"], at["megapixels"] * MEGAPIXEL, k)
            run = blue_gene.run(made, where, block, part_done=part_of(part_done, j, len(vectors())))
            found[text(k)] = run.seconds
        return found

    return Step(f"figure-6/{name}", compute, work=3000)
