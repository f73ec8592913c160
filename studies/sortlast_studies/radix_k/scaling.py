"""Figures 4 and 5: radix-k and binary swap over numbers of processes and sizes of images, simulated.

Also 2-3 swap at the numbers of Figure 5, the frame that the shift paper quotes, and frames with additional
numbers of processes and sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from sortlast import ArgumentError
from sortlast.schedule import Schedule, make
from sortlast_studies.radix_k import blue_gene
from sortlast_studies.radix_k.blue_gene import BLOCK, SIX_LINKS, SIX_ORDERED, Service
from sortlast_studies.radix_k.vectors import MEGAPIXEL, PUBLISHED, pixels, radix_k
from sortlast_studies.steps import Json, PartDone, Step, in_turn

ONE_SIZE = pixels("Figure 5") // MEGAPIXEL  # also for runs without mapping, and for quick runs
MEGAPIXELS = (1, 2, 4, 8)  # in Figure 4
MAPPINGS = {"blocks": BLOCK, "none": 0}  # edge of the blocks of a mapping, by its name in the results
RACK = 1024  # nodes; up to this number Figure 5 has every multiple of _STEP
GRAPH_ENDS, _LAST = (
    int(PUBLISHED.value("Figure 5, last number of processes", of)) for of in ("caption", "text")
)
_STEP = 32
_POWERS = [2**k for k in range(5, 15)]  # numbers of processes in Figure 4
_QUICK_UNTIL = 1024  # processes
_MOST_MEGAPIXELS = 1024


def steps(quick: bool) -> list[Step]:
    """Figure 4 at powers of two, Figure 5 at multiples of 32 and of a rack, and all additional frames."""
    powers = [p for p in _POWERS if not quick or p <= _QUICK_UNTIL]
    step = 4 * _STEP if quick else _STEP
    others = list(range(step, RACK + 1, step))
    if not quick:
        others += range(2 * RACK, GRAPH_ENDS + 1, RACK)
        others += [*range(2 * GRAPH_ENDS, _LAST, GRAPH_ENDS), _LAST]
    sizes = [ONE_SIZE] if quick else MEGAPIXELS
    return [
        *(_power(p, size) for p in powers for size in sizes),
        *(_any(p) for p in others),
        *(_swap(p) for p in others if p <= RACK),
        _sensitivity(),
        _quoted(quick),
    ]


def service(p: int) -> Service:
    """Service of p processes: six links, or beyond the graph of Figure 5 ordered ones, which are faster."""
    return SIX_LINKS if p <= GRAPH_ENDS else SIX_ORDERED


def _quoted(quick: bool) -> Step:
    """Seconds of radix-k in blocks, for the frame that the shift paper quotes; if quick, on one rack."""
    p = RACK if quick else int(PUBLISHED.value("Quoted", "frame", "processes"))
    size = int(PUBLISHED.value("Quoted", "frame", "size"))

    def compute(part_done: PartDone) -> Json:
        made = radix_k(p, size * MEGAPIXEL)
        run = blue_gene.run(made, blue_gene.partition(p), BLOCK, service=service(p), part_done=part_done)
        return {"processes": p, "name": made.name, "seconds": run.seconds}

    return Step(f"quoted/p{p}", compute, work=2 * p + size)


def asked(ranks: Sequence[int] | None, sizes: Sequence[int] | None) -> list[Step]:
    """Frames with all combinations of these numbers; one size or 512 processes if one argument is None.

    Raises ArgumentError for numbers of processes without a partition, and sizes outside 1 to 1024.
    """
    most = blue_gene.PARTITIONS[-1].nodes
    for what, values, limits in (("ranks", ranks, (2, most)), ("sizes", sizes, (1, _MOST_MEGAPIXELS))):
        for value in values or ():
            if not limits[0] <= value <= limits[1]:
                raise ArgumentError(f"{what} has {value}; expected {limits[0]} to {limits[1]}")
    if ranks is None and sizes is None:
        return []
    pairs = product(ranks or (blue_gene.TORUS_512.nodes,), sizes or (ONE_SIZE,))
    return [_frame(p, size) for p, size in sorted(set(pairs))]


def swap(p: int, n: int) -> Schedule:
    """Binary swap, or 2-3 swap if p is not a power of two."""
    return make("2-3-swap" if p & (p - 1) else "binary-swap", p=p, n=n)


def _frame(p: int, size: int) -> Step:
    """Seconds of radix-k and of a swap in blocks."""

    def compute(part_done: PartDone) -> Json:
        both = radix_k(p, size * MEGAPIXEL), swap(p, size * MEGAPIXEL)
        return {
            made.name: blue_gene.run(
                made, blue_gene.partition(p), BLOCK, service=service(p), part_done=done
            ).seconds
            for made, done in in_turn(both, part_done)
        }

    return Step(f"frame/p{p}-{size}", compute, work=4 * p)


def _power(p: int, size: int) -> Step:
    def compute(part_done: PartDone) -> Json:
        where = blue_gene.partition(p)
        pair = {
            "binary-swap": make("binary-swap", p=p, n=size * MEGAPIXEL),
            "radix-k": radix_k(p, size * MEGAPIXEL),
        }
        mappings = [each for each in MAPPINGS if each == "blocks" or size == ONE_SIZE]
        found: dict[str, dict[str, float]] = {mapping: {} for mapping in mappings}
        for (mapping, name), done in in_turn(list(product(mappings, pair)), part_done):
            run = blue_gene.run(pair[name], where, MAPPINGS[mapping], part_done=done)
            found[mapping][name] = run.seconds
        return found

    return Step(f"figure-4/p{p}-{size}", compute, work=2 * p + size)


def _any(p: int) -> Step:
    def compute(part_done: PartDone) -> Json:
        where, made = blue_gene.partition(p), radix_k(p, ONE_SIZE * MEGAPIXEL)
        found: dict[str, Json] = {"name": made.name}
        for mapping, done in in_turn(MAPPINGS, part_done):
            run = blue_gene.run(made, where, MAPPINGS[mapping], service=service(p), part_done=done)
            found[mapping] = run.seconds
        return found

    return Step(f"figure-5/p{p}", compute, work=p)


def _swap(p: int) -> Step:
    """Seconds of 2-3 swap in blocks."""

    def compute(part_done: PartDone) -> Json:
        made = make("2-3-swap", p=p, n=ONE_SIZE * MEGAPIXEL)
        return blue_gene.run(made, blue_gene.partition(p), BLOCK, part_done=part_done).seconds

    return Step(f"2-3-swap/p{p}", compute, work=p)


def _sensitivity() -> Step:
    """By rate of blending [byte/s]: the ratio with and without mapping, for one size on 512 processes."""

    def compute(part_done: PartDone) -> Json:
        where, n = blue_gene.TORUS_512, ONE_SIZE * MEGAPIXEL
        pair = make("binary-swap", p=where.nodes, n=n), radix_k(where.nodes, n)
        rates = [factor * blue_gene.BLEND for factor in (0.25, 0.5, 1, 2, 4)]
        found: dict[str, dict[str, float]] = {}
        for (blend, mapping), done in in_turn(list(product(rates, MAPPINGS)), part_done):
            swap, radix = (
                blue_gene.run(made, where, MAPPINGS[mapping], blend=blend, part_done=part).seconds
                for made, part in in_turn(pair, done)
            )
            found.setdefault(f"{blend:g}", {})[mapping] = swap / radix
        return found

    return Step("sensitivity", compute, work=5000)
