"""Figures 4 and 5: radix-k beside binary swap over numbers of processes and sizes of images, simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sortlast.schedule import make
from sortlast.study.radix_k import blue_gene
from sortlast.study.radix_k.blue_gene import BLOCK, part_of
from sortlast.study.radix_k.published import MEGAPIXEL, published, radix_k
from sortlast.study.steps import Json, PartDone, Step
from sortlast.study.study import Results

_QUICK_UNTIL = 1024  # processes
_MAPPINGS = {"blocks": BLOCK, "none": 0}  # blocks of a mapping, by its name in the results


@dataclass(frozen=True)
class Point:
    """One number of processes with one size of image: seconds of both algorithms."""

    processes: int
    megapixels: int
    mapped: bool
    binary_swap: float
    radix_k: float

    @property
    def ratio(self) -> float:
        """How many times as fast radix-k is."""
        return self.binary_swap / self.radix_k


def one_size() -> int:
    """Megapixels of Figure 5, and of what is simulated without mapping or quickly."""
    size: int = published()["figure_5"]["megapixels"]
    return size


def steps(quick: bool) -> list[Step]:
    """Figure 4 at its powers of two, Figure 5 at its multiples of 32 and of a rack."""
    figure_4, figure_5 = published()["figure_4"], published()["figure_5"]
    powers = [p for p in figure_4["processes"] if not quick or p <= _QUICK_UNTIL]
    step = 4 * figure_5["step"] if quick else figure_5["step"]
    others = list(range(step, figure_5["until"] + 1, step))
    if not quick:
        rack, graph_ends, last = figure_5["rack"], figure_5["last_of_caption"], figure_5["last_of_text"]
        others += range(2 * rack, graph_ends + 1, rack)
        others += [*range(2 * graph_ends, last, graph_ends), last]
    sizes = [one_size()] if quick else figure_4["megapixels"]
    return [*(_power(p, size) for p in powers for size in sizes), *(_any(p) for p in others), _sensitivity()]


def points(results: Results) -> list[Point]:
    """The simulated points of Figure 4."""
    at = published()["figure_4"]
    return [
        Point(p, size, mapping == "blocks", times["binary-swap"], times["radix-k"])
        for p in at["processes"]
        for size in at["megapixels"]
        for mapping, times in results.get(_power_name(p, size), {}).items()
    ]


def counts(results: Results) -> dict[int, Mapping[str, Json]]:
    """Of Figure 5, by number of processes: ``name`` of the schedule, seconds ``none`` and ``blocks``."""
    prefix = "figure-5/p"
    found = {int(key.removeprefix(prefix)): at for key, at in results.items() if key.startswith(prefix)}
    return dict(sorted(found.items()))


def ratios(results: Results, *, mapped: bool) -> list[float]:
    """Those of Figure 4, with or without mapping."""
    return [point.ratio for point in points(results) if point.mapped == mapped]


def sensitivity(results: Results) -> dict[float, tuple[float, float]]:
    """By rate of blending [byte/s]: the ratio with mapping and without, of one size on 512 processes."""
    found = results["sensitivity"]
    return {float(blend): (pair["blocks"], pair["none"]) for blend, pair in found.items()}


def _sensitivity() -> Step:
    def compute(part_done: PartDone) -> Json:
        where, n = blue_gene.TORUS_512, one_size() * MEGAPIXEL
        pair = make("binary-swap", p=where.nodes, n=n), radix_k(where.nodes, n)
        cases = [
            (factor * blue_gene.BLEND, mapping, block)
            for factor in (0.25, 0.5, 1, 2, 4)
            for mapping, block in _MAPPINGS.items()
        ]
        found: dict[str, dict[str, float]] = {}
        for k, (blend, mapping, block) in enumerate(cases):
            swap, radix = (
                blue_gene.run(
                    made, where, block, blend=blend, part_done=part_of(part_done, 2 * k + j, 2 * len(cases))
                ).seconds
                for j, made in enumerate(pair)
            )
            found.setdefault(f"{blend:g}", {})[mapping] = swap / radix
        return found

    return Step("sensitivity", compute, work=5000)


def _power(p: int, size: int) -> Step:
    def compute(part_done: PartDone) -> Json:
        where = blue_gene.partition(p)
        pair = {
            "binary-swap": make("binary-swap", p=p, n=size * MEGAPIXEL),
            "radix-k": radix_k(p, size * MEGAPIXEL),
        }
        mappings = [each for each in _MAPPINGS if each == "blocks" or size == one_size()]
        runs = [(mapping, name) for mapping in mappings for name in pair]
        found: dict[str, dict[str, float]] = {mapping: {} for mapping in mappings}
        for k, (mapping, name) in enumerate(runs):
            done = part_of(part_done, k, len(runs))
            run = blue_gene.run(pair[name], where, _MAPPINGS[mapping], part_done=done)
            found[mapping][name] = run.seconds
        return found

    return Step(_power_name(p, size), compute, work=2 * p + size)


def _power_name(p: int, size: int) -> str:
    return f"figure-4/p{p}-{size}"


def _any(p: int) -> Step:
    def compute(part_done: PartDone) -> Json:
        where = blue_gene.partition(p)
        made = radix_k(p, one_size() * MEGAPIXEL)
        return {
            "name": made.name,
            "none": blue_gene.run(made, where, 0, part_done=part_of(part_done, 0, 2)).seconds,
            "blocks": blue_gene.run(made, where, BLOCK, part_done=part_of(part_done, 1, 2)).seconds,
        }

    return Step(f"figure-5/p{p}", compute, work=p)
