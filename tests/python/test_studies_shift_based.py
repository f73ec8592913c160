"""The study of shift-based compositing: calibration, rates, direct-send, measurements, report."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from sortlast import ArgumentError, schedule, simulate
from sortlast_studies.shift_based import cluster, frames, measured
from sortlast_studies.shift_based.cluster import DIRECT_SEND, RUNS
from sortlast_studies.shift_based.steps import RANDOM_RUN, random_step, shift_step
from sortlast_studies.shift_based.study import STUDY, make
from sortlast_studies.shift_based.terms import Terms
from sortlast_studies.study import Reading, tabulate
from sortlast_studies.table import Table, published

PUBLISHED = published("sortlast_studies.shift_based")
CONSTANTS = cluster.by_bandwidths()
SMALL = 144 * 144  # pixels


def on(part):
    """Progress that goes on."""
    return True


@pytest.fixture(scope="module")
def results():
    """Results of all quick steps: frames without packets, direct-send of small images, a matrix by hand."""
    made = {}
    for step in STUDY.steps(True):
        kind = step.name.split("/")[0]
        if kind == "sweep":
            rates = [30.0 if p < 24 or p % 12 == 0 else 20.0 for p in frames.COUNTS]
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
        elif kind == "others":
            made[step.name] = dict.fromkeys(frames.OTHERS, 10.0)
    for run in RUNS:
        made[shift_step(run)] = by_flows(run.p, run.pixels, run.order)
    made[random_step(1)] = by_flows(RANDOM_RUN.p, RANDOM_RUN.pixels, "random-1")
    assert set(made) == {step.name for step in STUDY.steps(True)}
    return json.loads(json.dumps(made))


@pytest.fixture(scope="module")
def reading(results):
    """The table of these results, as the report reads it."""
    return Reading(STUDY, tabulate(STUDY, results, True))


def by_flows(p, pixels, order):
    """A run by all models but packets, for which some numbers stand."""
    hosts = cluster.hosts(order, p)
    in_step, free = frames.contention(p, pixels, hosts, CONSTANTS)
    frame = frames.flows(p, pixels, hosts, CONSTANTS, message_log=True)
    matrix = frames.send_bandwidths(frame.traffic, frame.log_messages[:, 0], frame.log_seconds[:, 1])
    other = frames.flows(p, pixels, hosts, cluster.by_frame_rates())
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
    for run in RUNS[:2]:
        message = 16 * run.pixels / run.p
        lasts = CONSTANTS.stage_seconds + message / CONSTANTS.link
        theirs = PUBLISHED.value(run.item, "mean bandwidth", "shift")
        assert message / lasts / 1e6 == pytest.approx(theirs)
    other = cluster.by_frame_rates()
    assert (round(other.link / 1e6), round(1e6 * other.stage_seconds)) == (1811, 93)


def test_every_frame_rate_of_shift_is_within_ten_percent(reading):
    for column in ("shift", "shift, calibrated by frame rates"):
        for run in RUNS:
            ours = reading.table.value(run.item, "frames/s", column, "simulated")
            theirs = PUBLISHED.value(run.item, "frames/s", "shift")
            assert abs(ours / theirs - 1) < 0.1, (run.item, column)


def judged(reading, verdict):
    """The first words of the claims with this verdict."""
    return [" ".join(check.claim.split()[:4]) for check in reading.checks if check.verdict == verdict]


def test_what_the_paper_says_is_judged(reading):
    assert judged(reading, "confirmed") == [
        "Table 1 is what",
        "Table 1 bounds what",
        "Table 1 is what",
        "Latency matters only at",
        "Predicted: frame rates of",
        "On all nodes in",
        "Frame rates peak at",
    ]
    assert judged(reading, "refuted") == [
        "Predicted: mean bandwidths of",
        "Shift performs at least",
        "The mean bandwidth of",
        "The smallest image is",
    ]
    row = reading.table.find("Figure 6", "frames/s", "shift", "simulated")
    changed = Table(replace(each, value=5.0) if each is row else each for each in reading.table)
    refuted = [
        check for check in Reading(STUDY, changed).checks if check.claim.startswith("Predicted: frame")
    ]
    assert [(check.verdict, check.figure.split(", ")[0]) for check in refuted] == [
        ("refuted", "Figure 6 -23.1 %")
    ]


def test_shift_is_twice_as_fast_as_direct_send_where_no_link_is_shared(reading):
    theirs = list(Terms(reading.table).faster("published").values())
    assert theirs == pytest.approx([14.5 / 6.4, 8 / 5.2, 11.5 / 4.7, 6.5 / 4.7])
    assert [ratio >= PUBLISHED.value("Claims", "shift over existing algorithms") for ratio in theirs] == [
        True,
        False,
        True,
        False,
    ]
    flows = [reading.table.value(run.item, "peak flows on a link", "shift") for run in DIRECT_SEND]
    assert [count == 1 for count in flows] == [True, False, True, False]


# --- beyond the paper ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"ranks": [12, 1]}, "shift on 1 nodes; .* 2 to 1728"),
        ({"ranks": [1729]}, "shift on 1729 nodes"),
        ({"sizes": [8]}, "an image of 8 x 8 pixels; .* 16 to 32768"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(asked, told):
    with pytest.raises(ArgumentError, match=told):
        make(**asked)


def test_ranks_in_step_and_free_ranks_bound_the_flows(results):
    for result in (results[name] for name in results if name.startswith("shift/")):
        assert result["in_step"] <= result["flows"] * 1.001
        assert result["flows"] <= result["free"] * 1.001


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


# --- Figure 8 -----------------------------------------------------------------------------------------


def test_the_rates_peak_at_whole_leaves():
    assert list(frames.COUNTS) == list(range(12, 145))
    rates = [
        frames.contention(p, SMALL, cluster.hosts("routing", p), cluster.Calibration(CONSTANTS.link, 0))[0]
        for p in frames.COUNTS
    ]
    assert frames.peaks(rates) == list(range(24, 145, 12))
    assert frames.peaks([1.0] * len(frames.COUNTS)) == []


# --- steps, measurements, report ----------------------------------------------------------------------


@pytest.mark.mpi
def test_matrices_and_frames_are_measured_under_mpi(results):
    asked = measured.Measurement(3, (60, 40), (50, 20), repeat=2)
    result = asked.step.compute(on)
    name = asked.step.name
    assert name == "measured/3-ranks-60x40"
    made = tabulate(STUDY, {**results, name: result}, True)
    matrix = Terms(made).bandwidths("3-ranks-60x40", result["message_bytes"])
    assert matrix.p == 3
    assert matrix.message_bytes == 16 * 800
    assert (matrix.pairs > 0).all()
    rates = made.line("Measured", "3-ranks-60x40", "measured")
    assert {"shift", "direct-send"} <= set(rates)
    assert min(rates.values()) > 0
