"""What is drawn of a simulated run: classes of links, buffers, delays, and the timeline of its messages."""

from __future__ import annotations

import numpy as np
import pytest

from sortlast import ArgumentError, fabric, simulate
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
