"""The package sortlast.fabric: what it takes, what it gives, and what it refuses."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import real_fabrics
from sortlast import ArgumentError, Error, fabric, schedule


@pytest.fixture
def tree():
    return fabric.k_ary_n_tree(4, 2)


def naive(routes, stages, hosts):
    """Loads by stage, most flows and mean share, flow by flow, in plain Python."""
    loads, shares = [], []
    for flows in stages:
        load = np.zeros(routes.topology.channels, int)
        paths = [routes.walk(hosts[a], hosts[b]) for a, b in flows if min(hosts[a], hosts[b]) >= 0 and a != b]
        for path in paths:
            load[path] += 1
        shares += [1 / max(load[path]) for path in paths]
        loads.append(load)
    return loads, max((load.max() for load in loads), default=0), np.mean(shares) if shares else 1.0


def assert_is_naive(found, stages):
    loads, most, share = naive(found.routes, stages, found.placement)
    assert found.max_flows == most
    assert found.contention_free == (most <= 1)
    assert found.mean_share == pytest.approx(share)
    for stage, load in enumerate(loads):
        np.testing.assert_array_equal(found.loads(stage), load)
    assert found.stage_max.tolist() == [load.max() for load in loads]


def shift(p):
    return [[(i, (i + s) % p) for i in range(p)] for s in range(1, p)]


# --- the interface ----------------------------------------------------------------------------------------


def test_the_questions_in_a_few_lines(tmp_path):
    f = fabric.pgft(m=[18, 12], w=[1, 9], p=[1, 2])
    assert (len(f.hosts), len(f.switches), len(f.links)) == (216, 21, 216 + 216)
    assert f.missing_links() == []
    r = fabric.route(f, "ftree", roots=None, compute=None)
    assert (r.engine, r.fallback) == ("ftree", "")
    path = r.walk(0, 215)
    assert path[0] == 0
    assert f.target(path[-1])[0] == 215
    c = fabric.contention(r, "shift", nodes=None)
    assert (c.contention_free, c.max_flows, c.mean_share) == (True, 1, 1.0)
    assert c.loads(0).max() == 1
    b = fabric.bisection(r, samples=50, seed=1)
    assert 0 < b.both_ways < b.one_way < 1

    (tmp_path / "net.txt").write_text(fabric.write_ibnetdiscover(fabric.assign_lids(f)))
    again = fabric.read(tmp_path / "net.txt")
    assert [host.name for host in again.hosts] == [host.name for host in f.hosts]


def test_a_fallback_is_told_with_its_reason(tree):
    cut = tree.without_links([next(link.channel for link in tree.links if link.a >= len(tree.hosts))])
    (missing,) = cut.missing_links()
    assert (missing.lower_name, missing.upper_name) == ("sw-L1-0000", "sw-L2-0000")
    routes = fabric.route(cut, "ftree")
    assert (routes.asked, routes.engine) == ("ftree", "minhop")
    assert "switch 'sw-L1-0000' has 3 upper switches" in routes.fallback
    by_name = fabric.route(cut, "ftree", roots=[f"sw-L2-{k:04d}" for k in range(4)])
    by_number = fabric.route(cut, "ftree", roots=[4, 5, 6, 7])
    assert (by_name.engine, by_name.fallback) == ("ftree", "")
    np.testing.assert_array_equal(by_name.table(), by_number.table())


# --- contention -------------------------------------------------------------------------------------------


@given(
    data=st.data(),
    engine=st.sampled_from(["ftree", "minhop", "random", "s-mod-k"]),
    family=st.sampled_from(["k-ary-n-tree:4,2", "pgft:3,4;1,2;1,2", "torus:3,3"]),
)
def test_contention_of_a_shift_is_that_of_its_flows_one_by_one(data, engine, family):
    fits = fabric.make_topology(family)
    hosts = data.draw(st.permutations(range(len(fits.hosts))))[: data.draw(st.integers(1, len(fits.hosts)))]
    routes = fabric.route(fits, engine)
    found = fabric.contention(routes, "shift", hosts)
    assert found.placement == list(hosts)
    assert_is_naive(found, shift(len(hosts)))


def test_patterns_of_every_kind(tree):
    routes = fabric.route(tree, "minhop")
    made = schedule.make("radix-k:4,4", p=16, n=1600)
    by_schedule = [[(t.source, t.destination) for t in stage] for stage in made.stages()]
    cases = [
        ("all-to-all", [[(a, b) for a in range(16) for b in range(16) if a != b]]),
        (made, by_schedule),
        ("radix-k:4,4", by_schedule),
        ([*range(1, 16), 0], [[(i, (i + 1) % 16) for i in range(16)]]),
        (np.array([3, -1, -1, 0] + [-1] * 12), [[(0, 3), (3, 0)]]),
        ([[(0, 4), (1, 5, 100)], [(2, 6)]], [[(0, 4), (1, 5)], [(2, 6)]]),
    ]
    for what, stages in cases:
        assert_is_naive(fabric.contention(routes, what), stages)


def test_shares_are_those_of_the_fullest_link_of_each_path(tree):
    routes = fabric.route(tree, "minhop")
    hosts = [*fabric.order_hosts(tree, "random")[:6], -1]
    found = fabric.contention(routes, "shift", hosts)
    shares = fabric.shares(found)
    for s in range(1, 7):
        load = found.loads(s - 1)
        for i in range(7):
            a, b = hosts[i], hosts[(i + s) % 7]
            expected = 1 / load[routes.walk(a, b)].max() if min(a, b) >= 0 else 0
            assert shares[i, (i + s) % 7] == expected
    assert shares[shares > 0].mean() == pytest.approx(found.mean_share)


def test_times_count_the_bytes_of_pixels(tree):
    routes = fabric.route(tree, "ftree")
    made = schedule.make("radix-k:4,4", p=16, n=1600)
    whole = [
        [(t.source, t.destination, 16 * (t.pixels[1] - t.pixels[0])) for t in stage]
        for stage in made.stages()
    ]
    rates = {"link_bytes_per_second": 1e6, "stage_seconds": 1e-3}
    found = fabric.pattern_time(routes, made, pixel_bytes=16, **rates)
    assert found.synchronised == fabric.pattern_time(routes, whole, **rates).synchronised
    # Three messages of a quarter over one link, then three of a sixteenth.
    assert found.synchronised == pytest.approx(2e-3 + 3 * (400 + 100) * 16 / 1e6)
    with pytest.raises(ArgumentError, match="bytes per second"):
        fabric.pattern_time(routes, made, link_bytes_per_second=0)


def test_a_pattern_must_fit_the_nodes(tree):
    routes = fabric.route(tree, "minhop")
    for what, count in ((schedule.make("shift", p=8, n=800), 8), ([1, 0], 2)):
        with pytest.raises(ArgumentError, match=f"{count} participants, and the nodes are 16"):
            fabric.contention(routes, what)
    with pytest.raises(ArgumentError, match="is not \\(source, destination\\)"):
        fabric.contention(routes, [[(1,)]])
    with pytest.raises(ArgumentError, match="'nope' is not known"):
        fabric.contention(routes, "nope")


# --- nodes ------------------------------------------------------------------------------------------------


def test_nodes_are_names_numbers_or_a_bracket_list(tree):
    names = ["host00003 HCA-1", "host00001", f"{tree.hosts[7].guid:#x}"]
    assert fabric.placement(tree, names) == [3, 1, 7]
    assert fabric.placement(tree, np.array([3, 1, 7])) == [3, 1, 7]
    assert fabric.placement(tree, "host[00003,00001],host00007") == [3, 1, 7]
    assert fabric.placement(tree, [3, -1, 7]) == [3, -1, 7]
    assert fabric.placement(tree) == list(range(16))
    assert fabric.names(tree, [3, -1, 7]) == ["host00003 HCA-1", "host00007 HCA-1"]


def test_all_nodes_are_those_of_the_leaves(tmp_path):
    # Three leaves of two nodes, and one spine with an aggregation node.
    records = []
    for leaf in range(3):
        for port in (1, 2):
            records.append(f'Ca 1 "H-{leaf}{port}" # "node{leaf}{port}"\n[1] "S-a{leaf}"[{port}]')
        hosts = "\n".join(f'[{port}] "H-{leaf}{port}"[1]' for port in (1, 2))
        records.append(f'Switch 3 "S-a{leaf}" # "leaf{leaf}"\n{hosts}\n[3] "S-b0"[{leaf + 1}]')
    records.append('Ca 1 "H-99" # "aggregation"\n[1] "S-b0"[4]')
    links = "\n".join(f'[{leaf + 1}] "S-a{leaf}"[3]' for leaf in range(3))
    records.append(f'Switch 4 "S-b0" # "spine"\n{links}\n[4] "H-99"[1]')
    (tmp_path / "net.txt").write_text("\n\n".join(records) + "\n")
    read = fabric.read(tmp_path / "net.txt")
    assert len(read.hosts) == 7
    assert fabric.names(read, fabric.placement(read)) == [
        f"node{leaf}{port}" for leaf in range(3) for port in (1, 2)
    ]


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (["host00099"], "host00099"),
        ("host[00001-", "nodes:1"),
        ([16], "there is no host 16; this fabric has the hosts 0 to 15"),
        ([-2], "there is no host -2"),
        ([1, 1], "'host00001 HCA-1' is in the list twice"),
        (["host00001", "host00001 HCA-1"], "twice"),
        (["host00001", 2], "names and numbers; expected either"),
    ],
)
def test_wrong_nodes_are_named(nodes, message, tree):
    with pytest.raises(ArgumentError) as raised:
        fabric.placement(tree, nodes)
    assert message in str(raised.value)


@pytest.mark.parametrize("root", ["sw-nowhere", 8, -1])
def test_wrong_roots_are_named(root, tree):
    with pytest.raises(ArgumentError, match=f"there is no switch {root!r} in 4-ary 2-tree"):
        fabric.route(tree, "ftree", roots=[root])


def test_node_lists_and_routing_orders_are_read_from_files(tmp_path, tree):
    (tmp_path / "names.txt").write_text("host00003\nhost[00001-00002]\n")
    assert fabric.read_nodes(tree, tmp_path / "names.txt") == [3, 1, 2]
    with_lids = fabric.assign_lids(tree)
    lids = [with_lids.hosts[host].lid for host in (2, 0)]
    lines = [f"{lids[0]:#06x}\thost00002 HCA-1", "0xFFFF\tDUMMY", f"{lids[1]:#06x}\thost00000 HCA-1"]
    (tmp_path / "order.dump").write_text("\n".join(lines) + "\n")
    assert fabric.read_nodes(with_lids, tmp_path / "order.dump") == [2, -1, 0]


def test_a_file_that_cannot_be_read_says_why(tmp_path, tree):
    for read in (fabric.read, fabric.read_traffic, lambda path: fabric.read_routes(tree, path)):
        with pytest.raises(Error, match=r"cannot read .*nowhere: No such file or directory"):
            read(tmp_path / "nowhere")
    (tmp_path / "net.txt").write_text("nonsense\n")
    with pytest.raises(ArgumentError, match=r"net\.txt"):
        fabric.read(tmp_path / "net.txt")


@pytest.mark.references
def test_the_real_fabric_is_placed_and_ordered():
    """31 leaves with two links to each of nine spines, of which 26 are missing."""
    net = fabric.read(real_fabrics.find("NDR"))
    missing = net.missing_links()
    assert {each.expected for each in missing} == {2}
    assert sum(each.expected - each.present for each in missing) == 26
    assert len(net.links) - len(net.hosts) == 31 * 9 * 2 - 26

    compute = fabric.compute_hosts(net)
    assert (len(compute), len(net.hosts) - len(compute)) == (542, len(net.switches))
    leaves = Counter(net.hosts[host].switch for host in compute)
    assert len(leaves) == 31
    padded = fabric.order_hosts(net, "routing-dummies", compute)
    assert len(padded) == 31 * max(leaves.values())

    routes = fabric.route(net, "ftree", roots=net.rank_switches().roots, compute=compute)
    assert routes.engine == "ftree"
    known = fabric.contention(routes, "shift", padded)
    assert known.mean_share == pytest.approx(0.893, abs=0.001)
    assert known.max_flows == 6
    best = fabric.best_order(routes, compute, dummies=True, steps=2000)
    assert best.contention.mean_share >= known.mean_share
    assert best.contention.max_flows <= known.max_flows
