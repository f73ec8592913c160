"""Simulated answers to the open questions of section 5.2: active pixels, parallel blending, the choice of k.

All for the 256 processes of Figure 6, on the torus, in blocks of 2x2x2. Links serve messages in order, and a
node has six under way, because shared links would take ten times as long for this many frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from sortlast.schedule import Machine, Schedule, choose, make
from sortlast_studies.radix_k import blue_gene, cluster
from sortlast_studies.radix_k.blue_gene import BLEND, BLOCK, CORES, LATENCY, LINK, SIX_ORDERED, TORUS_512
from sortlast_studies.radix_k.vectors import PIXEL_BYTES, PROCESSES, VECTORS, pixels, radix_k, text
from sortlast_studies.steps import Json, PartDone, Step, in_turn

SHARES = (1.0, 0.5, 0.1, 0.01)  # fractions of an image's pixels that are active
CORE_COUNTS = (1, 2, CORES)
_CHOICE_PROCESSES = (12, 16, 36, 64)  # numbers of processes on the switch


def steps(quick: bool) -> list[Step]:
    """The steps, one per question."""
    return [
        Step("later/active", _active, work=3000 * len(SHARES)),
        Step("later/cores", _cores, work=3000 * len(CORE_COUNTS)),
        _choice(_CHOICE_PROCESSES[:1] if quick else _CHOICE_PROCESSES),
    ]


def _active(part_done: PartDone) -> Json:
    """Seconds by fraction of active pixels and by k vector."""
    return _sweep(part_done, {f"{share:g}": (BLEND, share) for share in SHARES})


def _cores(part_done: PartDone) -> Json:
    """Seconds by number of blending cores and by k vector; the blending rate is proportional to the cores."""
    return _sweep(part_done, {str(cores): (cores * BLEND, 1.0) for cores in CORE_COUNTS})


def _sweep(part_done: PartDone, cases: Mapping[str, tuple[float, float]]) -> Json:
    found: dict[str, dict[str, float]] = {case: {} for case in cases}
    for (case, k), done in in_turn(list(product(cases, VECTORS)), part_done):
        blend, active = cases[case]
        made = radix_k(PROCESSES, pixels("Figure 6"), k)
        found[case][text(k)] = _torus(made, done, blend=blend, active=active)
    return found


def _choice(counts: Sequence[int]) -> Step:
    """By machine and number of processes: the choice from its figures, and seconds of all candidates.

    On the torus the candidates are the vectors of Figure 6, on the switch all that the library considers, as
    ordered by :func:`sortlast.schedule.choose` without knowledge of the network.
    """

    def compute(part_done: PartDone) -> Json:
        found: dict[str, Json] = {"torus": {}, "switch": {}}
        wanted = [("torus", PROCESSES), *(("switch", p) for p in counts)]
        for (machine, p), done in in_turn(wanted, part_done):
            simulate = _on_torus if machine == "torus" else _on_switch
            found[machine][str(p)] = simulate(p, pixels("Figure 6"), done)
        return found

    return Step(f"later/choice-{len(counts)}", compute, work=8000 * len(counts))


def _on_torus(p: int, n: int, part_done: PartDone) -> Json:
    names = [f"radix-k:{text(k)}" for k in VECTORS]
    return {
        "chosen": choose(p, n, _machine(LINK, BLEND), PIXEL_BYTES, candidates=names)[0].name,
        "seconds": {name: _torus(make(name, p=p, n=n), done) for name, done in in_turn(names, part_done)},
    }


def _torus(made: Schedule, part_done: PartDone, *, blend: float = BLEND, active: float = 1) -> float:
    """Seconds per frame."""
    run = blue_gene.run(
        made, TORUS_512, BLOCK, blend=blend, active=active, service=SIX_ORDERED, part_done=part_done
    )
    return run.seconds


def _on_switch(p: int, n: int, part_done: PartDone) -> Json:
    candidates = choose(p, n, _machine(cluster.LINK, cluster.BLEND), PIXEL_BYTES)
    names = [each.name for each in candidates if each.name.startswith("radix-k")]
    return {
        "chosen": names[0],
        "seconds": {
            name: cluster.seconds(make(name, p=p, n=n), done) for name, done in in_turn(names, part_done)
        },
    }


def _machine(link: float, blend: float) -> Machine:
    """The figures for the library's choice: one rank per node; blending reads twice and writes once."""
    part = 1 / (3 * blend)
    return Machine(alpha=LATENCY, beta=1 / link, gamma_read=part, gamma_write=part)
