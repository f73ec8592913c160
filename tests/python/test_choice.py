"""Predictions and profiles of machines from Python."""

from __future__ import annotations

import json

import pytest

from sortlast import ArgumentError, schedule

N = 2048 * 1024


def test_predictions_are_sorted_and_complete():
    machine = schedule.Machine(cores=2, ranks=8)
    predictions = schedule.choose(8, N, machine)
    totals = [prediction.total for prediction in predictions]
    assert totals == sorted(totals)
    assert {p.name.split(":")[0] for p in predictions} == {
        entry.name for entry in schedule.algorithms() if entry.name != "two-level"
    }
    for p in predictions:
        assert p.total == pytest.approx(p.transfer + p.blend + p.copy)


def test_profiles_come_back(tmp_path):
    machine = schedule.Machine(alpha=1 / 3, cores=2, ranks=4)
    path = str(tmp_path / "profile.json")
    machine.save(path)
    assert schedule.Machine.load(path) == machine
    assert schedule.Machine.from_json(machine.to_json()) == machine != schedule.Machine()
    assert json.loads(machine.to_json())["alpha"] == 1 / 3


def test_wrong_profiles_and_machines_are_refused(tmp_path):
    text = schedule.Machine().to_json()
    with pytest.raises(ArgumentError, match=r"mine:2: 'alpha' is -1, less than 0"):
        schedule.Machine.from_json(text.replace("2e-06", "-1", 1), "mine")
    with pytest.raises(ArgumentError, match=r"nowhere.json: cannot be read"):
        schedule.Machine.load(str(tmp_path / "nowhere.json"))
    with pytest.raises(ArgumentError, match="'ranks' is 0"):
        schedule.choose(4, N, schedule.Machine(ranks=0))
    with pytest.raises(ArgumentError, match="active"):
        schedule.choose(4, N, active=0)
