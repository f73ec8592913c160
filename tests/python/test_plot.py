"""Pictures hold what they claim: checked through the figures' data, not through pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortlast import Error, plot, schedule
from sortlast.plot import activity, cost
from sortlast.plot import schedule as schedule_plot
from sortlast.plot.held import held, moves
from sortlast.trace import Event

NAMES = [entry.name for entry in schedule.algorithms()]
PAPER = cost.Network(n=4096 * 4096, pixel_bytes=16, alpha=1e-6, bandwidth=1800e6)


def area(parts):
    return sum((part.end - part.begin) * (part.last - part.first) for part in parts)


@pytest.mark.parametrize("name", NAMES)
@given(p=st.integers(1, 20), n=st.integers(0, 500), commutes=st.booleans(), data=st.data())
def test_held_parts_move_and_end_as_complete_pieces(name, p, n, commutes, data):
    order = data.draw(st.permutations(range(p)))
    made = schedule.make(name, p=p, n=n, order=order, commutes=commutes)
    states = held(made, moves(made))
    assert len(states) == made.stage_count + 1
    for state in states:
        assert sum(area(parts) for parts in state) == n * p
    for rank, parts in enumerate(states[-1]):
        begin, end = made.piece(rank)
        covered = np.zeros((p, n), dtype=int)
        for part in parts:
            covered[part.first : part.last, part.begin : part.end] += 1
        expected = np.zeros((p, n), dtype=int)
        expected[:, begin:end] = 1
        np.testing.assert_array_equal(covered, expected)


def arrows(figure):
    return [patch for patch in figure.axes[0].patches if patch.get_gid() == "transfer"]


@pytest.mark.parametrize(("name", "p"), [("shift", 4), ("radix-k:4,3", 12), ("2-3-swap", 7), ("tree", 16)])
def test_schedule_is_drawn_with_a_box_a_rank_and_stage_and_an_arrow_a_transfer(name, p):
    made = schedule.make(name, p=p, n=1000)
    figure = schedule_plot.draw(made)
    boxes = [item for item in figure.axes[0].collections if item.get_gid() == "pieces"]
    assert len(boxes) == p * (made.stage_count + 1)
    assert len(arrows(figure)) == sum(len(stage) for stage in made.stages())
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {f"$P_{{{rank}}}$" for rank in range(p)} <= set(texts)
    assert {"start", *(f"stage {stage + 1}" for stage in range(made.stage_count))} <= set(texts)


def test_large_schedules_are_thinned_and_name_the_peers_outside():
    made = schedule.make("shift", p=40, n=4000)
    figure = schedule_plot.draw(made)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "$P_{15}$" in texts
    assert "$P_{16}$" not in texts
    assert [text for text in texts if text.startswith("stage")] == [
        f"stage {stage}" for stage in (*range(1, 9), *range(32, 40))
    ]
    assert "16" in texts  # the peer of rank 15 in stage 1
    assert any("ranks 0 to 15; 16 of 39 stages" in text for text in texts)


def lines(figure):
    return {
        name: line
        for line in figure.axes[0].lines
        for name in line.get_label().replace(" (published bound)", "").split(", ")
    }


def test_crossbar_curves_are_table_1():
    counts = [2, 64, 4096]
    drawn = lines(cost.crossbar(PAPER, ["binary-swap", "direct-send", "shift", "2-3-swap"], counts))
    p = np.array(counts)
    transfer = 16 / 1800e6 * PAPER.n * (p - 1) / p
    for name, latency, factor in (
        ("binary-swap", np.log2(p), 1),
        ("direct-send", p - 1, 1),
        ("shift", p - 1, 1),
        ("2-3-swap", 4 * np.log2(p), 1.3),
    ):
        np.testing.assert_array_equal(drawn[name].get_xdata(), counts)
        np.testing.assert_allclose(
            drawn[name].get_ydata(), 1e3 * (1e-6 * latency + factor * transfer), rtol=1e-9
        )
    assert drawn["direct-send"] is drawn["shift"]  # they coincide and are drawn as one


RUN = [
    [
        Event("agree", 5.0, 5.001),
        Event("send", 5.001, 5.003, 1, 1, 80),
        Event("blend", 5.004, 5.006, bytes=80),
    ],
    [Event("agree", 5.0, 5.002), Event("receive", 5.001, 5.004, 0, 1, 80), Event("wait", 5.002, 5.004)],
]


def test_timeline_shows_every_event_in_its_colour_row_and_time():
    axes = activity.draw(RUN).axes[0]
    bars = {item.get_gid(): item for item in axes.collections}
    assert set(bars) == {"agree", "wait", "blend", "send", "messages"}
    assert len(bars["agree"].get_paths()) == 2
    blend = bars["blend"].get_paths()[0].vertices
    assert (blend[:, 0].min(), blend[:, 0].max()) == pytest.approx((4, 6))  # ms since the first event
    assert -0.5 < blend[:, 1].min() < blend[:, 1].max() < 0.5  # row of rank 0
    wait = bars["wait"].get_paths()[0].vertices
    assert 0.5 < wait[:, 1].min() < wait[:, 1].max() < 1.5  # row of rank 1
    colours = {tuple(bars[name].get_facecolor()[0]) for name in ("agree", "wait", "blend", "send")}
    assert len(colours) == 4
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["agree 1.5 ms", "wait 1 ms", "blend 1 ms (0 behind messages)", "send 1 ms"]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_save_writes_the_format_of_the_suffix(tmp_path, suffix):
    path = tmp_path / f"picture.{suffix}"
    plot.save(activity.draw(RUN), path)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(start)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_save_refuses_other_formats(tmp_path):
    with pytest.raises(Error, match=r"picture\.jpg.*png, svg, pdf"):
        plot.save(activity.draw(RUN), tmp_path / "picture.jpg")
