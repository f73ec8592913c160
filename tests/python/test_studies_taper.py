"""The study of taper: its prices, placements, plants and choices, and its report on a few cells."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from report_text import assert_tables_are_whole
from sortlast import provenance
from sortlast_studies.narrowed_trees.networks import SETS, cost_per_node
from sortlast_studies.steps import Kept, run
from sortlast_studies.study import Reading, tabulate
from sortlast_studies.taper import choice, failures, figures, leaves, placement, sweep, trees
from sortlast_studies.taper.choice import Offer
from sortlast_studies.taper.frames import ADAPTIVE, FLOW, FRAME, SCHEDULES, TABLES, algorithms, fastest
from sortlast_studies.taper.leaves import CABLING, RAILS, SINGLE, TOGETHER, Plant
from sortlast_studies.taper.study import STUDY
from sortlast_studies.taper.terms import BEST


def done(part):
    return True


def invented(quick, fps):
    """Results in which every cell has ``fps(name)`` frames a second, or cycles."""
    return {
        step.name: {"algorithm": "radix-k:8,8,8", "fps": fps(step.name), "cycles": 1000}
        for step in STUDY.steps(quick)
    }


# --- prices and trees ---------------------------------------------------------------------------------


def test_prices_are_the_papers():
    for net in SETS["a"]:
        assert net in trees.LARGE
        assert trees.by_square(net) == pytest.approx(cost_per_node(net, "CN"))


@pytest.mark.parametrize("net", [*trees.TREES, *trees.SLENDER], ids=lambda net: net.name)
def test_trees_of_the_sweep_have_512_nodes(net):
    whole = trees.topology(net.name)
    assert len(whole.hosts) == net.nodes == 512
    assert whole.name == net.name
    assert trees.routes(net.name).engine == "ftree"


def test_a_narrower_tree_is_cheaper_by_either_price():
    for price in (trees.by_square, trees.by_port):
        costs = [price(net) for net in trees.TREES]
        assert costs == sorted(costs, reverse=True)
    assert trees.by_port(trees.REFERENCE) == pytest.approx(trees.by_square(trees.REFERENCE))  # 16 ports
    assert [trees.taper(net) for net in trees.TREES[::4]] == ["1:1", "2:1"]


# --- frames -------------------------------------------------------------------------------------------


def test_an_intact_fat_tree_gives_shift_the_bound_of_its_links():
    """p - 1 of p pieces leave every rank, at the rate of a link."""
    pixels = 512 * 256
    bound = 1.25e9 / (16 * pixels * 511 / 512)
    found = fastest(FLOW, trees.routes(trees.REFERENCE.name), ["direct-send"], done)
    assert found["fps"] == pytest.approx(bound)
    assert fastest(TABLES, trees.routes(trees.REFERENCE.name), ["binary-swap"], done)["fps"] <= bound


def test_the_bisection_bounds_direct_send_on_a_thin_tree():
    """In the 8:1,3-thin-tree 64 nodes share one link up, and 448 of 512 messages of each cross it."""
    net = trees.TREES[-1]
    pixels = 512 * 256
    bound = 1.25e9 / (16 * pixels / 512 * 64 * 448)
    found = fastest(FLOW, trees.routes(net.name), ["direct-send"], done)
    assert found["fps"] == pytest.approx(bound)


def test_the_fastest_algorithm_is_taken():
    net = trees.routes(trees.TREES[4].name)
    alone = {name: fastest(FLOW, net, [name], done)["fps"] for name in ("radix-k:16,32", "radix-k:8,8,8")}
    assert fastest(FLOW, net, list(alone), done) == {"algorithm": "radix-k:8,8,8", "fps": max(alone.values())}
    assert alone["radix-k:16,32"] < alone["radix-k:8,8,8"]
    assert algorithms("radix-k", 60) == ["radix-k"]


# --- placement ----------------------------------------------------------------------------------------


def test_placements_are_what_they_are_called():
    whole = trees.topology(trees.REFERENCE.name)
    found = {each: placement.nodes_of(whole, 60, each, 3) for each in placement.PLACEMENTS}
    for hosts in found.values():
        assert len(set(hosts)) == 60
    assert found[placement.ORDER] == list(range(60))
    assert sorted(found[placement.SHUFFLED]) == list(range(60)) != found[placement.SHUFFLED]
    assert found[placement.ANYWHERE] == sorted(found[placement.ANYWHERE])

    def used(each):
        return len({whole.hosts[host].switch for host in found[each]})

    assert used(placement.ORDER) == 8
    assert (
        used(placement.ORDER) < used(placement.LEAF) < used(placement.FRAGMENTED) < used(placement.ANYWHERE)
    )
    again = placement.nodes_of(whole, 60, placement.FRAGMENTED, 4)
    assert again != found[placement.FRAGMENTED]


# --- missing links ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("percent", "missing"), [(0, 0), (1, 4), (2, 8), (5, 19)])
def test_links_above_the_leaves_are_missing(percent, missing):
    whole = trees.topology(trees.TREES[4].name)  # 256 + 128 links between switches
    cut = failures.damaged(whole, percent, 1)
    assert len(whole.links) - len(cut.links) == missing
    assert len(cut.hosts) == 512
    if percent:
        other = failures.damaged(whole, percent, 2)
        assert {(link.a_name, link.a_port) for link in cut.links} != {
            (link.a_name, link.a_port) for link in other.links
        }


def test_missing_links_cost_frames():
    def rate(percent, routing):
        return failures.Cell(trees.TREES[4], percent, 1, routing, "binary swap").simulate(done)["fps"]

    for routing in failures.ROUTINGS:
        assert rate(5, routing) < rate(0, routing)
    assert rate(0, "minhop") < rate(0, "ftree, told the roots")


# --- leaves -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plant", leaves.plants(False), ids=lambda plant: plant.name)
def test_plants_have_the_ports_that_they_are_named_after(plant):
    whole = leaves.topology(plant)
    assert len(whole.hosts) == leaves.GPUS
    at_level = {level: [s for s in whole.switches if s.level == level] for level in (1, 2, 3)}
    assert len(at_level[1]) == leaves.GPUS // plant.gpus
    adapters = 1 if plant.cabling == SINGLE else plant.gpus
    up = plant.up if plant.leaves > 1 else 0
    assert {s.ports for s in at_level[2]} == {
        min(plant.down, len(at_level[1]) * (adapters if plant.cabling == TOGETHER else 1)) + up
    }
    cables = len(whole.links) - leaves.GPUS
    assert cables == len(at_level[1]) * adapters + len(at_level[2]) * up
    assert bool(at_level[3]) == (plant.leaves > 1)


def test_rails_lead_every_adapter_of_a_node_to_another_leaf():
    for cabling, expected in ((RAILS, 8), (TOGETHER, 1), (SINGLE, 1)):
        whole = leaves.topology(Plant(8, cabling, 32, 32))
        node = whole.switches[0].vertex
        above = [link for link in whole.links if node in (link.a, link.b) and min(link.a, link.b) >= 512]
        assert len({link.a + link.b - node for link in above}) == expected
        assert len(above) == (1 if cabling == SINGLE else 8)


def test_one_leaf_for_all_nodes_needs_no_spine():
    plant = Plant(8, RAILS, 64, 64)
    switches, cables = 8, 512
    assert leaves.cost_per_gpu(plant) == pytest.approx((5625 / 256 * 64**2 * switches + 150 * cables) / 512)
    assert set(CABLING) == {each.cabling for each in leaves.plants(False)}


# --- what to buy --------------------------------------------------------------------------------------


def test_a_dearer_node_buys_a_faster_network():
    fat, thin = trees.REFERENCE, trees.TREES[4]
    offered = [Offer(fat, 30, 2500), Offer(thin, 20, 1000)]
    assert choice.best_value(offered, 0) == (offered[1], pytest.approx(20 / 1000 * 2500 / 30))
    assert choice.best_value(offered, 10_000)[0].net is fat
    # Equal where 30 / (2500 + x) = 20 / (1000 + x).
    assert choice.best_value(offered, 1_999)[0].net is thin
    assert choice.best_value(offered, 2_001)[0].net is fat


def test_of_what_a_budget_pays_for_the_fastest_is_taken():
    offered = [
        Offer(trees.TREES[0], 30, 2500),
        Offer(trees.TREES[4], 30, 1000),
        Offer(trees.TREES[6], 9, 600),
    ]
    assert choice.fastest_within(offered, 2600) is offered[1]  # as fast, and cheaper
    assert (
        choice.fastest_within([*offered, Offer(trees.TREES[7], 29.5, 500)], 2600).cost == 500
    )  # about as fast
    assert choice.fastest_within(offered, 999) is offered[2]
    assert choice.fastest_within(offered, 599) is None


# --- report -------------------------------------------------------------------------------------------


def reading(quick, fps):
    """The report's reading of results in which every cell has ``fps(name)`` frames a second."""
    return Reading(STUDY, tabulate(STUDY, invented(quick, fps), quick))


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "whole"])
def test_steps_have_names_of_their_own(quick):
    names = Counter(step.name for step in STUDY.steps(quick))
    assert set(names.values()) == {1}
    assert {name.partition("/")[0] for name in names} == {
        "sweep",
        "placement",
        "patterns",
        "leaves",
        "failures",
    }


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "whole"])
def test_the_report_takes_the_results_of_all_steps(quick):
    """With equal frame rates everywhere the cheapest tree is best at any price of nodes."""
    found = reading(quick, lambda name: 10.0)
    ways = [way for way in sweep.ways(quick) if way is not FLOW]
    assert len(found.table.rows(BEST)) == len(SCHEDULES) * len(ways)
    assert {row.note for row in found.table.of(BEST)} == {"8:1"}
    assert all(row.value >= 1 for row in found.table.of(BEST))
    assert_tables_are_whole(found.markdown)
    assert found.markdown.count("| 8:1 (") >= len(SCHEDULES) * len(ways)
    assert "What to buy" in found.markdown
    assert (found.items, found.checks) == ([], [])


