"""The study of shift-based compositing: calibration, rates, direct-send, measurements, report."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sortlast import fabric, plot, schedule, simulate
from sortlast.study.document import Grid, Picture
from sortlast.study.shift_based import (
    STUDY,
    calibration,
    cluster,
    costs,
    direct_send,
    figures,
    found,
    frames,
    measured,
    published,
    sweep,
    table_1,
)
from sortlast.study.shift_based.direct_send import EXPLANATION, MECHANISMS
from sortlast.study.shift_based.found import Found
from sortlast.study.shift_based.report import document
from sortlast.study.studies import STUDIES, load

CONSTANTS = calibration.by_bandwidths()
SMALL = 144 * 144  # pixels
PICTURES = ["figure-1", "figure-2", "figure-3", "direct-send", *(f"figure-{k}" for k in range(4, 10))]


def on(part):
    """Progress that goes on."""
    return True


def mechanism(key):
    """The mechanism of this key."""
    return next(each for each in MECHANISMS if each.key == key)


@pytest.fixture(scope="module")
def results():
    """Results of all quick steps: frames without packets, direct-send of small images, a matrix by hand."""
    made = {}
    for step in STUDY.steps(True):
        kind = step.name.split("/")[0]
        if kind == "sweep":
            rates = [30.0 if p < 24 or p % 12 == 0 else 20.0 for p in sweep.COUNTS]
            made[step.name] = {"in_step": rates, "flows": rates}
        elif kind == "measured":
            made[step.name] = {
                "matrix": [[0, 2e9], [1e9, 0]],
                "names": ["a", "b"],
                "message_bytes": 8,
                "fps": {"shift": 3.0},
            }
        elif kind == "direct-send":
            made[step.name] = {"fps": 5.0, "under_way": 2.0}
    for item, run in published.runs().items():
        made[found.shift_step(item)] = by_flows(run.p, run.pixels, run.order)
    other = published.runs()[found.RANDOM_OF]
    made[found.random_step(1)] = by_flows(other.p, other.pixels, "random-1")
    assert set(made) == {step.name for step in STUDY.steps(True)}
    return json.loads(json.dumps(made))


def by_flows(p, pixels, order):
    """A run by all models but packets, for which some numbers stand."""
    hosts = cluster.hosts(order, p)
    in_step, free = frames.contention(p, pixels, hosts, CONSTANTS)
    frame = frames.flows(p, pixels, hosts, CONSTANTS, message_log=True)
    matrix = frames.send_bandwidths(frame.traffic, frame.log_messages[:, 0], frame.log_seconds[:, 1])
    other = frames.flows(p, pixels, hosts, calibration.by_frame_rates())
    return {
        "in_step": in_step,
        "free": free,
        "flows": frame.frames_per_second,
        "flows_by_frame_rates": other.frames_per_second,
        "packets": 5.0,
        "packets_bandwidth": 1e9,
        "matrix": (matrix / 1e6).tolist(),
    }


# --- calibration and frame rates ----------------------------------------------------------------------


def test_the_calibration_meets_the_two_bandwidths_that_it_comes_from():
    for item in calibration.FIGURES:
        run = published.runs()[item]
        message = 16 * run.pixels / run.p
        lasts = CONSTANTS.stage_seconds + message / CONSTANTS.link
        assert message / lasts == pytest.approx(run.bandwidth)
    other = calibration.by_frame_rates()
    assert (round(other.link / 1e6), round(1e6 * other.stage_seconds)) == (1811, 93)


def test_every_frame_rate_of_shift_is_within_ten_percent(results):
    for model in ("flows", "flows_by_frame_rates"):
        for item, run in published.runs().items():
            assert abs(found.error(Found(results).rate(item, model), run)) < 0.1, (item, model)


def test_ranks_in_step_and_free_ranks_bound_the_flows(results):
    for result in (results[name] for name in results if name.startswith("shift/")):
        assert result["in_step"] <= result["flows"] * 1.001
        assert result["flows"] <= result["free"] * 1.001


def test_the_orders_are_permutations_of_the_cluster():
    assert [host + 1 for host in cluster.hosts("alphabetical", 5)] == [1, 10, 100, 101, 102]
    for order in ("routing", "alphabetical", "random-1", "random-2"):
        assert sorted(cluster.hosts(order, 144)) == list(range(144))
    assert cluster.hosts("random-1", 144) != cluster.hosts("random-2", 144)
    # The first 12 are one switch, as in Figure 4.
    leaf = fabric.contention(cluster.tree(), "shift", nodes=cluster.hosts("routing", 12))
    assert leaf.contention_free


def test_the_clock_of_a_send_runs_from_the_beginning_of_its_stage():
    """On one switch every send lasts the cost of a stage and its bytes; ends by hand give waits."""
    frame = frames.flows(12, 12 * 12 * 100, cluster.hosts("routing", 12), CONSTANTS, message_log=True)
    matrix = frames.send_bandwidths(frame.traffic, frame.log_messages[:, 0], frame.log_seconds[:, 1])
    alone = 19200 / (CONSTANTS.stage_seconds + 19200 / CONSTANTS.link)
    assert matrix[~np.eye(12, dtype=bool)] == pytest.approx(alone, rel=1e-4)  # whole ns
    assert not matrix.diagonal().any()

    traffic = simulate.from_schedule(schedule.make("shift", p=3, n=3), pixel_bytes=10)
    sends = np.arange(traffic.messages)
    ended = {(0, 1): 1.0, (1, 2): 2.0, (2, 0): 4.0, (0, 2): 5.0, (1, 0): 3.0, (2, 1): 6.0}
    times = [ended[pair] for pair in zip(traffic.source.tolist(), traffic.destination.tolist(), strict=True)]
    by_hand = frames.send_bandwidths(traffic, sends, np.array(times))
    # Rank 0 begins its second stage at 4, when it has received; rank 1 at 2; rank 2 at 4.
    assert by_hand == pytest.approx(np.array([[0, 10, 10], [10, 0, 5], [2.5, 5, 0]]))


def test_packets_and_flows_are_equal_without_contention():
    hosts = cluster.hosts("routing", 12)
    by_packets, bandwidth = frames.packets(12, 12 * 9600, hosts, CONSTANTS, on)
    assert by_packets == pytest.approx(
        frames.flows(12, 12 * 9600, hosts, CONSTANTS).frames_per_second, rel=0.02
    )
    message = 16 * 9600
    alone = message / (CONSTANTS.stage_seconds + message / CONSTANTS.link)
    assert bandwidth == pytest.approx(alone, rel=0.02)


# --- Figure 8 -----------------------------------------------------------------------------------------


def test_the_rates_peak_at_whole_leaves():
    assert list(sweep.COUNTS) == list(range(12, 145))
    rates = [
        frames.contention(p, SMALL, cluster.hosts("routing", p), calibration.Calibration(CONSTANTS.link, 0))[
            0
        ]
        for p in sweep.COUNTS
    ]
    assert sweep.peaks(rates) == list(range(24, 145, 12))
    assert sweep.peaks([1.0] * len(sweep.COUNTS)) == []


def test_a_sweep_ends_when_it_is_asked_to():
    with pytest.raises(Exception, match="ended before 12 nodes"):
        sweep.simulated((64, 64), lambda part: False)


# --- the cost model -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["direct-send", "binary-swap", "radix-k", "shift"])
def test_schedules_cost_what_table_1_says(name):
    row = table_1.compare(name)
    assert row.equal
    assert (row.latency.text, row.transfer.text) == ("equal", "equal")


@pytest.mark.parametrize("name", table_1.ALGORITHMS)
@pytest.mark.parametrize("p", table_1.POWERS)
def test_published_terms_are_the_closed_forms_of_figures_2_and_3(name, p):
    theirs = table_1.published(name, p)
    assert schedule.formula(name, p, 1000, alpha=1, beta=0, gamma=0).wait == pytest.approx(theirs.latency)
    assert schedule.formula(name, p, 1000, alpha=0, beta=1, gamma=0).wait == pytest.approx(
        1000 * theirs.transfer
    )


def test_two_three_swap_stays_below_its_bounds_and_is_binary_swap_at_powers_of_two():
    row = table_1.compare("2-3-swap")
    assert row.latency.least == pytest.approx(0.25)
    assert row.latency.most < 0.6
    assert row.transfer.least == pytest.approx(1 / 1.3)
    assert row.transfer.most < 0.9


def test_the_pipeline_costs_up_to_twice_as_much_unless_its_operator_commutes():
    row = table_1.compare("parallel-pipeline")
    last = table_1.OTHERS[-1]  # p - 1 stages, of two messages each but for the first
    for ratios in (row.latency, row.transfer):
        assert ratios.least == pytest.approx(1)
        assert ratios.most == pytest.approx(2 - 1 / (last - 1))
    assert table_1.compare("parallel-pipeline", commutes=True).equal


def test_rows_and_prose_of_table_1_follow_what_is_counted(monkeypatch):
    assert table_1.near().startswith("4 of 6 rows equal at 17 numbers of ranks from 2 to 144 ")
    assert "our 2-3 swap costs less" in table_1.why()
    assert "with one that commutes it is equal" in table_1.why()
    twice = table_1.Ratios(2, 2)
    monkeypatch.setattr(table_1, "rows", lambda: [table_1.Row("shift", twice, twice)])
    assert table_1.near().startswith("0 of 1 rows equal")
    assert table_1.why() == (
        "our shift costs up to 2.00 times as much as published, for a reason that is not known"
    )


def test_latency_matters_at_thousands_of_nodes_only():
    assert costs.latency_share(128) < 0.01 < costs.latency_share(4096) < 0.1 < costs.latency_share(32768)


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


def test_senders_take_the_order_that_they_are_given():
    def first(key, seed=1):
        sent = direct_send.traffic(mechanism(key), 5, 500, seed)
        return [sent.destination[sent.source == rank].tolist() for rank in range(5)]

    assert first("shift-packets")[3] == [4, 0, 1, 2]
    assert first("rank-packets")[3] == [0, 1, 2, 4]
    assert first("random-packets-tree") != first("random-packets-tree", seed=2)
    turns = direct_send.traffic(mechanism("turns-32"), 3, 3 * 3000, 1)
    mine = turns.source == 0
    assert turns.destination[mine].tolist() == [1, 2, 1, 2]
    assert turns.size[mine].tolist() == [2**15] * 2 + [48000 - 2**15] * 2


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


@pytest.mark.parametrize("case", published.direct_send()[:2], ids=lambda case: case.case)
def test_direct_send_of_the_published_images_is_near(case):
    """Those of 144 nodes take seconds each; the study runs them."""
    ours = direct_send.simulated(EXPLANATION, case.p, case.order, 1, on)["fps"]
    assert abs(found.error(ours, case)) < 0.15


# --- steps, measurements, report ----------------------------------------------------------------------


def test_the_whole_study_has_every_mechanism_and_the_quick_one_fewer():
    quick, whole = ([step.name for step in STUDY.steps(which)] for which in (True, False))
    assert len(set(whole)) == len(whole) > len(set(quick)) == len(quick)
    keys = {name.split("/")[1] for name in whole if name.startswith("direct-send/")}
    assert keys == {each.key for each in MECHANISMS}
    assert [step.alone for step in STUDY.steps(True)] == [name.startswith("measured/") for name in quick]


@pytest.mark.mpi
def test_matrices_and_frames_are_measured_under_mpi():
    asked = measured.Measurement(3, (60, 40), (50, 20), repeat=2)
    result = asked.step.compute(on)
    name = asked.step.name
    matrix = measured.matrices({name: result, "sweep/x": {}})["3-ranks-60x40"]
    assert matrix.p == 3
    assert matrix.message_bytes == 16 * 800
    assert (matrix.pairs > 0).all()
    rates = measured.frame_rates({name: result})["3-ranks-60x40"]
    assert set(rates) == {"shift", "direct-send"}
    assert min(rates.values()) > 0


def test_the_report_has_every_figure_and_every_published_rate(results):
    report = document(Found(results), True)
    shown = [block.name for block in report.blocks if isinstance(block, Picture)]
    assert set(PICTURES) < set(shown)
    assert len(shown) == len(PICTURES) + 1
    grids = {block.title: block for block in report.blocks if isinstance(block, Grid)}
    assert all(len(row) == len(grid.head) for grid in grids.values() for row in grid.rows)
    rates = grids["Shift, frames/s"]
    column = [row[rates.head.index("published")] for row in rates.rows]
    assert column == ["14.5", "11.5", "6.5", "5.8", "8"]
    beside = grids["Direct-send beside shift, frames/s"]
    assert [row[1] for row in beside.rows] == ["6.4", "5.2", "4.7", "4.7"]


def test_every_picture_of_the_report_is_drawn(results, tmp_path):
    report = document(Found(results), True)
    drawn = figures.pictures(Found(results))
    assert set(drawn) == {block.name for block in report.blocks if isinstance(block, Picture)}
    for name in ("figure-8", "direct-send", "measured-4-ranks-2048x1024"):
        plot.save(drawn[name], tmp_path / f"{name}.svg")
        assert "<svg" in (tmp_path / f"{name}.svg").read_text()
    # One curve a size and the rates that the text prints; one bar a mechanism that was simulated.
    axes = drawn["figure-8"].axes[0]
    assert (len(axes.lines), len(axes.collections)) == (len(sweep.SIZES), 4)
    bars = [each for each in MECHANISMS if each.quick]
    assert [len(axes.patches) for axes in drawn["direct-send"].axes] == [
        sum(each.tree or case.order == "routing" for each in bars) for case in published.direct_send()
    ]


def test_every_numbered_table_and_figure_is_accounted_for(results):
    items = STUDY.reproduced(results, True)
    assert [each.item for each in items] == ["Table 1", *(f"Figure {k}" for k in range(1, 10))]
    assert all(each.near or each.why for each in items)
    by_item = {each.item: each for each in items}
    assert "published 6.5" in by_item["Figure 6"].near
    assert "direct-send 5.00 frames/s, published 5.2 (-3.8 %)" in by_item["Figure 9"].near
    assert "3 of 3 sizes" in by_item["Figure 8"].near
    assert by_item["Figure 8"].near.endswith(
        "1.0 times as fast as the largest on 12 nodes, 1.0 on 144, published 4"
    )
    assert "short messages" not in by_item["Figure 8"].why


@pytest.mark.parametrize("name", STUDIES)
def test_the_help_has_the_summary_of_the_study(name):
    assert STUDIES[name] == load(name).summary
