"""Routes in Python: records of engines, walks and their text, tables as arrays, what is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import sortlast
from sortlast import _fabric, fabric


def test_a_walk_and_its_text() -> None:
    tree = fabric.k_ary_n_tree(2, 2)
    routes = fabric.route(tree, "d-mod-k")
    walk = routes.walk(0, 3)
    assert [tree.source(c) for c in walk] == [(0, 1), (4, 4), (7, 2), (5, 2)]
    text = routes.describe(0, 3)
    assert text.splitlines() == [
        "host00000 HCA-1 [1] -> [1] sw-L1-0000",
        "sw-L1-0000 [4] -> [1] sw-L2-0001",
        "sw-L2-0001 [2] -> [4] sw-L1-0001",
        "sw-L1-0001 [2] -> [1] host00003 HCA-1",
    ]
    assert text == _fabric.describe_channels(tree, walk)
    assert routes.walk(1, 1) == []


@pytest.mark.parametrize("engine", ["s-mod-k", "ftree"])
def test_a_table_holds_the_ports(engine: str) -> None:
    tree = fabric.k_ary_n_tree(2, 3)
    routes = fabric.route(tree, engine)
    for plane in range(routes.planes):
        table = routes.table(plane)
        assert table.shape == (len(tree.switches), tree.vertices)
        assert table.dtype == np.int32
        ports = [[routes.port(s, v, plane) for v in range(tree.vertices)] for s in range(len(tree.switches))]
        np.testing.assert_array_equal(table, ports)
    assert routes.plane(3, 5) == (3 if engine == "s-mod-k" else 0)
    assert (routes.lanes, routes.lane(3, 5)) == (1, 0)


def test_what_does_not_exist_is_an_error() -> None:
    routes = fabric.route(fabric.crossbar(3), "minhop")
    calls: list[Callable[[], object]] = [
        lambda: routes.walk(0, 3),
        lambda: routes.describe(-1, 0),
        lambda: routes.port(1, 0),
        lambda: routes.port(0, 4),
        lambda: routes.port(0, 0, 1),
        lambda: routes.plane(0, 3),
        lambda: routes.lane(3, 0),
        lambda: routes.table(1),
        lambda: _fabric.describe_channels(routes.topology, [6]),
    ]
    for call in calls:
        with pytest.raises(sortlast.ArgumentError, match="does not exist: there are"):
            call()
    with pytest.raises(sortlast.ArgumentError, match="no routing engine 'fattree'; expected one of d-mod-k"):
        fabric.route(routes.topology, "fattree")


def test_ecmp_takes_shortest_paths_by_a_hash_of_the_flow() -> None:
    clos = fabric.make_topology("k-ary-n-tree:4,3")
    routes, shortest = fabric.route(clos, "ecmp"), fabric.route(clos, "minhop")
    paths = {}
    for a in range(64):
        for b in range(64):
            paths[a, b] = routes.walk(a, b)
            assert len(paths[a, b]) == len(shortest.walk(a, b))
    # The flows from the 4 hosts of a leaf to one host part there, except by a chance of 1 in 64; those of
    # tables by destination never do.
    together = [b for b in range(4, 64) if len({paths[a, b][1] for a in range(4)}) == 1]
    assert len(together) < 6
    assert all(len({shortest.walk(a, b)[1] for a in range(4)}) == 1 for b in range(4, 64))
    # All four ways up of a leaf are about equally likely: 4 x 60 flows, 60 each, standard deviation 6.7.
    taken = [
        sum(paths[a, b][1] == c for a in range(4) for b in range(4, 64))
        for c in {paths[a, b][1] for a in range(4) for b in range(4, 64)}
    ]
    assert len(taken) == 4
    assert all(abs(count - 60) < 27 for count in taken)
    again, other = fabric.route(clos, "ecmp"), fabric.route(clos, "ecmp", seed=2)
    assert all(again.walk(a, 63) == paths[a, 63] for a in range(64))
    assert any(other.walk(a, 63) != paths[a, 63] for a in range(64))
    # Shifts, which tables by destination route without contention here, collide.
    assert fabric.contention(fabric.route(clos, "d-mod-k"), "shift").max_flows == 1
    assert fabric.contention(routes, "shift").max_flows > 2
    assert fabric.route(clos, "ecmp", lmc=1).engine == "minhop"
    with pytest.raises(sortlast.ArgumentError, match="each needs a LID of its own"):
        fabric.write_lfts(fabric.route(fabric.assign_lids(clos), "ecmp"))
