"""Tables made for schedules: free by our count, by OpenSM's tables walked flow by flow, and by a solver."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import opensm
import references
import sortlast
from sortlast import _fabric, fabric, schedule

TREE = "k-ary-n-tree:12,2"


def flows_of(name: str, p: int) -> list[list[tuple[int, int]]]:
    """By stage: who sends to whom, from the schedule's own programs."""
    stages = schedule.make(name, p=p, n=2**20).stages()
    return [[(each.source, each.destination) for each in stage] for stage in stages]


def most_on_a_link(routes: fabric.Routes, hosts: list[int], stages: list[list[tuple[int, int]]]) -> int:
    """Most flows on a channel, by walking each."""
    most = 0
    for stage in stages:
        loads = Counter(c for a, b in stage for c in routes.walk(hosts[a], hosts[b]))
        most = max(most, *loads.values())
    return most


@references.OPENSM
def test_binary_swap_of_128_nodes_is_free_by_opensm_too(tmp_path: Path) -> None:
    topology = fabric.assign_lids(fabric.make_topology(TREE))
    made = fabric.route_for(topology, ["binary-swap"], range(128))
    assert made.contention_free
    assert made.gap == 0
    assert fabric.contention(made.routes, "binary-swap", range(128)).contention_free
    assert not fabric.contention(fabric.route(topology, "ftree"), "binary-swap", range(128)).contention_free
    assert fabric.contention(made.routes, "shift", range(128)).max_flows > 1

    # OpenSM loads them, its checker finds every path and no credit loop, and its tables are walked.
    run = opensm.route(fabric.write_ibsim(topology), "file", tmp_path, tables=fabric.write_lfts(made.routes))
    assert run.engine == "file", run.errors
    assert run.check.clean, run.check.output
    theirs = _fabric.read_topology(run.ibnetdiscover, "ibnetdiscover")
    dumped = _fabric.read_routes(theirs, run.dump_fts, "dump_fts")
    number = {host.name: host.number for host in theirs.hosts}
    hosts = [number[topology.hosts[h].name] for h in range(128)]
    assert most_on_a_link(dumped, hosts, flows_of("binary-swap", 128)) == 1


@pytest.mark.parametrize(
    ("net", "nodes", "names"),
    [
        (TREE, 64, ["radix-k:8,8"]),
        (TREE, 96, ["radix-k:8,12", "binary-swap"]),
        ("k-ary-n-tree:4,3", 48, ["2-3-swap"]),
        ("pgft:8,4;1,4;1,2", 24, ["radix-k:4,6"]),
    ],
)
def test_made_tables_are_what_they_say(net: str, nodes: int, names: list[str]) -> None:
    topology = fabric.make_topology(net)
    made = fabric.route_for(topology, names, range(nodes), moves=3000)
    assert fabric.find_credit_loop(made.routes) == []
    first = 0
    for name, stages in zip(names, made.stages, strict=True):
        found = fabric.contention(made.routes, name, range(nodes))
        np.testing.assert_array_equal(found.stage_max, made.stage_max[first : first + stages])
        assert found.max_flows == most_on_a_link(made.routes, list(range(nodes)), flows_of(name, nodes))
        first += stages
    assert (made.bound <= made.stage_max).all()
    # All pairs are joined, by ways as short as the engine's.
    usual = fabric.route(topology, "ftree")
    for a, b in product(range(0, len(topology.hosts), 5), range(len(topology.hosts))):
        assert len(made.routes.walk(a, b)) == len(usual.walk(a, b))


def test_no_tables_are_better_than_the_links_allow() -> None:
    """Of a thin-tree the links out of a leaf bound every table, and are reached."""
    topology = fabric.make_topology("pgft:8,4;1,4;1,1")
    made = fabric.route_for(topology, ["binary-swap"], range(32))
    assert made.stage_max.tolist() == [1, 1, 1, 2, 2]
    assert "at stage 4 2 flows must share a link between switches" in made.proof
    assert made.gap == 0


def test_the_search_is_near_the_best_tables_for_a_shift() -> None:
    """Roots would have to repeat every three hosts round a ring of 11, so no table reaches the bound."""
    exact_tables = pytest.importorskip("exact_tables")
    topology = fabric.make_topology("pgft:3,4;1,3;1,1")
    made = fabric.route_for(topology, ["shift"], range(11), moves=1000)
    shift = fabric.pattern("shift", 11, rank_bytes=2**24)
    best = exact_tables.improve(_fabric.TableSearch(made.routes, [shift], list(range(11))), 60)
    assert made.least_bytes < best <= made.link_bytes < 1.1 * best
    assert (made.proof, made.contention_free) == ("", False)


def test_the_solver_finds_what_trying_all_tables_finds() -> None:
    """On small trees of two and three levels, without a search before it."""
    exact_tables = pytest.importorskip("exact_tables")
    random = np.random.default_rng(2)
    for net, hosts in (("pgft:2,3;1,2;1,1", 6), ("k-ary-n-tree:2,3", 8)):
        topology = fabric.make_topology(net)
        for _ in range(3):
            stages = [
                [(i, int(j)) for i, j in enumerate(random.permutation(hosts)) if i != j] for _ in range(4)
            ]
            traffic = fabric.pattern(stages, hosts)
            search = _fabric.TableSearch(fabric.route(topology, "ftree"), [traffic], list(range(hosts)))
            best = np.inf
            for choices in _all_choices(search, random):
                search.choices = choices
                best = min(best, int(search.stage_max.sum()))
            found = exact_tables.improve(search, 60)
            assert found <= best
            assert search.stage_max.sum() == found


def _all_choices(search: _fabric.TableSearch, random: np.random.Generator) -> list[list[int]]:
    """All tables, or 2000 of them drawn at random."""
    ports = np.bincount(search.ports[:, 0])
    if np.prod(ports.astype(float)) <= 5000:
        return [list(each) for each in product(*(range(n) for n in ports.tolist()))]
    return [[int(random.integers(n)) for n in ports.tolist()] for _ in range(2000)]


def test_tables_are_never_worse_than_the_engines() -> None:
    """Fewer flows too many may be more on one link; the time decides."""
    topology = fabric.make_topology("k-ary-n-tree:4,3")
    usual = fabric.contention(fabric.route(topology, "ftree"), "shift", range(61)).stage_max
    for moves in (1, 10, 300):
        made = fabric.route_for(topology, ["shift"], range(61), moves=moves)
        assert made.stage_max.sum() <= usual.sum()


@pytest.mark.parametrize(
    ("net", "schedules", "nodes", "told"),
    [
        ("torus:4,4", ["shift"], range(16), "no tree"),
        (TREE, [], range(16), "list of one or more"),
        (TREE, "shift", range(16), "list of one or more"),
        (TREE, ["binary-swap", schedule.make("shift", p=9, n=90)], range(16), "pattern of 9 participants"),
        (TREE, ["no-such"], range(16), "no-such"),
    ],
)
def test_what_is_refused(net: str, schedules: list[str], nodes: range, told: str) -> None:
    with pytest.raises(sortlast.ArgumentError, match=told):
        fabric.route_for(fabric.make_topology(net), schedules, nodes)


def test_hosts_that_nothing_joins() -> None:
    tree = fabric.make_topology("k-ary-n-tree:2,2")
    ups = [link.channel for link in tree.links if link.a >= 4 and link.b >= 4]
    cut = tree.without_links(ups[:2]).with_levels([s.level for s in tree.switches])
    with pytest.raises(sortlast.Error, match="no way up and then down"):
        fabric.route_for(cut, ["binary-swap"], range(4), engine="minhop")
