"""Six common placements of ranks on hosts."""

from __future__ import annotations

from functools import cache
from itertools import chain, zip_longest
from math import ceil
from threading import Lock

from sortlast import fabric
from sortlast.fabric import Routes
from sortlast_studies.camera.fabrics import MOST_HOSTS, SIDE, TORUS, groups, routes
from sortlast_studies.camera.views import cell
from sortlast_studies.taper import placement as jobs

SEED = 1
SEARCH = 20_000  # exchanges tried by the search for an order
BUSY = jobs.BUSY
LEAF, MORTON, ROUND_ROBIN, RANDOM, FRAGMENTED, ORDERED = (
    "leaf order",
    "Morton order",
    "round robin",
    "random",
    "fragmented",
    "fragmented, fabric order",
)
PLACEMENTS = {
    LEAF: "rank after rank on leaf after leaf; on the torus along x, then y, then z",
    MORTON: "blocks along a Morton curve on leaf after leaf; on the torus along a Morton curve too",
    ROUND_ROBIN: "rank after rank on one leaf after the other in turn; on the torus on the lines along x",
    RANDOM: "the hosts of the leaf order, ranks drawn at random",
    FRAGMENTED: (
        f"the first free hosts, as Slurm gives them, where other jobs hold {BUSY:.0%} drawn at random"
    ),
    ORDERED: "the same hosts in the order that sortlast fabric order finds for shift",
}
SHARED = (FRAGMENTED, ORDERED)
MOST_RANKS = MOST_HOSTS - round(BUSY * MOST_HOSTS)  # with enough free hosts on every fabric

_lock = Lock()


def place(name: str, p: int, placement: str) -> tuple[Routes, list[int]]:
    """The fabric of this name, and the host of each rank of a job; computed only once, with a lock."""
    with _lock:
        found, hosts = _place(name, p, placement)
    return found, list(hosts)


@cache
def _place(name: str, p: int, placement: str) -> tuple[Routes, tuple[int, ...]]:
    needed = ceil(p / (1 - BUSY)) if placement in SHARED else p
    found = routes(name, needed)
    return found, tuple(_hosts(found, name, p, placement))


def _hosts(found: Routes, name: str, p: int, placement: str) -> list[int]:
    topology = found.topology
    if placement in (RANDOM, FRAGMENTED):
        called = jobs.SHUFFLED if placement == RANDOM else jobs.FRAGMENTED
        return jobs.nodes_of(topology, p, called, SEED)
    if placement == ORDERED:
        shared = jobs.nodes_of(topology, p, jobs.FRAGMENTED, SEED)
        return fabric.best_order(found, shared, steps=SEARCH, seed=SEED, threads=1).placement
    hosts = jobs.nodes_of(topology, p, jobs.ORDER, SEED)
    if placement == LEAF:
        return hosts
    if placement == ROUND_ROBIN:
        turns = zip_longest(*groups(topology, hosts))
        return [host for host in chain.from_iterable(turns) if host is not None]
    return _along_curve(hosts if name != TORUS else _curve_of_torus()[:p], p)


def _along_curve(hosts: list[int], p: int) -> list[int]:
    """Place the n-th block of a Morton curve through the volume on the n-th host."""
    placed = [0] * p
    for host, rank in zip(hosts, sorted(range(p), key=lambda rank: _morton(cell(rank, p))), strict=True):
        placed[rank] = host
    return placed


def _curve_of_torus() -> list[int]:
    """All hosts of the torus, one per switch, x fastest, along a Morton curve."""
    return sorted(
        range(SIDE**3), key=lambda host: _morton((host % SIDE, host // SIDE % SIDE, host // SIDE**2))
    )


def _morton(at: tuple[int, int, int]) -> int:
    """Interleave the bits of the three coordinates, x last."""
    return sum((at[axis] >> bit & 1) << 3 * bit + axis for bit in range(10) for axis in range(3))
