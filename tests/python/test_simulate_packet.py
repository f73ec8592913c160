"""The packet simulator from Python: what it takes, what it reports, what it refuses; FSIN's cycles."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sortlast import ArgumentError, Error, fabric, simulate

# Cycles of the simulator FSIN (INSEE), as it is: mean and standard deviation over the seeds 17 to 22, and
# 17 to 19 for 1 KB, of traces that Traffic.to_fsin() wrote. It ran on the 8,4-fat-tree (8) and on the
# 8:4,4-thin-tree (4), and counts two cycles more than have a moving phit.
FSIN = {
    (8, "BT", 10): (254.0, 0.0),
    (8, "2M", 10): (107.8, 4.6),
    (8, "3M", 10): (185.2, 4.8),
    (8, "BU", 10): (263.2, 0.4),
    (8, "BU", 1000): (3448.0, 35.1),
    (8, "2W", 10): (9514.0, 16.6),
    (8, "3W", 10): (5208.5, 12.0),
    (8, "WF", 10): (4772.7, 22.9),
    (4, "BT", 10): (254.0, 0.0),
    (4, "3M", 10): (363.5, 10.2),
    (4, "BU", 10): (1042.8, 20.6),
    (4, "BU", 1000): (13723.7, 9.9),
}


@cache
def mean_cycles(k_up: int, name: str, size: int, ties: str, seeds: int = 10) -> float:
    f = fabric.thin_tree(8, k_up, 4)
    t = simulate.pattern(name, 4096, size)
    return float(np.mean([simulate.packet(f, t, seed=s, ties=ties).cycles for s in range(seeds)]))


@pytest.mark.parametrize("cell", [cell for cell in FSIN if cell[2] == 10])
def test_cycles_of_fsin_within_5_percent(cell):
    expected, _ = FSIN[cell]
    assert mean_cycles(*cell, "uniform") == pytest.approx(expected - 2, rel=0.05)
    assert mean_cycles(*cell, "fsin") == pytest.approx(expected - 2, rel=0.03)


@pytest.mark.parametrize("cell", [(8, "BU", 1000), pytest.param((4, "BU", 1000), marks=pytest.mark.slow)])
def test_cycles_of_fsin_at_1_kb_within_5_percent(cell):
    assert mean_cycles(*cell, "uniform") == pytest.approx(FSIN[cell][0] - 2, rel=0.05)


def test_results_fit_each_other():
    f = fabric.thin_tree(4, 2, 3)
    t = simulate.pattern("BU", ranks=64, size=1000)
    run = simulate.packet(f, t, seed=3, sample_cycles=50, message_log=True)
    assert run.messages == t.messages == 384
    assert run.packets == 384 * 16
    assert run.link_loads.shape == (f.channels,)
    assert run.link_loads.sum() == run.packet_hops
    assert run.link_loads[:64].tolist() == [6 * 16] * 64
    assert run.min_delay <= run.delay_percentile(50) <= run.delay_percentile(99) <= run.max_delay
    assert run.min_delay <= run.mean_delay <= run.max_delay < run.cycles
    assert run.seconds == pytest.approx(run.cycles * 4 / 1.25e9)
    assert run.elapsed > 0
    assert 0 < run.bytes_used < 2**20
    assert run.occupation[:, 0].tolist() == list(range(0, run.cycles + 1, 50))
    assert run.occupation.shape[1] == 2 + f.levels
    assert run.message_log.shape == (384, 4)
    assert run.message_log[:, 3].max() == run.cycles
    assert sorted(run.message_log[:, 0]) == list(range(384))


def test_tasks_go_where_they_are_placed():
    f = fabric.k_ary_n_tree(4, 2)
    t = simulate.all_to_all(4, 64)
    used = np.nonzero(simulate.packet(f, t, first_host=9).link_loads[:16])[0]
    assert used.tolist() == [9, 10, 11, 12]
    used = np.nonzero(simulate.packet(f, t, placement=[3, 0, 15, 7]).link_loads[:16])[0]
    assert used.tolist() == [0, 3, 7, 15]


def test_progress_is_told_and_can_stop_the_run():
    f = fabric.k_ary_n_tree(4, 3)
    t = simulate.pattern("BU", 64, 10**6)
    parts: list[float] = []
    simulate.packet(f, t, progress=parts.append)
    assert parts == sorted(parts)
    assert 0 <= parts[0] < parts[-1] <= 1
    with pytest.raises(Error, match="cancelled"):
        simulate.packet(f, t, progress=lambda part: False)
    with pytest.raises(ZeroDivisionError):
        simulate.packet(f, t, progress=lambda part: 1 / 0)


REQUESTS = pytest.mark.parametrize("requests", ["each-cycle", "persistent"])


@REQUESTS
def test_deadlock_is_an_error_that_names_its_links(requests):
    f = fabric.torus([5])
    t = simulate.shift(5, 64 * 100, 2, 3)
    with pytest.raises(Error, match="deadlock: the buffers of 5 links"):
        simulate.packet(f, t, requests=requests)


def test_wrong_arguments_are_refused():
    f = fabric.k_ary_n_tree(2, 2)
    t = simulate.pattern("BU", 4, 10)
    with pytest.raises(ArgumentError, match="do not fit"):
        simulate.packet(f, t, first_host=1)
    with pytest.raises(ArgumentError, match="has a task already"):
        simulate.packet(f, t, placement=[0, 1, 1, 2])
    with pytest.raises(ArgumentError, match="comes with the routes of 'd-mod-k'"):
        simulate.packet(fabric.route(f, "d-mod-k"), t, routing="ftree")
    with pytest.raises(ArgumentError, match="warp"):
        simulate.packet(f, t, routing="warp")
    with pytest.raises(ArgumentError, match="arbitration is 'fair'"):
        simulate.packet(f, t, arbitration="fair")
    with pytest.raises(ArgumentError, match="requests is 'sticky'; expected 'each-cycle' or 'persistent'"):
        simulate.packet(f, t, requests="sticky")
    with pytest.raises(ArgumentError, match="switch_cycles"):
        simulate.packet(f, t, packet_phits=4, switch_cycles=5)
    with pytest.raises(ArgumentError, match="buffer_packets"):
        simulate.packet(f, t, buffer_packets=0)
    with pytest.raises(ArgumentError, match="expected 0 to 100"):
        simulate.packet(f, t).delay_percentile(101)
