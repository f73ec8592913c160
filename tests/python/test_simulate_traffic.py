"""Traffic from Python: patterns, and files that are written and read again."""

from __future__ import annotations

import numpy as np
import pytest

from sortlast import ArgumentError, Error, fabric, schedule, simulate


def test_patterns_are_listed():
    assert [name for name, _ in simulate.patterns()] == ["2W", "3W", "2M", "3M", "BU", "BT", "WF"]


def test_arrays_describe_the_messages():
    t = simulate.pattern("BU", 8, 100)
    assert (t.name, t.tasks, t.repeats, t.in_order, t.messages, t.bytes) == ("BU", 8, 1, True, 24, 2400)
    assert t.source.tolist() == np.repeat(np.arange(8), 3).tolist()
    assert np.array_equal(t.destination, t.source ^ np.tile([1, 2, 4], 8))
    for m in range(24):
        causes = t.causes[t.first_cause[m] : t.first_cause[m + 1]]
        # The message of the step before that came from the partner of that step.
        assert causes.tolist() == ([] if m % 3 == 0 else [3 * t.destination[m - 1] + m % 3 - 1])


def test_unknown_patterns_are_refused():
    with pytest.raises(ArgumentError, match="there are 2W, 3W, 2M, 3M, BU, BT, WF"):
        simulate.pattern("4W", 4096, 10)


def test_goal_and_fsin_are_read_as_they_were_written(tmp_path):
    t = simulate.pattern("2M", 16, 300)
    goal, trace = tmp_path / "t.goal", tmp_path / "t.trc"
    goal.write_text(t.to_goal())
    trace.write_text(t.to_fsin())
    f = fabric.crossbar(16)
    runs = [simulate.packet(f, x) for x in (t, simulate.read_goal(goal), simulate.read_fsin(trace))]
    assert len({run.cycles for run in runs}) == 1
    assert simulate.read_fsin(trace).name == str(trace)


def test_errors_have_file_and_line(tmp_path):
    file = tmp_path / "bad.goal"
    file.write_text("num_ranks 2\nrank 0 {\nx: send 10 to 1\n}\n")
    with pytest.raises(Error, match=r"bad\.goal:3: '10' is no whole number"):
        simulate.read_goal(file)
    file.write_text("s 0 1\n")
    with pytest.raises(Error, match=r"bad\.goal:1: expected 's FROM TO TAG BYTES'"):
        simulate.read_fsin(file)
    with pytest.raises(Error, match="cannot read"):
        simulate.read_goal(tmp_path / "none")
    with pytest.raises(ArgumentError, match="is not in order"):
        simulate.from_schedule(schedule.make("shift", 4, 64)).to_fsin()
