"""Figures 4 and 5: radix-k beside binary swap over numbers of processes and sizes of images, simulated."""

from __future__ import annotations

from itertools import product

from sortlast.schedule import make
from sortlast_studies.radix_k import blue_gene
from sortlast_studies.radix_k.blue_gene import BLOCK
from sortlast_studies.radix_k.vectors import MEGAPIXEL, PUBLISHED, pixels, radix_k
from sortlast_studies.steps import Json, PartDone, Step, in_turn

ONE_SIZE = pixels("Figure 5") // MEGAPIXEL  # also that of what runs without mapping or quickly
MEGAPIXELS = (1, 2, 4, 8)  # of Figure 4
MAPPINGS = {"blocks": BLOCK, "none": 0}  # blocks of a mapping, by its name in the results
RACK = 1024  # nodes; up to these Figure 5 has every multiple of _STEP
_STEP = 32
_POWERS = [2**k for k in range(5, 15)]  # numbers of processes of Figure 4
_QUICK_UNTIL = 1024  # processes


def steps(quick: bool) -> list[Step]:
    """Figure 4 at its powers of two, Figure 5 at its multiples of 32 and of a rack."""
    powers = [p for p in _POWERS if not quick or p <= _QUICK_UNTIL]
    step = 4 * _STEP if quick else _STEP
    others = list(range(step, RACK + 1, step))
    if not quick:
        ends = "Figure 5, last number of processes"
        graph_ends, last = (int(PUBLISHED.value(ends, of)) for of in ("caption", "text"))
        others += range(2 * RACK, graph_ends + 1, RACK)
        others += [*range(2 * graph_ends, last, graph_ends), last]
    sizes = [ONE_SIZE] if quick else MEGAPIXELS
    return [*(_power(p, size) for p in powers for size in sizes), *(_any(p) for p in others), _sensitivity()]


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
            found[mapping] = blue_gene.run(made, where, MAPPINGS[mapping], part_done=done).seconds
        return found

    return Step(f"figure-5/p{p}", compute, work=p)


def _sensitivity() -> Step:
    """By rate of blending [byte/s]: the ratio with mapping and without, of one size on 512 processes."""

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
