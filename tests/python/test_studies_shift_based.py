"""The study of shift-based compositing: calibration, rates, direct-send, measurements, report."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from sortlast import ArgumentError, fabric, plot, schedule, simulate
from sortlast_studies.shift_based import cluster, figures, frames, measured
from sortlast_studies.shift_based.cluster import DIRECT_SEND, RUNS
from sortlast_studies.shift_based.direct_send import MECHANISMS
from sortlast_studies.shift_based.steps import RANDOM_RUN, random_step, shift_step
from sortlast_studies.shift_based.study import STUDY, make
from sortlast_studies.shift_based.terms import RATIOS, Terms
from sortlast_studies.study import Reading, tabulate
from sortlast_studies.table import Table, published

PUBLISHED = published("sortlast_studies.shift_based")
CONSTANTS = cluster.by_bandwidths()
SMALL = 144 * 144  # pixels
PICTURES = ["figure-1", "figure-2", "figure-3", "direct-send", *(f"figure-{k}" for k in range(4, 10))]


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


def test_nothing_is_confirmed_by_a_figure_that_calibrates(reading):
    assert [run.item for run in RUNS if run.basis == "calibrated"] == ["Figure 4", "Figure 5"]
    assert judged(reading, "undecided")[0] == "Calibrated: so are those"
    for check in reading.checks:
        if check.verdict == "confirmed" and check.claim.startswith("Predicted"):
            assert "Figure 4" not in check.figure
            assert "Figure 5" not in check.figure
    grids = grids_of(reading.markdown)
    for title in ("Shift, frames/s", "Mean bandwidth of a send, MB/s"):
        head, rows = grids[title]
        basis = [row[head.index("basis")] for row in rows]
        assert basis == ["calibrated", "calibrated", "predicted", "predicted", "predicted"], title
    head, rows = grids["Mean bandwidth of a send, MB/s"]
    assert [row[head.index("flows off by")] == "given" for row in rows] == [True, True, False, False, False]
    marked = re.findall(r"^\| (\d+) \|.*\(c\)", reading.markdown, re.MULTILINE)
    assert marked == ["12", "144"]
    captions = re.findall(r"^\*(Figure [4-9]), (\w+)\.", reading.markdown, re.MULTILINE)
    assert dict(captions) == {run.item: run.basis for run in RUNS}


def test_shift_is_twice_as_fast_as_direct_send_where_no_link_is_shared(reading):
    theirs = list(Terms(reading.table).faster("published").values())
    assert theirs == pytest.approx([14.5 / 6.4, 8 / 5.2, 11.5 / 4.7, 6.5 / 4.7])
    assert [ratio >= PUBLISHED.value("Claims", "shift over existing algorithms") for ratio in theirs] == [
        True,
        False,
        True,
        False,
    ]
    flows = [reading.table.value(run.item, "most flows on a link", "shift") for run in DIRECT_SEND]
    assert [count == 1 for count in flows] == [True, False, True, False]


def test_twice_the_pixels_take_longer_on_the_cluster_than_in_the_model(reading):
    """Figures 5 and 7: each is near, and what lies between them is not; the summary says so."""
    ours, theirs = (
        reading.table.value("Figure 5", "frames/s", "shift", kind) for kind in ("ours", "published")
    )
    ours /= reading.table.value("Figure 7", "frames/s", "shift", "ours")
    theirs /= reading.table.value("Figure 7", "frames/s", "shift", "published")
    assert ours < 0.9 * theirs
    summary = " ".join(reading.templates.get_template("summary.md").render().split())
    assert f"{ours:.2f} times as long here, by the published rates {theirs:.2f}" in summary


# --- beyond the paper ---------------------------------------------------------------------------------


def test_other_nodes_and_images_are_added_in_rows_of_their_own(results, reading):
    asked = make(ranks=[6, 150], sizes=[64])
    added = {step.name: step for step in asked.steps(True) if step.name.startswith("beyond/")}
    assert list(added) == ["beyond/shift/6-64x64", "beyond/shift/150-64x64"]
    assert {step.name for step in asked.steps(True)} - set(added) == {step.name for step in STUDY.steps(True)}
    ran = {name: step.compute(on) for name, step in added.items()}
    read = Reading(asked, tabulate(asked, {**results, **ran}, True))
    item = "Beyond the paper, 64x64"
    assert read.table.rows(item) == ["6", "150"]
    assert read.table.value(item, 6, "most flows on a link") == 1
    assert read.table.value(item, 150, "most flows on a link") > 1
    assert f"**{item}, frames/s, predicted**" in read.markdown
    # What is compared with the paper is as without.
    assert [row for row in read.table if row.item != item] == list(reading.table)
    assert read.checks == reading.checks


def test_larger_clusters_are_free_of_contention_and_judged(results):
    whole = [step.name for step in STUDY.steps(False) if step.name.startswith("beyond/")]
    assert whole == [f"beyond/{what}/{p}-4096x2048" for p in (288, 576) for what in ("shift", "direct-send")]
    read = frames.beyond(288, 288 * 288, on)
    assert read["max_flows"] == 1
    assert read["shift"] == pytest.approx(read["in_step"], rel=1e-3)
    made = Table(Reading(STUDY, tabulate(STUDY, results, True)).table)
    for p, shift in ((288, 8.0), (576, 6.0)):
        for column, value in (("shift", shift), ("direct-send", 4.5), ("most flows on a link", 1)):
            made.add("Beyond the paper, 4096x2048", p, column, value, kind="simulated")
    verdicts = {
        check.claim.split()[0]: check for check in Reading(STUDY, made).checks if check.where == "6.1"
    }
    assert [check.verdict for check in verdicts.values()] == ["confirmed", "refuted"]
    assert "1.78 on 288, 1.33 on 576 nodes" in verdicts["The"].figure
    # By hand: 287 messages of the stage's cost beside 1 / 4.5 s.
    stage = cluster.by_bandwidths().stage_seconds
    assert Terms(made).growth(True)["288"] == pytest.approx(8 * (1 / 4.5 + 287 * stage))
    assert f"{8 * (1 / 4.5 + 287 * stage):.2f}, " in verdicts["The"].figure


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
    assert list(frames.COUNTS) == list(range(12, 145))
    rates = [
        frames.contention(p, SMALL, cluster.hosts("routing", p), cluster.Calibration(CONSTANTS.link, 0))[0]
        for p in frames.COUNTS
    ]
    assert frames.peaks(rates) == list(range(24, 145, 12))
    assert frames.peaks([1.0] * len(frames.COUNTS)) == []


def test_a_sweep_ends_when_it_is_asked_to():
    with pytest.raises(Exception, match="ended before 12 nodes"):
        frames.swept((64, 64), lambda part: False)


def test_rows_and_prose_of_table_1_follow_what_is_counted(reading):
    terms = Terms(reading.table)
    assert terms.near_table_1.startswith("4 of 6 rows equal at 17 numbers of ranks from 2 to 144 ")
    assert "our 2-3 swap costs less" in terms.why_table_1
    assert "with one that commutes it is equal" in terms.why_table_1
    twice = Table()
    for term in ("latency", "transfer"):
        twice.add(RATIOS, "shift", term, 2, spread=[2, 2])
    assert Terms(twice).near_table_1.startswith("0 of 1 rows equal")
    assert Terms(twice).why_table_1 == (
        "our shift costs up to 2.00 times as much as published, for a reason that is not known"
    )


# --- steps, measurements, report ----------------------------------------------------------------------


def test_the_whole_study_has_every_mechanism_and_the_quick_one_fewer():
    quick, whole = ([step.name for step in STUDY.steps(which)] for which in (True, False))
    assert len(set(whole)) == len(whole) > len(set(quick)) == len(quick)
    keys = {name.split("/")[1] for name in whole if name.startswith("direct-send/")}
    assert keys == {each.key for each in MECHANISMS}
    assert [step.alone for step in STUDY.steps(True)] == [name.startswith("measured/") for name in quick]


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


def test_the_report_has_every_figure_and_every_published_rate(reading):
    shown = re.findall(r"^!\[.*\]\((.*)\.png\)$", reading.markdown, re.MULTILINE)
    assert set(PICTURES) < set(shown)
    assert len(shown) == len(PICTURES) + 1
    grids = grids_of(reading.markdown)
    assert all(len(row) == len(head) for head, rows in grids.values() for row in rows)
    head, rows = grids["Shift, frames/s"]
    assert [row[head.index("published")] for row in rows] == ["14.5", "11.5", "6.5", "5.8", "8"]
    _, rows = grids["Direct-send beside shift, frames/s"]
    assert [row[1] for row in rows] == ["6.4", "5.2", "4.7", "4.7"]


def grids_of(markdown):
    """Head and rows of the tables of a report, by title."""
    found = {}
    for title, lines in re.findall(r"^\*\*(.*)\*\*\n\n((?:\|.*\n)+)", markdown, re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines.splitlines())
        found[title] = (head, rows)
    return found


def test_every_picture_of_the_report_is_drawn(reading, tmp_path):
    drawn = figures.draw(reading.table)
    assert set(drawn) == set(re.findall(r"\((.*)\.png\)", reading.markdown))
    for name in ("figure-8", "direct-send", "measured-4-ranks-2048x1024"):
        plot.save(drawn[name], tmp_path / f"{name}.svg")
        assert "<svg" in (tmp_path / f"{name}.svg").read_text()
    # One curve a size and the rates that the text prints; one bar a mechanism that was simulated.
    axes = drawn["figure-8"].axes[0]
    assert (len(axes.lines), len(axes.collections)) == (len(frames.SIZES), 4)
    assert len({line.get_linestyle() for line in axes.lines}) == len(frames.SIZES)
    assert not any(axes.get_title() for name in ("figure-8",) for axes in drawn[name].axes)
    bars = [each for each in MECHANISMS if each.quick]
    assert [len(axes.patches) for axes in drawn["direct-send"].axes] == [
        sum(each.tree or run.order == "routing" for each in bars) for run in DIRECT_SEND
    ]


def test_every_numbered_table_and_figure_is_accounted_for(reading):
    items = reading.items
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
