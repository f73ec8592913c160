"""The effect of the model of nodes and links: Figures 3, 4 and 6 with every service of the links."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import product

from sortlast.schedule import make
from sortlast_studies.radix_k import blue_gene, profile
from sortlast_studies.radix_k.blue_gene import BLOCK, SERVICES, SIX_LINKS, Service
from sortlast_studies.radix_k.vectors import CURVES, PUBLISHED, pixels, radix_k, seconds
from sortlast_studies.steps import Json, PartDone, Step, in_turn

COMPARED = ("mesh", "torus", "2x2x2 blocks")  # curves of Figure 6
CHUNK = 1 << 20  # bytes, the default at which the library's compositor cuts messages
CUT: Mapping[str, Service] = {"ordered links, cut messages": Service(ordered=True, chunk=CHUNK)}
_POWERS = tuple(2**k for k in range(5, 11))  # numbers of processes of Figure 4


def steps(quick: bool) -> list[Step]:
    """Figure 6 for each service but its default, and Figures 3 and 4 for all.

    The quick steps leave out the services with a limit on receives, which take longest to simulate.
    """
    others = {
        name: service
        for name, service in SERVICES.items()
        if service != SIX_LINKS and not (quick and service.receives)
    }
    return [
        *(Step(f"services/figure-6/{name}", partial(_figure_6, each), 3000) for name, each in others.items()),
        Step("services/figure-3", _figure_3, work=500),
        Step("services/figure-4", _figure_4, work=2000),
    ]


def _figure_6(service: Service, part_done: PartDone) -> Json:
    """Seconds by curve and k vector."""
    return {
        curve: seconds(*CURVES[curve], done, service=service) for curve, done in in_turn(COMPARED, part_done)
    }


def _figure_3(part_done: PartDone) -> Json:
    """By service and algorithm: seconds, and the fraction of the blending behind messages."""
    p = int(PUBLISHED.value("Figure 3", "radix-k", "ranks"))
    found: dict[str, Json] = {}
    cases = list(product({**SERVICES, **CUT}.items(), profile.VECTORS.items()))
    for ((name, service), (algorithm, k)), done in in_turn(cases, part_done):
        run = blue_gene.run(
            radix_k(p, pixels("Figure 3"), k),
            blue_gene.partition(p),
            BLOCK,
            service=service,
            part_done=done,
        )
        hidden = float(run.task_hidden.sum() / run.task_compute.sum())
        found.setdefault(name, {})[algorithm] = {"seconds": run.seconds, "hidden": hidden}
    return found


def _figure_4(part_done: PartDone) -> Json:
    """By service: ratio of the times of binary swap and radix-k, at each number of processes."""
    n = pixels("Figure 5")
    found: dict[str, list[float]] = {name: [] for name in SERVICES}
    for (name, p), done in in_turn(list(product(SERVICES, _POWERS)), part_done):
        swap, radix = (
            blue_gene.run(each, blue_gene.partition(p), BLOCK, service=SERVICES[name], part_done=part).seconds
            for each, part in in_turn((make("binary-swap", p=p, n=n), radix_k(p, n)), done)
        )
        found[name].append(swap / radix)
    return found
