"""The study of taper: its prices, placements, plants and choices, and its report on a few cells."""

from __future__ import annotations

import pytest

from report_text import assert_tables_are_whole
from sortlast_studies.narrowed_trees.networks import SETS, cost_per_node
from sortlast_studies.study import Reading, tabulate
from sortlast_studies.taper import choice, leaves, sweep, trees
from sortlast_studies.taper.choice import Offer
from sortlast_studies.taper.frames import FLOW, SCHEDULES, TABLES, fastest
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


# --- leaves -------------------------------------------------------------------------------------------


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
