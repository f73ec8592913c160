"""Virtual lanes from Python and the command line: what they take, draw and refuse."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sortlast import ArgumentError, fabric, simulate
from sortlast.plot.simulate import loads

NET = "dragonfly:2,4,2,9"


def test_what_cannot_be_is_refused():
    f, tree = fabric.make_topology(NET), fabric.k_ary_n_tree(2, 2)
    t = simulate.all_to_all(4, 64)
    with pytest.raises(ArgumentError, match="needs 4 lanes"):
        simulate.packet(f, t, routing="ugal", lanes=3)
    with pytest.raises(ArgumentError, match="lanes is 0"):
        simulate.packet(f, t, routing="minimal", lanes=0)
    with pytest.raises(ArgumentError, match="lanes is 0"):
        simulate.load(f, 0.1, routing="minimal", lanes=0)
    with pytest.raises(ArgumentError, match="ugal_threshold and allocation are of virtual lanes"):
        simulate.packet(tree, t, ugal_threshold=1)
    with pytest.raises(ArgumentError, match="on lanes requests"):
        simulate.packet(f, t, routing="ugal", ties="fsin")
    with pytest.raises(ArgumentError, match="has no lanes"):
        simulate.packet(f, t, lanes=2)
    with pytest.raises(ArgumentError, match="intact dragonfly"):
        simulate.packet(tree, t, routing="valiant")
    with pytest.raises(ArgumentError, match="next group"):
        simulate.load(tree, 0.5, "next-group", routing="ar-updn")
    with pytest.raises(ArgumentError, match="'sideways'"):
        simulate.load(tree, 0.5, "sideways", routing="ar-updn")


# --- the command and the picture ---------------------------------------------------------------------------


def test_simulate_takes_a_routing_on_lanes(cli, tmp_path):
    path = tmp_path / "run.json"
    status, _, err = cli(
        *("simulate", "uniform", "--net", NET, "--routing", "ugal", "--set", "lanes=8", "--json", path)
    )
    assert (status, err) == (0, "")
    told = json.loads(path.read_text())
    assert (told["routing"], told["settings"]["lanes"]) == ("ugal", 8)
    run = simulate.packet(
        fabric.make_topology(NET), simulate.uniform(72, 1000, 10, 17), routing="ugal", lanes=8
    )
    assert told["cycles"] == run.cycles


def test_curves_have_a_point_for_each_load_at_which_packets_arrived():
    net = fabric.make_topology(NET)
    runs = [
        (offered, simulate.load(net, offered, routing="minimal", measured=1000)) for offered in (0.2, 0, 0.1)
    ]
    assert [run.mean_delay is None for _, run in runs] == [False, True, False]
    points = [("minimal", offered, run.accepted, run.mean_delay) for offered, run in runs]
    throughput, delay = loads(points, "dragonfly").axes
    np.testing.assert_array_equal(throughput.lines[0].get_xdata(), [0, 0.1, 0.2])
    np.testing.assert_array_equal(throughput.lines[0].get_ydata(), [runs[i][1].accepted for i in (1, 2, 0)])
    np.testing.assert_array_equal(delay.lines[0].get_xdata(), [0.1, 0.2])
    np.testing.assert_array_equal(delay.lines[0].get_ydata(), [runs[i][1].mean_delay for i in (2, 0)])
