"""Spreading flows over all ways: what Python and the commands tell."""

from __future__ import annotations

import json

import pytest

from sortlast import ArgumentError, fabric, schedule, simulate

TREE = "k-ary-n-tree:4,2"


def test_an_irregular_fabric_needs_its_roots():
    ring = fabric.torus([4])
    with pytest.raises(ArgumentError, match="no switch 'nowhere'"):
        fabric.spread(ring, "ar-updn", roots=["nowhere"])
    spreading = fabric.spread(ring, "ar-updn", roots=[0])
    assert (spreading.name, spreading.topology.name) == ("ar-updn", ring.name)
    with pytest.raises(ArgumentError, match="no spreading 'everywhere'; expected one of shortest"):
        fabric.spread(ring, "everywhere")


def test_flows_that_are_split_run_as_the_hosts_links_allow():
    tree = fabric.make_topology(TREE)
    hosts = fabric.order_hosts(tree, "random", seed=3)
    traffic = simulate.shift(16, 10**6, 1, 16)
    options = {"placement": hosts, "link_bytes_per_second": 1e9}
    split = simulate.flow(tree, traffic, routing="ar-ftree", **options)
    assert split.seconds == pytest.approx(15e-3)
    assert simulate.flow(tree, traffic, routing="ftree", **options).seconds > 1.2 * split.seconds
    frame = schedule.make("binary-swap", p=16, n=1 << 20)
    assert simulate.frame(tree, frame, placement=hosts, routing="shortest").seconds > 0
    with pytest.raises(ArgumentError, match="ordered_links serve whole messages"):
        simulate.flow(tree, traffic, routing="shortest", ordered_links=True)


# --- the commands -----------------------------------------------------------------------------------------


def test_check_tells_what_adaptive_routing_can_do(cli, tmp_path):
    path = tmp_path / "check.json"
    options = ("--net", TREE, "--order", "random", "--spread", "ar-ftree", "--json", path)
    status, out, _ = cli("fabric", "check", *options)
    assert status == 1
    told = json.loads(path.read_text())
    assert told["max_flows"] > 1
    assert max(told["spread"]["best"]) == pytest.approx(1)
    assert "up to 1 flows on a link if split evenly, 1 at best; no splitting has less than 1" in " ".join(
        out.split()
    )


@pytest.mark.parametrize("routing", ["adaptive", "shortest", "ar-updn", "ar-ftree"])
def test_simulate_splits_flows(cli, tmp_path, routing):
    path = tmp_path / "run.json"
    options = ("--net", TREE, "--method", "flow", "--order", "random", "--routing", routing, "--json", path)
    assert cli("simulate", "shift", *options, "--bytes", "16M")[0] == 0
    told = json.loads(path.read_text())
    assert told["routing"].endswith("each flow split evenly")
    assert told["seconds"] == pytest.approx(15 * 10**6 / told["settings"]["link_bytes_per_second"])


def test_adaptive_packets_take_the_roots_that_are_named(cli, tmp_path):
    ring = fabric.torus([4])
    traffic = simulate.shift(4, 1000, 1, 4)
    with pytest.raises(ArgumentError, match="name its root switches"):
        simulate.packet(ring, traffic, routing="ar-updn")
    run = simulate.packet(ring, traffic, routing="ar-updn", roots=[0])
    assert run.messages == 12
    with pytest.raises(ArgumentError, match="has no roots"):
        simulate.packet(ring, traffic, roots=[0])
    with pytest.raises(ArgumentError, match="comes with the routes of"):
        simulate.packet(fabric.route(ring, "updn", roots=[0]), traffic, roots=[1])
    assert simulate.packet(ring, traffic, routing="updn", roots=[0]).messages == 12
    assert simulate.load(ring, 0.1, routing="ar-updn", roots=[0]).accepted > 0
    options = ("--net", "torus:4", "--routing", "ar-updn")
    assert cli("simulate", "shift", *options)[0] == 2
    status, out, _ = cli("simulate", "shift", *options, "--roots", "sw-0", "--bytes", 4000)
    assert status == 0
    assert f"{run.cycles:,} cycles" in out
