"""What is drawn of a simulated run: classes of links, buffers, delays, and the timeline of its messages."""

from __future__ import annotations

import numpy as np
import pytest

from sortlast import ArgumentError, fabric, simulate
from sortlast.plot import simulate as pictures
from sortlast.simulate.links import link_classes
from sortlast.simulate.timeline import timeline


@pytest.mark.parametrize(
    ("net", "expected"),
    [
        ("crossbar:5", {"hosts to level 1": 5, "level 1 to hosts": 5}),
        (
            "slender-tree:4,2,3",
            {
                "hosts to level 1": 32,
                "level 1 to level 2": 16,
                "level 2 to level 3": 8,
                "level 3 to level 2": 8,
                "level 2 to level 1": 16,
                "level 1 to hosts": 32,
            },
        ),
        ("torus:3,3;2", {"hosts to switches": 18, "switches to switches": 36, "switches to hosts": 18}),
    ],
)
def test_links_are_classed_upward_then_downward(net, expected):
    f = fabric.make_topology(net)
    classes = link_classes(f)
    assert {each.name: len(each.channels) for each in classes} == expected
    assert [each.name for each in classes] == list(expected)
    every = np.concatenate([each.channels for each in classes])
    assert sorted(every) == [c for c in range(f.channels) if f.target(c) is not None]


def test_a_timeline_has_each_message_at_both_its_ends():
    t = simulate.pattern("WF", 16, 100)
    run = simulate.packet(fabric.k_ary_n_tree(4, 2), t, message_log=True)
    events = timeline(t, run)
    assert len(events) == 16
    sends = [(task, e) for task, own in enumerate(events) for e in own if e.activity == "send"]
    receives = [(task, e) for task, own in enumerate(events) for e in own if e.activity == "receive"]
    assert len(sends) == len(receives) == t.messages == run.messages
    assert sorted((task, e.peer, e.stage, e.begin, e.end) for task, e in sends) == sorted(
        (e.peer, task, e.stage, e.begin, e.end) for task, e in receives
    )
    assert {e.stage for _, e in sends} == (set(range(1, t.repeats + 1)) if t.repeats > 1 else {-1})
    assert max(e.end for _, e in sends) == pytest.approx(run.seconds)
    assert all(e.begin < e.end for _, e in sends)


def test_a_timeline_needs_the_log():
    t = simulate.pattern("BU", 4, 100)
    with pytest.raises(ArgumentError, match="message_log=True"):
        timeline(t, simulate.packet(fabric.crossbar(4), t))


def test_links_are_drawn_between_their_extremes():
    f = fabric.thin_tree(4, 2, 2)
    run = simulate.packet(f, simulate.uniform(16, 500, 20))
    busy = 16 * run.link_loads / run.cycles
    axes = pictures.links(link_classes(f), busy, "title").axes[0]
    drawn = [item.get_segments()[0] for item in axes.collections if item.get_gid() == "all"]
    for row, (each, line) in enumerate(zip(link_classes(f), drawn, strict=True)):
        shares = busy[each.channels]
        np.testing.assert_allclose(line, [[shares.min(), row], [shares.max(), row]])
    assert axes.get_yticklabels()[0].get_text() == "hosts to level 1 (16)"


def test_buffers_are_drawn_by_level_over_time():
    f = fabric.thin_tree(4, 2, 3)
    run = simulate.packet(f, simulate.pattern("BU", 64, 1000), sample_cycles=32)
    figure = pictures.buffers(run.occupation, "title")
    bands = figure.axes[0].collections
    assert [band.get_label() for band in bands] == ["level 1", "level 2", "level 3"]
    top = max(vertex[1] for vertex in bands[-1].get_paths()[0].vertices)
    assert top == pytest.approx(run.occupation[:, 1:].sum(axis=1).max())


@pytest.mark.parametrize("messages", [1, 20])
def test_the_area_of_the_histogram_is_the_number_of_packets(messages):
    run = simulate.packet(fabric.thin_tree(4, 2, 2), simulate.uniform(16, 300, messages))
    axes = pictures.delays(run.delays, [("mean", run.mean_delay)], "title").axes[0]
    (bars,) = axes.patches
    heights, edges, _ = bars.get_data()
    wide = axes.get_xscale() == "log"
    widths = np.diff(8 * np.log2(edges)) if wide else np.diff(edges)
    assert (heights * widths).sum() == pytest.approx(run.packets)
    assert edges[0] <= run.min_delay <= run.max_delay < edges[-1]
    assert wide == (messages == 20)


def test_delays_fill_bins_that_touch():
    run = simulate.packet(fabric.thin_tree(4, 2, 2), simulate.uniform(16, 4000, 20))
    bins = run.delays
    assert bins[:, 2].sum() == run.packets
    assert (bins[1:, 0] == bins[:-1, 1] + 1).all()
    assert bins[0, 0] <= run.min_delay <= bins[0, 1]
    assert bins[-1, 0] <= run.max_delay <= bins[-1, 1]