def test_the_pictures_of_the_report_are_drawn():
    """Their names are those of the report, and it names no other."""
    found = reading(True, lambda name: 10.0)
    named = set(re.findall(r"\]\((\S*)\.png\)", found.markdown))
    assert named == {"taper", "failures"} == set(figures.draw(found.table))


def test_the_report_chooses_by_what_was_simulated():
    """A schedule that needs the upper links keeps the fat-tree, the others take the cheapest."""

    def fps(name):
        if "/shift" not in name:
            return 10.0
        net = name.split("/")[2] if name.startswith("sweep") else trees.REFERENCE.name
        return 10.0 / 8 ** (trees.NETWORKS[net].narrowing - 1)

    found = reading(True, fps)
    told = " ".join(found.summary.split())
    assert (
        "$3,000: 8:8 (the fat-tree) for shift; 8:1 for direct-send, radix-k, binary swap, 2-3 swap and"
        in told
    )
    assert "on 8:4 they keep 12 % and 100 % of the fat-tree's whole frames" in told
    best = found.table.of(BEST)
    by_schedule = {row.row.partition(",")[0]: [] for row in best}
    for row in best:
        by_schedule[row.row.partition(",")[0]].append((row.note, row.value))
    assert set(by_schedule["shift"]) == {("8:8", 1.0)}
    assert {note for note, _ in by_schedule["binary swap"]} == {"8:1"}


