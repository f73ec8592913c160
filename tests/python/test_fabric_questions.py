"""Questions of a cluster engineer: orders, rails, bounds, and which nodes a job should get."""

from __future__ import annotations

import itertools
import json
import math
import re

import numpy as np
import pytest

import aggregation
import real_fabrics
import sortlast
from sortlast import fabric

RATE = 12.5e9


def loaded(path):
    return json.loads(path.read_text())


# --- orders -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "p", "alike"),
    [
        ("all-to-all", 6, True),
        ("pairwise", 6, False),
        ("ring", 6, False),
        ("ring", 2, True),
        ("chain", 5, False),
    ],
)
def test_patterns_that_no_order_changes_are_recognised(what, p, alike):
    made = fabric.pattern(what, p, rank_bytes=600)
    assert fabric.same_in_any_order(made) is alike
    net = fabric.k_ary_n_tree(3, 2)
    routes = fabric.route(net, "minhop")
    seen = {
        tuple(sorted(fabric.contention(routes, made, list(order)).channel_max.tolist()))
        for order in itertools.islice(itertools.permutations(range(1, p + 1)), 0, 720, 7)
    }
    assert (len(seen) == 1) or not alike


def test_order_of_an_all_to_all_is_not_searched_and_written(cli, tmp_path):
    table, hosts = tmp_path / "table.json", tmp_path / "job.hosts"
    job = ("--net", "pgft:4,4;1,2;1,1", "--nodes", "host[00000-00009]", "--schedule", "all-to-all")
    status, out, _ = cli("fabric", "order", *job, "--hostfile", hosts, "--json", table)
    assert "every order has these flows" in out
    assert "annealed" not in loaded(table)["how"]
    assert len(hosts.read_text().splitlines()) == 10
    assert status == (0 if fabric_lost(job, table) else 1)


def fabric_lost(job, table):
    """Whether the all-to-all of the last test is at its bound: leaves of 4, 4 and 2 hosts with 2 up-links."""
    routes = fabric.route(fabric.pgft(m=[4, 4], w=[1, 2], p=[1, 1]), "ftree")
    found = fabric.contention(routes, "all-to-all", "host[00000-00009]")
    return math.isclose(fabric.contended_time(found, RATE).seconds, fabric.cut_bound(found, RATE))


def test_a_search_ends_with_its_time_and_with_its_progress():
    routes = fabric.route(fabric.k_ary_n_tree(12, 2), "d-mod-k")
    hosts = fabric.order_hosts(routes.topology, "random")[:60]
    known = fabric.best_order(routes, hosts, steps=0)
    ended = fabric.best_order(routes, hosts, steps=10**9, seconds=0.2)
    assert "stopped early" in ended.how or ended.how == known.how
    assert ended.contention.mean_share >= known.contention.mean_share
    stopped = fabric.best_order(routes, hosts, steps=10**9, progress=lambda part: not 0 < part < 1)
    assert sorted(stopped.placement) == sorted(hosts)
    with pytest.raises(sortlast.ArgumentError, match="seconds"):
        fabric.best_order(routes, hosts, seconds=-1)


# --- rails ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("nodes", "rails"), [(1, 4), (2, 2), (3, 4), (5, 1)])
def test_rail_ring_reduces_everything_on_its_rail(nodes, rails):
    made = fabric.pattern(f"rail-ring:{rails}", nodes * rails, rank_bytes=1200)
    sent = np.zeros(nodes * rails)
    for stage in range(made.stages):
        for source, destination, size in made.flows(stage).tolist():
            assert source // rails == destination // rails or source % rails == destination % rails
            sent[source] += size * made.repeats(stage)
    on_node, rings = 2 * (rails - 1) * 1200 / rails, 2 * (nodes - 1) * 1200 / rails / nodes
    assert np.allclose(sent, on_node + rings)
    assert fabric.pattern("rail-ring", nodes * rails, ranks_per_node=rails).stages == made.stages


def test_rail_ring_is_one_word_and_a_ring_that_changes_rails_is_warned_of(cli, tmp_path):
    job = ("--net", "examples/rails.ibnetdiscover", "--nodes", "gpu[01-16]", "--rail", "all", "--bytes", "1G")
    table = tmp_path / "table.json"
    _, out, _ = cli("fabric", "check", *job, "--schedule", "ring")
    assert re.search(r"16 of 16 messages between nodes change rails.*rail-ring", out, re.DOTALL)
    _, out, _ = cli("fabric", "check", *job, "--schedule", "rail-ring", "--json", table)
    assert "change rails" not in out
    told = loaded(table)
    assert told["pattern"] == "rail-ring:4"
    # Each of four rails carries a quarter of the vector, 15/16 of it twice.
    assert told["host_bound"] == pytest.approx(2 * 15 / 16 * 0.25e9 / 50e9, rel=1e-6)
    with pytest.raises(sortlast.ArgumentError, match="fill nodes of 3"):
        fabric.pattern("rail-ring:3", 16)


