"""Traces: the events of all ranks as a file that Perfetto reads."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mpirun
from sortlast import Error, schedule, trace
from sortlast.trace import Event

events = st.builds(
    lambda name, begin, length, peer: Event(name, begin, begin + length, peer, 1, 8),
    st.sampled_from(["send", "receive", "wait", "blend", "agree", "gather"]),
    st.integers(0, 50),
    st.integers(0, 20),
    st.integers(0, 3),
)


@given(st.lists(events, max_size=40))
def test_lanes_hold_every_event_once_and_none_that_overlap(own):
    placed = trace.lanes(own)
    key = lambda event: (event.begin, event.end, event.activity, event.peer)  # noqa: E731
    assert sorted((e for lane in placed.values() for e in lane), key=key) == sorted(own, key=key)
    for lane, content in placed.items():
        kinds = {
            event.activity if event.activity in ("send", "receive") else "compositing" for event in content
        }
        assert kinds <= {lane.split()[0]}
        for before, after in pairwise(content):
            assert before.end <= after.begin


def test_messages_pair_by_peer_stage_and_order():
    first, second, later = (
        Event("send", begin, begin + 1, 1, stage) for begin, stage in ((0, 1), (1, 1), (2, 2))
    )
    arrivals = [Event("receive", begin, begin + 2, 0, stage) for begin, stage in ((0, 2), (0, 1), (3, 1))]
    lost = Event("send", 5, 6, 1, 3)
    paired = trace.messages([[first, second, later, lost], arrivals])
    assert [(m.source, m.destination, m.send, m.receive) for m in paired] == [
        (0, 1, first, arrivals[1]),
        (0, 1, second, arrivals[2]),
        (0, 1, later, arrivals[0]),
    ]


def records(path, phase):
    return [record for record in json.loads(path.read_text())["traceEvents"] if record["ph"] == phase]


def test_arrows_end_within_the_slices_of_their_message(tmp_path):
    path = tmp_path / "run.json"
    trace.save([[Event("send", 1.0, 1.5, 1, 1, 8)], [Event("receive", 1.0, 2.0, 0, 1, 8)]], path)
    (start,), (finish,) = records(path, "s"), records(path, "f")
    assert start["id"] == finish["id"]
    slices = {(s["pid"], s["tid"]): s for s in records(path, "X")}
    for end in (start, finish):
        around = slices[end["pid"], end["tid"]]
        assert around["ts"] <= end["ts"] < around["ts"] + around["dur"]
    assert (start["pid"], finish["pid"]) == (0, 1)
    assert start["ts"] < finish["ts"]


def test_a_trace_is_written_whole_or_not_at_all(tmp_path):
    folder = tmp_path / "file"
    folder.write_text("not a folder")
    with pytest.raises(Error, match="cannot write"):
        trace.save([[Event("wait", 0, 1)]], folder / "run.json")
    assert folder.read_text() == "not a folder"


@pytest.mark.mpi
@pytest.mark.parametrize("algorithm", ["shift", "2-3-swap"])
def test_write_gathers_all_ranks(tmp_path, algorithm):
    ranks, path = 5, tmp_path / "run.json"
    reports = mpirun.reports(
        ranks,
        f"""
        import numpy, sortlast
        from sortlast import trace
        comp = sortlast.Compositor(comm, algorithm={algorithm!r}, node_ranks=1)
        with comp.trace() as events:
            comp.gather(comp.composite(numpy.full((40, 50, 4), 0.25, numpy.float32)))
        trace.save([events], {str(tmp_path)!r} + f"/{{comm.rank}}.json")
        gathered = trace.write(comm, events, {str(path)!r})
        report(None if gathered is None else [len(own) for own in gathered])
        """,
    )
    assert reports[1:] == [None] * (ranks - 1)
    slices = records(path, "X")
    assert len(slices) == sum(reports[0])
    assert [len(records(tmp_path / f"{rank}.json", "X")) for rank in range(ranks)] == reports[0]
    assert {record["args"]["name"] for record in records(path, "M") if record["name"] == "process_name"} == {
        f"rank {rank}" for rank in range(ranks)
    }
    assert {record["name"] for record in slices} >= {"send", "blend", "agree", "gather"}

    # Each transfer of the schedule is an arrow from its source to its destination.
    made = schedule.make(algorithm, p=ranks, n=2000)
    wanted = sorted((t.source, t.destination) for stage in made.stages() for t in stage)
    finish = {record["id"]: record["pid"] for record in records(path, "f")}
    assert sorted((record["pid"], finish[record["id"]]) for record in records(path, "s")) == wanted

    # Slices of a track do not overlap.
    tracks = defaultdict(list)
    for record in slices:
        tracks[record["pid"], record["tid"]].append((record["ts"], record["ts"] + record["dur"]))
    for track in tracks.values():
        track.sort()
        assert all(before[1] <= after[0] + 1e-3 for before, after in pairwise(track))


@pytest.mark.mpi
def test_write_fails_on_every_rank(tmp_path):
    (tmp_path / "file").write_text("")
    reports = mpirun.reports(
        2,
        f"""
        import sortlast
        from sortlast import trace
        try:
            trace.write(comm, [], {str(tmp_path / "file" / "run.json")!r})
        except sortlast.Error as error:
            report(str(error))
        """,
    )
    assert reports[0] == reports[1]
    assert "cannot write" in reports[0]
