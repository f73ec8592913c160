"""The models beside shift's own in its study: what schedules cost by Table 1, and how direct-send goes."""

from __future__ import annotations

import numpy as np
import pytest

from sortlast import schedule
from sortlast_studies.shift_based import costs, direct_send
from sortlast_studies.shift_based.cluster import DIRECT_SEND
from sortlast_studies.shift_based.direct_send import EXPLANATION, MECHANISMS
from sortlast_studies.shift_based.terms import Ratios
from sortlast_studies.table import published

PUBLISHED = published("sortlast_studies.shift_based")


def on(part):
    """Progress that goes on."""
    return True


def mechanism(key):
    """The mechanism of this key."""
    return next(each for each in MECHANISMS if each.key == key)


def compared(name, **options):
    """Ours over Table 1, by term."""
    found = costs.compare(name, **options)
    return {term: Ratios(min(values), max(values)) for term, values in found.items()}


# --- the cost model -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["direct-send", "binary-swap", "radix-k", "shift"])
def test_schedules_cost_what_table_1_says(name):
    row = compared(name)
    assert all(ratios.equal for ratios in row.values())
    assert (row["latency"].text, row["transfer"].text) == ("equal", "equal")


@pytest.mark.parametrize("name", costs.ALGORITHMS)
@pytest.mark.parametrize("p", costs.POWERS)
def test_published_terms_are_the_closed_forms_of_figures_2_and_3(name, p):
    theirs = costs.by_terms(name, p)
    assert schedule.formula(name, p, 1000, alpha=1, beta=0, gamma=0).wait == pytest.approx(theirs.latency)
    assert schedule.formula(name, p, 1000, alpha=0, beta=1, gamma=0).wait == pytest.approx(
        1000 * theirs.transfer
    )


def test_two_three_swap_stays_below_its_bounds_and_is_binary_swap_at_powers_of_two():
    row = compared("2-3-swap")
    assert row["latency"].least == pytest.approx(0.25)
    assert row["latency"].most < 0.6
    assert row["transfer"].least == pytest.approx(1 / 1.3)
    assert row["transfer"].most < 0.9


def test_the_pipeline_costs_up_to_twice_as_much_unless_its_operator_commutes():
    row = compared("parallel-pipeline")
    last = costs.OTHERS[-1]  # p - 1 stages, of two messages each but for the first
    for ratios in row.values():
        assert ratios.least == pytest.approx(1)
        assert ratios.most == pytest.approx(2 - 1 / (last - 1))
    assert all(ratios.equal for ratios in compared("parallel-pipeline", commutes=True).values())


# --- direct-send --------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", MECHANISMS, ids=lambda each: each.key)
def test_every_rank_sends_each_piece_to_its_owner(each):
    p, pixels = 7, 70_003
    sent = direct_send.traffic(each, p, pixels, seed=1)
    total = np.zeros((p, p), np.int64)
    np.add.at(total, (sent.source, sent.destination), sent.size)
    owned = np.diff([k * pixels // p for k in range(p + 1)]) * 16
    assert (total == np.where(np.eye(p, dtype=bool), 0, owned)).all()
    if each.piece:
        assert sent.size.max() <= each.piece < owned.max()


def test_what_is_under_way_to_a_receiver_is_counted_over_its_busy_time():
    # Receiver 3: one message from 0 to 2 and another from 1 to 2; nothing until 4; one from 4 to 5.
    times = np.array([[0, 2], [1, 2], [4, 5], [0, 9]], float)
    assert direct_send.under_way(np.array([3, 3, 3, 8], np.int32), times) == pytest.approx((4 / 3 + 1) / 2)


def test_crowded_receivers_hot_spots_and_queues_each_cost_direct_send():
    """On 144 nodes with short messages: from fair links to half of the bandwidth, as published."""
    pixels = 144 * 1280

    def rate(key):
        return direct_send.simulated(mechanism(key), 144, "routing", 1, on, pixels)

    fair, one_switch, tree = (
        rate(key) for key in ("at-once-flows", "random-flows-switch", "random-flows-tree")
    )
    queues = rate(EXPLANATION.key)
    assert one_switch["fps"] < 0.6 * fair["fps"]
    assert queues["fps"] < 0.95 * tree["fps"] < 0.95 * one_switch["fps"]
    assert fair["under_way"] == pytest.approx(143)
    assert 1.5 < queues["under_way"] < 2.5
    # The order of the nodes makes no difference.
    alphabetical = direct_send.simulated(EXPLANATION, 144, "alphabetical", 1, on, pixels)
    assert alphabetical["fps"] == pytest.approx(queues["fps"], rel=0.1)


@pytest.mark.parametrize("run", DIRECT_SEND[:2], ids=lambda run: run.case)
def test_direct_send_of_the_published_images_is_near(run):
    """Those of 144 nodes take seconds each; the study runs them."""
    ours = direct_send.simulated(EXPLANATION, run.p, run.order, 1, on)["fps"]
    assert abs(ours / PUBLISHED.value(run.item, "frames/s", "direct-send") - 1) < 0.15
