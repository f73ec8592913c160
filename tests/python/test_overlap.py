"""How much blending went on while messages were under way."""

from __future__ import annotations

import pytest

from sortlast.overlap import hidden, union
from sortlast.trace import Event


def test_union_joins_what_touches() -> None:
    events = [Event("send", 3, 4), Event("send", 0, 1), Event("send", 0.5, 2), Event("send", 2, 2.5)]
    assert union(events) == [(0, 2.5), (3, 4)]
    assert union([]) == []


def test_hidden_counts_each_moment_once() -> None:
    events = [
        Event("blend", 0, 2),
        Event("blend", 5, 6),
        Event("blend", 8, 9),
        Event("receive", 1, 5.5),
        Event("send", 1.5, 3),
        Event("send", 5.75, 5.875),
        Event("wait", 8, 9),
    ]
    assert hidden(events) == pytest.approx(1 + 0.5 + 0.125)
    assert hidden([event for event in events if event.activity != "blend"]) == 0
