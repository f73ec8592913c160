"""Schedules from Python: every algorithm verifies, and what a schedule tells is consistent."""

from __future__ import annotations

import json
import pickle

import pytest

from sortlast import ArgumentError, Timing, schedule

NAMES = [entry.name for entry in schedule.algorithms()]
every_algorithm = pytest.mark.parametrize("name", NAMES)


@every_algorithm
@pytest.mark.parametrize("p", [1, 2, 3, 7, 8, 12])
def test_stages_are_the_programs_seen_from_above(name, p):
    s = schedule.make(name, p, 1000)
    stages = s.stages()
    assert len(stages) == s.stage_count
    seen = {(t.stage, t.source, t.destination, t.pixels) for stage in stages for t in stage}
    programs = [s.program(rank) for rank in range(p)]
    sent = {(x.stage, q.rank, x.peer, x.pixels) for q in programs for x in q.sends}
    received = {(x.stage, x.peer, q.rank, q.values[x.value].pixels) for q in programs for x in q.receives}
    assert seen == sent == received
    assert all(t.stage == number for number, stage in enumerate(stages, 1) for t in stage)


@pytest.mark.parametrize("name", ["radix-k", "two-level"])
def test_json_holds_the_setting_and_every_program(name):
    order, ring, nodes = [5, 4, 3, 2, 1, 0], [0, 2, 4, 1, 3, 5], [0, 0, 1, 1, 2, 2]
    s = schedule.make(name, 6, 100, order=order, ring=ring, nodes=nodes)
    told = json.loads(s.to_json())
    assert told["algorithm"] == s.name
    assert (told["p"], told["n"]) == (6, 100)
    assert (told["order"], told["ring"], told["nodes"]) == (order, ring, nodes)
    assert len(told["programs"]) == 6


@every_algorithm
def test_images_at_positions_of_their_own(name):
    positions = [[4, -2, 9], [], [0, 5], [7]]
    s = schedule.make(name, 4, 100, commutes=True, positions=positions)
    s.verify()
    assert s.positions == positions
    assert json.loads(s.to_json())["positions"] == positions
    assert pickle.loads(pickle.dumps(s)).to_json() == s.to_json()
    # Front to back the ranks are 0 2 0 2 3 0.
    first = {0: 3, 1: 0, 2: 2, 3: 1}
    own = {rank: s.program(rank).values[0].depth for rank in range(4)}
    for stage in s.stages():
        for transfer in stage:
            if transfer.depth == own[transfer.source]:
                assert transfer.layers == first[transfer.source]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"positions": [[1], [2]], "commutes": True}, "expected one for each of 3 ranks"),
        ({"positions": [[1], [2], [1]], "commutes": True}, "position 1 is given on rank 0 and rank 2"),
        ({"positions": [[1], [2], [3]]}, "commutes = true"),
        ({"positions": [[1], [2], [3]], "commutes": True, "order": [2, 1, 0]}, "expected one of them"),
    ],
)
def test_wrong_positions_are_refused(more, expected):
    with pytest.raises(ArgumentError, match=expected):
        schedule.make("shift", 3, 9, **more)


def test_names_are_completed():
    assert schedule.make("radix-k:4,3", 12, 100).name == "radix-k:4,3"
    completed = schedule.make("radix-k", 12, 100).name
    assert schedule.make(completed, 12, 100).to_json() == schedule.make("radix-k", 12, 100).to_json()
    assert schedule.make("auto", 12, 100).name.split(":")[0] in NAMES
    assert repr(schedule.make("shift", 3, 9)) == "<Schedule shift p=3 n=9>"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("bubble", 4, 9), "'bubble' is not known; expected one of direct-send.*auto"),
        (("radix-k:4,4", 12, 9), "12"),
        (("shift", 0, 9), "p = 0; expected at least 1"),
        (("shift", 4, -1), "n = -1; expected 0 or more"),
        (("shift", 4, 9, [0, 1, 2]), "order"),
        (("shift", 4, 9, [0, 1, 2, 4]), "order"),
        (("shift", 4, 9, None, [0, 1, 2, 2]), "ring"),
        (("shift", 4, 9, None, None, False, [0, 1, 3, 3]), "no rank on node 2"),
    ],
)
def test_wrong_settings_are_refused(arguments, expected):
    with pytest.raises(ArgumentError, match=expected):
        schedule.make(*arguments)


def test_ranks_outside_are_refused():
    s = schedule.make("shift", 4, 9)
    for rank in (-1, 4):
        with pytest.raises(ArgumentError, match="rank"):
            s.program(rank)
        with pytest.raises(ArgumentError, match="rank"):
            s.piece(rank)


def test_prices_grow_with_every_cost():
    name = "radix-k"
    s = schedule.make(name, 8, 10_000)
    base = schedule.price(s)
    assert isinstance(base, Timing)
    for dearer in ({"alpha": 1.0}, {"beta": 1.0}, {"gamma": 1.0}):
        assert schedule.price(s, **dearer).total > base.total
    assert schedule.price(s, overlap=True).total <= base.total
    assert schedule.formula(name, 8, 10_000).total > 0
    with pytest.raises(ArgumentError, match="per_message"):
        schedule.price(s, latency="per_frame")