# --- verdicts ---------------------------------------------------------------------------------------------


def naive_cut_bound(net, made, hosts, rate):
    """The bound of a tree of two levels with equal links: hosts, and leaves with their up-links."""
    leaf = [host.switch for host in net.hosts]
    ups = {s.number: 0 for s in net.switches}
    for link in net.links:
        if min(link.a, link.b) >= len(net.hosts):
            ups[min(link.a, link.b) - len(net.hosts)] += 1
    total = 0.0
    for stage in range(made.stages):
        flows = made.flows(stage).tolist()
        most = 0.0
        for side in (0, 1):
            for host in hosts:
                mine = [flow[2] for flow in flows if hosts[flow[side]] == host]
                most = max(most, len(mine) * max(mine, default=0))
            for each in {leaf[host] for host in hosts}:
                crossing = [
                    flow[2]
                    for flow in flows
                    if leaf[hosts[flow[side]]] == each and leaf[hosts[flow[1 - side]]] != each
                ]
                if crossing:
                    a_link = math.ceil(len(crossing) / ups[each]) * min(crossing)
                    most = max(most, sum(crossing) / ups[each], a_link)
        total += most * made.repeats(stage) / rate
    return total


@pytest.mark.parametrize("what", ["shift", "ring", "all-to-all", "recursive-halving", "bruck"])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_bound_knows_the_taper(what, seed):
    net = fabric.pgft(m=[6, 4], w=[1, 2], p=[1, 1])
    hosts = fabric.order_hosts(net, "random", seed=seed)[:11]
    made = fabric.pattern(what, len(hosts), rank_bytes=11 * 1000)
    for engine in ("ftree", "minhop", "random"):
        found = fabric.contention(fabric.route(net, engine), made, hosts)
        bound = fabric.cut_bound(found, RATE)
        assert bound == pytest.approx(naive_cut_bound(net, made, hosts, RATE))
        time = fabric.contended_time(found, RATE)
        assert time.bound <= bound * (1 + 1e-9)
        assert bound <= time.seconds * (1 + 1e-9)


def test_a_job_at_its_bound_ends_with_0(cli, tmp_path):
    table = tmp_path / "table.json"
    status, out, _ = cli(
        "fabric", "check", "--net", "crossbar:8", "--schedule", "all-to-all", "--json", table
    )
    assert status == 0
    assert loaded(table)["lost"] == 0
    assert "AT THE BOUND" in out
    assert "tables assumed: minhop" in " ".join(out.split())  # ftree refuses one switch


def test_ftree_gets_roots_where_aggregation_nodes_need_them(cli, tmp_path):
    path, table, tables = tmp_path / "net.txt", tmp_path / "table.json", tmp_path / "my.lfts"
    path.write_text(aggregation.tree())
    net = fabric.read(path)
    assert fabric.route(net, "ftree").engine == "minhop"
    assert fabric.route(net, "ftree", "top", "leaves").engine == "ftree"
    _, out, _ = cli("fabric", "check", "--net", path, "--json", table)
    told = loaded(table)
    assert told["engine"] == "ftree"
    assert "aggregation" in told["assumed_roots"] or "AB2" in told["assumed_roots"]
    assert told["credit_loop"] == []
    assert "top, with leaves as compute nodes" in out
    cli("fabric", "route", "--net", path, "--output", tables)
    _, out, _ = cli("fabric", "check", "--net", path, "--lft", tables)
    assert "tables in force" in out


def test_check_reports_a_credit_loop(cli, tmp_path):
    table = tmp_path / "table.json"
    _, out, _ = cli("fabric", "check", "--net", "torus:4,4;1", "--engine", "minhop", "--json", table)
    assert loaded(table)["credit_loop"]
    assert "credit loop" in out


def test_json_has_the_loaded_links(cli, tmp_path):
    table = tmp_path / "table.json"
    cli("fabric", "check", "--net", "k-ary-n-tree:3,2", "--order", "random", "--json", table)
    rows = loaded(table)["channels"]
    routes = fabric.route(fabric.k_ary_n_tree(3, 2), "ftree")
    hosts = fabric.order_hosts(routes.topology, "random", fabric.compute_hosts(routes.topology))
    most = fabric.contention(routes, "shift", hosts).channel_max
    assert sorted(row["max_flows"] for row in rows) == sorted(most[most > 0].tolist())