def test_flows_and_packets_are_compared_by_their_frames():
    """Packets by the tables halve shift where trees are thin; adaptive ones direct-send on the fat-tree."""

    def fps(name):
        fat = f"/{trees.REFERENCE.name}/" in name
        if name.startswith("sweep/tables/") and name.endswith("/shift") and not fat:
            return 5.0
        return 4.0 if name.startswith("sweep/adaptive/") and name.endswith("/direct-send") and fat else 10.0

    told = " ".join(reading(False, fps).markdown.split())
    assert "1.00 and 0.50 with shift, 1.00 and 1.00 with direct-send; 1.00 with the other schedules" in told
    assert "2.00 times the frames of packets by the tables with shift, 1.00 with direct-send" in told
    assert "only part of the frames is left: direct-send 0.40." in told
    equal = " ".join(reading(False, lambda name: 10.0).markdown.split())
    assert "without them no schedule loses frames." in equal


@pytest.mark.parametrize(
    ("slower", "verdict", "part"),
    [(1, "stays", "1.00"), (2, "gets smaller, but is not lost", "0.50"), (9, "is lost", "0.11")],
)
def test_the_papers_claims_on_random_nodes_are_answered(slower, verdict, part):
    """Cycles on the thin-tree are ``slower`` times those on the fat-tree if tasks are on random nodes."""
    results = invented(True, lambda name: 10.0)
    for name, result in results.items():
        if name.startswith("patterns/8:4,4-thin-tree/random"):
            result["cycles"] *= slower
    told = " ".join(Reading(STUDY, tabulate(STUDY, results, True)).markdown.split())
    assert (
        f"Here the advantage {verdict}: with tasks on random nodes the 8:4,4-thin-tree has {part} of" in told
    )


def test_steps_are_simulated_and_kept(tmp_path):
    """One cell of each way gives the same from its step as alone."""
    chosen = [sweep.Cell(way, trees.TREES[4], "binary swap") for way in (FRAME, TABLES, ADAPTIVE)]
    wanted = {cell.name for cell in chosen}
    steps = [step for step in STUDY.steps(False) if step.name in wanted]
    results = run(steps, Kept(tmp_path, STUDY.settings, "model", provenance.here()), workers=2)
    assert set(results) == wanted
    for cell in chosen:
        assert results[cell.name] == cell.simulate(done)
    assert results[chosen[0].name]["fps"] == pytest.approx(26.64, abs=0.01)
