"""Virtual lanes from Python and the command line: what they take, tell, draw and refuse."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest

from refusals import refused
from sortlast import ArgumentError, _simulate, fabric, simulate
from sortlast.cli import _progress

NET = "dragonfly:2,4,2,9"


def test_all_packets_arrive_by_every_routing():
    f = fabric.make_topology(NET)
    t = simulate.uniform(72, 500, 5)
    for routing in ("minimal", "valiant", "ugal"):
        run = simulate.packet(f, t, routing=routing, link_cycles=2, global_cycles=9)
        assert run.messages == t.messages
        assert run.packets == 8 * t.messages
        assert simulate.packet(f, t, routing=routing, link_cycles=2, global_cycles=9).cycles == run.cycles
    assert simulate.packet(fabric.route(f, "minimal"), t).packets == 8 * t.messages


def test_links_take_as_long_as_asked():
    f = fabric.make_topology("dragonfly:1,2,1,3")
    t = simulate.shift(6, 64, 2, 3)  # to the next group: host 0 to host 2
    plain = simulate.packet(f, t, routing="minimal", packet_phits=4)
    far = simulate.packet(f, t, routing="minimal", packet_phits=4, link_cycles=7, global_cycles=50)
    # Ways have one global link, and none or two local ones, where heads leave after 1, 8, 51 and 8 cycles.
    assert far.min_delay - plain.min_delay == 50
    assert far.max_delay == 1 + 8 + 51 + 8 + 4


def test_lash_runs_on_its_lanes_where_one_queue_locks_up():
    f = fabric.torus([5])
    t = simulate.shift(5, 6400, 2, 3)
    assert simulate.packet(f, t, routing="lash", lanes=fabric.route(f, "lash").lanes).messages == 5


@pytest.mark.parametrize("routing", ["minimal", "valiant", "ugal"])
def test_no_lanes_wait_in_a_circle(routing):
    for name in (NET, "dragonfly+:2,2,2,2,5", "hyperx:3,3;1"):
        assert _simulate.find_lane_loop(_simulate.lane_routes(fabric.make_topology(name), routing)) == []


def test_a_load_of_zero_has_no_delay():
    idle = simulate.load(fabric.make_topology(NET), 0, routing="minimal")
    assert (idle.begun, idle.accepted, idle.mean_delay, idle.delay_percentile(99)) == (0, 0, None, None)


def test_throughput_follows_the_load_until_the_network_is_full():
    f = fabric.make_topology(NET)
    for offered in (0.1, 0.3):
        found = simulate.load(f, offered, routing="ugal", measured=3000)
        assert found.accepted == pytest.approx(found.offered, rel=0.05)
        assert found.arrived == found.begun
    full = simulate.load(f, 1, "next-group", routing="minimal", drain=0)
    assert full.accepted <= 1 / 8
    assert full.arrived < full.begun


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


# --- the commands -------------------------------------------------------------------------------------------


def test_simulate_takes_a_routing_on_lanes(cli, tmp_path):
    path = tmp_path / "run.json"
    status, _, err = cli(
        *("simulate", "uniform", "--net", NET, "--routing", "ugal", "--lanes", 8, "--json", path)
    )
    assert (status, err) == (0, "")
    told = json.loads(path.read_text())
    assert (told["routing"], told["settings"]["lanes"]) == ("ugal", 8)
    run = simulate.packet(
        fabric.make_topology(NET), simulate.uniform(72, 1000, 10, 17), routing="ugal", lanes=8
    )
    assert told["cycles"] == run.cycles


def test_load_says_what_python_finds(cli, tmp_path):
    table, picture = tmp_path / "load.json", tmp_path / "load.svg"
    options = ("--loads", "0,0.2", "--seeds", 2, "--measured", 1000, "--json", table, "--draw", picture)
    status, out, err = cli("fabric", "load", "--net", NET, "--routing", "minimal", *options)
    assert (status, err) == (0, "")
    idle, busy = json.loads(table.read_text())["rows"]
    assert (idle["delay"], idle["accepted"]) == (None, 0)
    assert "none" in out
    runs = [
        simulate.load(fabric.make_topology(NET), 0.2, routing="minimal", measured=1000, seed=seed)
        for seed in (17, 18)
    ]
    assert busy["accepted"] == pytest.approx(sum(run.accepted for run in runs) / 2)
    assert busy["delay"] == pytest.approx(sum(run.mean_delay for run in runs) / 2)
    assert picture.read_text().count("<svg") == 1


def test_load_makes_a_routing_once_and_its_bar_only_rises(cli, monkeypatch):
    made, parts = [], []
    make = _simulate.lane_routes

    def lane_routes(topology, name, **roots):
        made.append(name)
        return make(topology, name, **roots)

    @contextmanager
    def bar(*_, **__):
        yield lambda part: parts.append(part) or True

    monkeypatch.setattr(_simulate, "lane_routes", lane_routes)
    monkeypatch.setattr(_progress, "bar", bar)
    routings = ("--routing", "minimal", "--routing", "ugal")
    options = ("--loads", "0.1,0.2", "--seeds", 2, "--measured", 1000)
    status, _, err = cli("fabric", "load", "--net", NET, *routings, *options)
    assert (status, err) == (0, "")
    assert made == ["minimal", "ugal"]
    assert len(parts) > 8
    assert parts == sorted(parts)
    assert parts[-1] == pytest.approx(1, abs=0.125)  # eight runs, the last of which may end before it is told


@pytest.mark.parametrize(
    ("option", "number"),
    [
        ("--warm-up", 3_000_000_000),
        ("--measured", 3_000_000_000),
        ("--drain", 3_000_000_000),
        ("--phits", 3_000_000_000),
        ("--switch-cycles", 3_000_000_000),
        ("--ugal-threshold", 3_000_000_000),
        ("--ugal-threshold", -3_000_000_000),
        ("--seed", 10**20),
    ],
)
def test_numbers_that_are_too_large_are_refused(cli, option, number):
    status, _, err = cli("fabric", "load", "--net", NET, "--routing", "ugal", option, number)
    assert status == 2
    assert f"'{option}'" in err
    assert "Input should be" in err


def test_simulate_refuses_a_threshold_that_is_too_low(cli):
    options = ("--routing", "ugal", "--ugal-threshold", -3_000_000_000)
    status, _, err = cli("simulate", "uniform", "--net", NET, *options)
    assert status == 2
    assert "Input should be" in err


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--routing", "minimal", "--loads", "0.1,2"), "expected numbers from 0 to 1"),
        (("--routing", "minimal", "--loads", "much"), "expected numbers from 0 to 1"),
        (("--routing", "nonsense"), "no routing 'nonsense'"),
        (("--routing", "ugal", "--lanes", "2"), "needs 4 lanes"),
        (("--routing", "ugal", "--draw", "curve.txt"), "the suffix must be one of"),
    ],
)
def test_load_refuses(cli, options, text):
    assert text in refused(cli("fabric", "load", "--net", NET, *options))