# --- which nodes? -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["ring", "shift"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_chosen_nodes_are_as_good_as_the_best_of_all_subsets_and_orders(what, seed):
    net = fabric.pgft(m=[3, 3], w=[1, 1], p=[1, 1])
    routes = fabric.route(net, "minhop")
    possible, n = sorted(fabric.order_hosts(net, "random", seed=seed)[:7]), 4
    choice = fabric.choose_nodes(routes, possible, n, what)
    assert choice.complete or choice.seconds <= choice.bound * (1 + 1e-9)
    assert {*choice.placement} <= {*possible}
    best = min(
        fabric.contended_time(fabric.contention(routes, what, list(order)), RATE).seconds
        for order in itertools.permutations(possible, n)
        if order[0] == min(order)
    )
    assert choice.seconds == pytest.approx(best)


def test_the_largest_contention_free_part_is_found():
    net = fabric.pgft(m=[4, 3], w=[1, 2], p=[1, 1])
    routes = fabric.route(net, "ftree")
    possible = [0, 1, 2, 4, 5, 8]
    choice = fabric.choose_nodes(routes, possible, None, "shift")
    assert choice.contention.contention_free
    largest = max(
        n
        for n in range(1, 7)
        for subset in itertools.combinations(possible, n)
        if any(
            fabric.contention(routes, "shift", [subset[0], *order]).contention_free
            for order in itertools.permutations(subset[1:])
        )
    )
    assert len(choice.placement) == largest


def test_nodes_of_several_ranks_are_chosen_whole():
    net = fabric.read("examples/rails.ibnetdiscover")
    possible = fabric.placement(net, "gpu[01-06]", rail="all")
    choice = fabric.choose_nodes(fabric.route(net, "ftree"), possible, 4, "rail-ring")
    assert [len(group) for group in choice.placement.groups()] == [4] * 4
    with pytest.raises(sortlast.ArgumentError, match="expected 1 to 6"):
        fabric.choose_nodes(fabric.route(net, "ftree"), possible, 7)


def test_order_chooses_nodes_and_judges_an_allocation(cli, tmp_path):
    hosts, table = tmp_path / "job.hosts", tmp_path / "table.json"
    job = (
        "--net",
        "pgft:4,4;1,1;1,1",
        "--schedule",
        "shift",
        "--nodes",
        "host[00000-00009]",
        "--json",
        table,
    )
    status, out, _ = cli("fabric", "order", *job, "--choose", 4, "--hostfile", hosts)
    assert status == 0
    assert "shift of 4 of 10 nodes" in out
    assert len({int(line[4:9]) // 4 for line in hosts.read_text().splitlines()}) == 1
    _, out, _ = cli("fabric", "order", *job, "--choose", "host[00000-00001,00004-00005]")
    told = loaded(table)["choice"]
    # Two hosts on each of two leaves with one up-link: a stage of two flows up, and the rest alone.
    assert told["allocated_seconds"] == pytest.approx(4 / 3 * told["seconds"])
    assert "The allocation takes 1.333 times as long" in out
    status, _, error = cli("fabric", "order", *job, "--choose", 11)
    assert status == 2
    assert "expected 1 to 10" in error


# --- check and simulate ----------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", ["shift", "all-to-all", "ring", "recursive-halving", "rail-ring:4"])
def test_check_and_simulate_mean_the_same_by_bytes_and_print_their_difference(cli, tmp_path, schedule):
    table = tmp_path / "table.json"
    job = ("--net", "pgft:4,4;1,2;1,1", "--bytes", "16M", "--json", table)
    cli("fabric", "check", *job, "--schedule", schedule)
    seconds = loaded(table)["time"]["seconds"]
    status, out, _ = cli("simulate", schedule, *job, "--method", "flow", "--bandwidth", 12500)
    assert status == 0
    told = loaded(table)
    assert told["fabric_check_seconds"] == pytest.approx(seconds)
    assert "in fabric check" in out
    # Each rank holds 16 MB for all 16 ranks of an all-to-all, its own included.
    if schedule in ("shift", "all-to-all"):
        assert told["bytes"] == 16 * 15 * 10**6


# --- real fabrics -----------------------------------------------------------------------------------------


def test_the_rails_of_a_real_fabric():
    net = fabric.read(real_fabrics.find("HDR"))
    job = fabric.placement(net, "n-spd[001-016]", rail="all")
    routes = fabric.route(net, "ftree", "top", "leaves")
    ring, aligned = (
        fabric.pattern_time(routes, what, job, link_bytes_per_second=0, rank_bytes=10**9).synchronised
        for what in ("ring", "rail-ring")
    )
    assert aligned == pytest.approx(9.375e-3)
    assert ring / aligned == pytest.approx(16.9, rel=0.01)


@pytest.mark.parametrize("name", real_fabrics.FILES)
def test_ftree_routes_real_fabrics_by_default(name, cli, tmp_path):
    table = tmp_path / "table.json"
    cli("fabric", "route", "--net", real_fabrics.find(name), "--json", table)
    told = loaded(table)
    assert told["used"] == "ftree"
    assert told["roots"]
