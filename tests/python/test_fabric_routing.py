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
