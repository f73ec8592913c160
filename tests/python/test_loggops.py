"""The LogGOPS model from Python and from the command line."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from sortlast import ArgumentError, Error, schedule, simulate

GOAL = """num_ranks 2
rank 0 {
a: calc 400
s: send 11b to 1 tag 3
s requires a
}
rank 1 {
r: recv 11b from 0 tag 3
c: calc 50 cpu 1
c requires r
}
"""


@pytest.fixture
def program_file(tmp_path):
    path = tmp_path / "two.goal"
    path.write_text(GOAL)
    return path


def test_a_program_takes_the_time_of_the_model(program_file):
    program = simulate.read_program(program_file)
    assert (program.ranks, program.actions, program.name) == (2, 4, str(program_file))
    run = simulate.loggops(program, L=1000, o=100, g=10, G=2)
    arrived = 400 + 100 + 1000
    assert np.allclose(run.ends, [500e-9, (arrived + 100 + 20 + 50) * 1e-9])
    assert run.computing.tolist() == pytest.approx([400e-9, 50e-9])
    assert run.overhead.tolist() == pytest.approx([100e-9, 120e-9])
    assert (run.messages, run.bytes, run.seconds) == (1, 11, run.ends.max())


def test_programs_are_written_compared_and_pickled(program_file, tmp_path):
    program = simulate.read_program(program_file)
    again = tmp_path / "again.goal"
    again.write_text(program.to_goal())
    assert "cpu 1" in program.to_goal()
    assert simulate.read_program(again).to_goal() == program.to_goal()
    assert pickle.loads(pickle.dumps(program)) == program
    run = simulate.loggops(program)
    assert np.array_equal(pickle.loads(pickle.dumps(run)).ends, run.ends)


def test_traffic_and_schedules_are_programs_too(tmp_path):
    traffic = simulate.pattern("BU", 16, 1000)
    run = simulate.loggops(traffic)
    assert (run.messages, run.bytes) == (traffic.messages, traffic.bytes)
    # A step: o at the sender, L, and o and the bytes at the receiver, which the next step waits for.
    step = 1500 + 2500 + 1500 + 999 * 6
    assert run.seconds == pytest.approx(4e-9 * step)
    frame = simulate.from_schedule(schedule.make("binary-swap", p=8, n=1 << 16))
    assert simulate.loggops(frame, G=1).seconds < simulate.loggops(frame, G=2).seconds
    trace = tmp_path / "trace"
    trace.write_text(traffic.to_fsin())
    assert simulate.loggops(simulate.read_program(trace)).seconds == run.seconds


def test_what_waits_for_ever_and_bad_parameters_are_refused(tmp_path):
    path = tmp_path / "stuck.goal"
    blocks = [
        f"rank {r} {{\na: recv 99b from {1 - r}\nb: send 99b to {1 - r}\nb requires a\n}}\n" for r in (0, 1)
    ]
    path.write_text("num_ranks 2\n" + "".join(blocks))
    with pytest.raises(Error, match=r"deadlock: rank 1 receives from rank 0 \(tag 0\)"):
        simulate.loggops(simulate.read_program(path))
    with pytest.raises(ArgumentError, match="L is -1"):
        simulate.loggops(simulate.pattern("BU", 4, 10), L=-1)


def test_progress_is_told_and_ends_the_run():
    parts: list[float] = []
    simulate.loggops(simulate.pattern("WF", 64, 100_000), progress=parts.append)
    assert parts == sorted(parts)
    assert len(parts) > 1
    assert parts[-1] == 1
    with pytest.raises(Error, match="cancelled"):
        simulate.loggops(simulate.pattern("BU", 4, 10), progress=lambda part: False)


LOGGOPS = ("simulate", "--method", "loggops")

# --- the command ------------------------------------------------------------------------------------------


def test_the_command_says_what_python_finds(cli, program_file, tmp_path):
    status, out, err = cli(
        *LOGGOPS, program_file, "--set", "L=1000,o=100,g=10,G=2", "--json", tmp_path / "run.json"
    )
    assert (status, err) == (0, "")
    told = json.loads((tmp_path / "run.json").read_text())
    run = simulate.loggops(simulate.read_program(program_file), L=1000, o=100, g=10, G=2)
    assert (told["seconds"], told["messages"], told["ends"]) == (run.seconds, 1, run.ends.tolist())
    assert told["parameters"] == {"L": 1000, "o": 100, "g": 10, "G": 2, "O": 0, "S": 65535}
    parts = [part["mean"] for part in told["shares"].values()]
    assert sum(parts) == pytest.approx(run.seconds)
    assert f"{1e3 * run.seconds:.6f} ms" in out


def test_the_command_takes_patterns_and_schedules(cli):
    for options in (
        ("BU", "--ranks", 8),
        ("radix-k:4,2", "--ranks", 8, "--size", "64x64"),
        ("ring", "--ranks", 4),
    ):
        status, out, _ = cli(*LOGGOPS, *options)
        assert status == 0
        assert "waiting" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("BU",), "give the number of ranks"),
        (("BU", "--ranks", 3), "3 ranks are no power of two"),
        (("nowhere.goal", "--ranks", 2), "nowhere.goal is no file"),
        (("BU", "--ranks", "2:8:x2"), "loggops makes one run"),
        (("BU", "--ranks", 8, "--net", "crossbar:8"), "not with --method loggops"),
        (("BU", "--ranks", 8, "--routing", "ftree"), "not with --method loggops"),
        (
            ("BU", "--ranks", 8, "--set", "L=1,lanes=3"),
            "lanes is no setting of --method loggops; known are L, o,",
        ),
        (("BU", "--ranks", 8, "--set", "G=-1"), "G is -1.000000; expected 0 to 1e15"),
    ],
)
def test_the_command_refuses_what_it_cannot_run(cli, monkeypatch, options, message):
    monkeypatch.setenv("COLUMNS", "200")
    status, _, err = cli(*LOGGOPS, *options)
    assert status == 2
    assert message in err


def test_the_command_refuses_ranks_for_a_file(cli, program_file):
    status, _, err = cli(*LOGGOPS, program_file, "--ranks", 2)
    assert status == 2
    assert "the file says it" in err
