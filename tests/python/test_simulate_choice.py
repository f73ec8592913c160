"""The choice that knows the fabric: of random jobs no candidate is faster, whatever was left out."""

from __future__ import annotations

import random

import pytest

import mpirun
import sortlast
from sortlast import fabric, schedule, simulate

NETS = {
    "k-ary-n-tree:6,2": "ftree",
    "pgft:8,8;1,4;1,1": "ftree",
    "pgft:8,4,4;1,2,2;1,1,1": "ftree",
    "torus:6,6": "dor",
    "torus:4,4,4": "dor",
}


def random_job(seed: int, most: int = 36) -> simulate.JobFabric:
    """A fabric, some of its nodes, together or fragmented, in some order, and an image."""
    draw = random.Random(seed)
    net, engine = draw.choice([*NETS.items()])
    topology = fabric.make_topology(net)
    ranks = draw.choice([p for p in (8, 12, 16, 24, 27, 32, 36) if p <= most])
    if draw.random() < 0.5:
        hosts = fabric.allocate_hosts(topology, "contiguous", ranks)
    else:
        busy = {*draw.sample(range(len(topology.hosts)), max(0, len(topology.hosts) - ranks - 2))}
        free = [host for host in range(len(topology.hosts)) if host not in busy]
        hosts = fabric.allocate_hosts(topology, draw.choice(["contiguous", "random"]), ranks, free, seed)
    if draw.random() < 0.3:
        hosts = fabric.order_hosts(topology, "random", hosts, seed)
    machine = schedule.Machine(alpha=draw.choice([1e-6, 2e-5]), beta=draw.choice([8e-11, 8e-10]))
    pixels = draw.choice([2**14, 2**18, 2**22])
    return simulate.JobFabric(fabric.route(topology, engine), hosts, pixels, machine=machine)


@pytest.mark.parametrize("seed", range(30))
def test_no_candidate_is_faster(seed: int) -> None:
    job = random_job(seed)
    chosen = simulate.choose(job)
    every = simulate.choose(job, all_candidates=True)
    assert all(each.seconds is not None for each in every)
    best = min(each.seconds for each in every if each.seconds)
    assert chosen[0].seconds is not None
    assert chosen[0].seconds <= 1.05 * best
    assert (chosen[0].name, chosen[0].ring) == (every[0].name, every[0].ring)
    # A bound is one: no frame is shorter.
    assert all(each.seconds >= each.least > 0 for each in every if each.seconds)
    assert {(each.name, each.ring) for each in chosen} == {(each.name, each.ring) for each in every}


def test_the_choice_that_does_not_know_the_tree_is_slower() -> None:
    """It takes a network without contention, where radix-k has fewer rounds than shift."""
    job = simulate.JobFabric(fabric.route(fabric.k_ary_n_tree(12, 2), "ftree"), range(60), 2**20)
    known = simulate.choose(job)
    plain = schedule.choose(60, 2**20)[0].name
    times = {each.name: each.seconds for each in simulate.choose(job, [plain], all_candidates=True)}
    assert known[0].name != plain
    assert times[plain] > 1.5 * known[0].seconds


def test_shift_follows_the_routing_order_where_ranks_are_shuffled() -> None:
    tree = fabric.make_topology("pgft:6,6;1,6;1,1")
    hosts = fabric.order_hosts(tree, "random", seed=3)
    job = simulate.JobFabric(fabric.route(tree, "ftree"), hosts, 2**22)
    found = simulate.choose(job, ["shift"], all_candidates=True)
    assert [each.ring is None for each in found] == [False, True]
    assert [hosts[rank] for rank in found[0].ring] == list(range(36))
    assert found[1].seconds > 1.3 * found[0].seconds


def test_ranks_that_share_nodes_may_merge_first() -> None:
    tree = fabric.make_topology("k-ary-n-tree:4,2")
    job = simulate.JobFabric(tree, ",".join(f"host{k:05d}:2" for k in range(8)), 2**20)
    assert job.ranks == 16
    assert any(each.name.startswith("two-level:") for each in simulate.choose(job))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"nodes": [0, -1, 2]}, "places that stay empty"),
        ({"nodes": []}, "places that stay empty, or none"),
        ({"nodes": [0, 99]}, "no host 99"),
        ({"nodes": [0, 1], "pixels": -1}, "-1"),
        ({"nodes": [0, 1], "pixel_bytes": 0}, "pixel_bytes"),
        ({"nodes": [0, 1], "active": 2.0}, "active"),
        ({"nodes": [0, 1], "routing": "nobody"}, "no routing engine"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], told: str) -> None:
    tree = fabric.make_topology("k-ary-n-tree:3,2")
    with pytest.raises(sortlast.ArgumentError, match=told):
        simulate.JobFabric(tree, **({"pixels": 100} | arguments)).choice(2)  # type: ignore[arg-type]


RANKS = """
import numpy as np
import sortlast
from sortlast import fabric, simulate

job = simulate.JobFabric(fabric.route(fabric.torus([2, 2]), "dor"), [3, 0, 1, 2], 64 * 64, pixel_bytes=4)
name, ring = job.choice(size)
with sortlast.Compositor(comm, fabric=job) as compositor:
    image = np.full((64, 64, 4), 40 * rank, np.uint8)
    whole = compositor.gather(compositor.composite(image, op="max"))
    assert compositor.algorithm == name, (compositor.algorithm, name)
    assert rank or (whole.colour == 120).all()

told = []
wrong = simulate.JobFabric(fabric.torus([2, 2]), [3, 0], 64 * 64)
for options in ({"fabric": wrong}, {"fabric": job, "algorithm": "shift"},
                {"fabric": job, "ring": [0, 1, 2, 3]},
                {"fabric": 3}, {"fabric": job if rank else None, "algorithm": "auto"}):
    try:
        sortlast.Compositor(comm, **options).close()
        told.append("")
    except sortlast.Error as error:
        told.append(str(error))
report(told)
"""


@pytest.mark.mpi
def test_a_compositor_is_told_its_fabric() -> None:
    for told in mpirun.run(4, RANKS).reports:
        assert "2 ranks, and there are 4" in told[0]
        assert "fabric chooses algorithm and ring" in told[1]
        assert "fabric chooses algorithm and ring" in told[2]
        assert "fabric is 3" in told[3]
        assert "algorithm" in told[4]  # rank 0 differs, and all are told
