"""Contention, bisection, times and orders from Python: arrays, progress, interrupts, errors."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import sortlast
from sortlast import _fabric as fabric

TREE = fabric.k_ary_n_tree(12, 2)
ROUTES = fabric.route(TREE, "d-mod-k")
RANDOM = fabric.order_hosts(TREE, "random", seed=3)


def shifts(placement):
    return fabric.contention(ROUTES, fabric.shift_pattern(len(placement)), placement)


def test_figures_are_numpy_arrays_that_fit_each_other():
    found = shifts(RANDOM)
    assert found.stage_max.dtype == np.int32
    assert found.stage_max.shape == (143,)
    assert found.stage_share.dtype == np.float64
    assert found.stage_share.shape == (143,)
    assert found.histogram.dtype == np.int64
    assert found.histogram.shape == (found.max_flows + 1,)
    assert found.channel_max.dtype == np.int32
    assert found.channel_max.shape == (TREE.channels,)
    assert found.stage_max.max() == found.channel_max.max() == found.max_flows
    assert found.stage_max[found.worst_stage] == found.max_flows
    assert found.mean_share == pytest.approx(found.stage_share.mean())  # every stage has 144 flows
    loads = found.loads(found.worst_stage)
    assert (
        loads[found.worst_channel]
        == found.max_flows
        == len(found.crossing(found.worst_stage, found.worst_channel))
    )
    used = np.zeros_like(found.histogram)
    for stage in range(found.stages):
        used += np.bincount(found.loads(stage), minlength=len(used))
    assert list(used[1:]) == list(found.histogram[1:])
    assert "max_flows" in repr(found)
    assert not found.contention_free


# Measured with OpenSM's own tables on a simulated fabric.
@pytest.mark.parametrize(
    ("tree", "engine", "max_flows", "mean_share"),
    [
        ("k-ary-n-tree:12,2", "ftree", 1, 1.0),
        ("k-ary-n-tree:12,2", "minhop", 1, 1.0),
        ("k-ary-n-tree:12,2", "lash", 12, 0.16),
        ("k-ary-n-tree:4,3", "ftree", 1, 1.0),
        ("k-ary-n-tree:4,3", "minhop", 4, 0.48),
        ("k-ary-n-tree:4,3", "lash", 16, 0.17),
        ("pgft:8,4;1,4;1,2", "ftree", 1, 1.0),
        ("pgft:8,4;1,4;1,2", "minhop", 2, 0.68),
        ("pgft:8,4;1,4;1,2", "lash", 8, 0.35),
        ("pgft:8,4;1,4;1,2", "dor", 4, 0.47),
        ("thin-tree:8,4,3", "ftree", 4, 0.31),
        ("thin-tree:8,4,3", "minhop", 16, 0.13),
        ("thin-tree:8,4,3", "lash", 64, 0.045),
        ("k-ary-n-tree:12,3", "ftree", 1, 1.0),
        ("k-ary-n-tree:12,3", "minhop", 12, 0.17),
    ],
)
def test_what_the_engines_do_to_shifts(tree, engine, max_flows, mean_share):
    routes = fabric.route(fabric.make_topology(tree), engine)
    hosts = len(routes.topology.hosts)
    found = fabric.contention(routes, fabric.shift_pattern(hosts), list(range(hosts)))
    assert (routes.engine, found.max_flows) == (engine, max_flows)
    assert found.mean_share == pytest.approx(mean_share, abs=0.005)


def test_patterns_list_their_flows():
    assert fabric.shift_pattern(3, 5).flows(1).tolist() == [[0, 2, 5], [1, 0, 5], [2, 1, 5]]
    assert fabric.permutation_pattern([2, -1, 1]).flows(0).tolist() == [[0, 2, 1], [2, 1, 1]]
    traffic = fabric.traffic_pattern("mine", 4, [[(0, 1, 7)], []])
    assert (traffic.name, traffic.participants, traffic.stages) == ("mine", 4, 2)
    assert fabric.all_to_all_pattern(4).flows(0).shape == (12, 3)
    with pytest.raises(sortlast.ArgumentError, match="stage 2 of mine"):
        traffic.flows(2)


def test_the_best_order_of_an_uneven_job():
    hosts = sorted(RANDOM[:30])
    best = fabric.best_order(ROUTES, hosts)
    assert best.contention.contention_free
    assert best.proven_best
    assert not best.proof
    assert sorted(best.placement) == hosts
    assert best.contention.placement == best.placement
    assert best.how in repr(best)


def test_progress_is_told_and_may_stop():
    parts = []
    found = fabric.contention(
        ROUTES, fabric.shift_pattern(144), RANDOM, threads=2, progress=lambda part: parts.append(part)
    )
    assert found.stages == 143
    assert parts == sorted(parts)
    assert parts[-1] == 1
    with pytest.raises(sortlast.Error, match="cancelled"):
        fabric.contention(ROUTES, fabric.shift_pattern(144), RANDOM, progress=lambda _: False)
    with pytest.raises(ZeroDivisionError):
        fabric.contention(ROUTES, fabric.shift_pattern(144), RANDOM, progress=lambda _: 1 // 0)


def test_ctrl_c_ends_an_analysis():
    big = fabric.rlft(24, 3)
    routes = fabric.route(big, "d-mod-k")
    hosts = fabric.order_hosts(big, "random", seed=1)

    def interrupt(_part):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        fabric.contention(routes, fabric.shift_pattern(len(hosts)), hosts, progress=interrupt)


def test_wrong_arguments_are_told():
    with pytest.raises(sortlast.ArgumentError, match="placement of 2 participants"):
        fabric.contention(ROUTES, fabric.shift_pattern(3), [0, 1])
    with pytest.raises(sortlast.ArgumentError, match="placed on host 144"):
        fabric.contention(ROUTES, fabric.shift_pattern(2), [0, 144])
    with pytest.raises(sortlast.ArgumentError, match="at least 2"):
        fabric.bisection(ROUTES, [0])
    with pytest.raises(sortlast.ArgumentError, match="no hosts"):
        fabric.best_order(ROUTES, [])
