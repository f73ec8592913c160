"""Dynamic barriers and swap locking: the gates of groups, groups among ranks, and frames by retraces."""

from __future__ import annotations

import pytest

import mpirun
from sortlast import Error, launch
from sortlast_studies.hardware_barrier import dynamic, groups, paper, steps, swap
from sortlast_studies.hardware_barrier.wire import Delays

# --- dynamic barriers ----------------------------------------------------------------------


@pytest.mark.parametrize("members", [[0, 1], [1, 4, 5], [8, 0, 3, 6], range(9)])
def test_a_group_is_released_after_three_gates_more(members):
    """Simulated, with nodes beside the group that hold their lines high; the formula is counted by hand."""
    delays = Delays.as_published()
    assert dynamic.delay(9, members) == delays.internal + 6 * delays.gate == dynamic.total(9)


def test_groups_of_gates_are_made_and_ended_while_others_wait():
    """Group 0 of the nodes 0 and 1 and group 2 of 2 and 3; then group 0 again, of 0 and 3."""
    step = 1_000_000
    events = [
        [(dynamic.member(0, 0), True), (dynamic.member(0, 1), True), (dynamic.line(1), True)],
        [(dynamic.member(2, 2), True), (dynamic.member(2, 3), True), (dynamic.opened(2), True)],
        [(dynamic.line(0), True)],  # not open yet: nobody is released
        [(dynamic.opened(0), True)],  # now both are
        [(dynamic.line(2), True), (dynamic.line(0), False), (dynamic.line(1), False)],
        [(dynamic.opened(0), False), (dynamic.member(0, 1), False), (dynamic.line(3), True)],
        [(dynamic.line(2), False), (dynamic.line(3), False)],
        [(dynamic.opened(2), False), (dynamic.member(2, 2), False), (dynamic.member(2, 3), False)],
        [(dynamic.member(0, 3), True), (dynamic.line(3), True)],
        [(dynamic.line(0), True), (dynamic.opened(0), True)],
    ]
    drives = [dynamic.Drive(step * (k + 1), net, high) for k, nets in enumerate(events) for net, high in nets]
    found = [(edge.time // step, edge.net[-1], edge.high) for edge in dynamic.simulate(4, 3, drives)]
    assert sorted(found) == [
        (4, "0", True),
        (4, "1", True),
        (5, "0", False),
        (5, "1", False),
        (6, "2", True),
        (6, "3", True),
        (7, "2", False),
        (7, "3", False),
        (10, "0", True),
        (10, "3", True),
    ]
    with pytest.raises(Error, match="no input line4 of a wire with 4 nodes"):
        dynamic.simulate(4, 1, [dynamic.Drive(0, dynamic.line(4), True)])


def test_what_a_group_costs_is_counted_in_accesses_and_rounds():
    """9 nodes: 4 bits of the leader and 9 of the members, 5 a write, and one that opens."""
    assert dynamic.writes(9) == 3 + 1
    assert dynamic.writes(513) == 105 + 1
    few, many = dynamic.costs(9), dynamic.costs(513)
    assert few["set-up"] == pytest.approx(4 * 1.26e-6)
    assert few["barrier"] == pytest.approx(paper.hardware_barrier() + 3 * 3.3e-9)
    assert many["barrier"] < 1.01 * few["barrier"]
    assert dynamic.software(paper.FAST, 4)["barrier"] == pytest.approx(3.7e-3 * 2 / 4)


@pytest.mark.mpi
def test_nobody_leaves_a_group_before_all_its_ranks_have_come():
    """Groups of changing ranks, with leaders and numbers used again; stamps by a clock that ranks share."""
    job = mpirun.run(
        5,
        """
        import time
        from sortlast_studies.hardware_barrier.groups import DynamicWire
        wire = DynamicWire(comm)
        told = []
        for turn in range(12):
            members = [(turn + k) % 5 for k in range(2 + turn % 3)]
            if comm.rank in members:
                group = wire.group(members)
                for number in range(1 + turn % 4):
                    time.sleep(0.003 * ((comm.rank + number) % 3))
                    came = time.monotonic_ns()
                    group.wait()
                    told.append((turn, number, came, time.monotonic_ns()))
                group.close()
        comm.Barrier()
        wire.close()
        report(told)
        """,
    )
    assert job.returncode == 0, job.stderr
    barriers = {}
    for told in job.reports:
        for turn, number, came, left in told:
            barriers.setdefault((turn, number), []).append((came, left))
    assert len(barriers) == sum(1 + turn % 4 for turn in range(12))
    for (turn, _), times in barriers.items():
        assert len(times) == 2 + turn % 3
        assert min(left for _, left in times) >= max(came for came, _ in times)


@pytest.mark.mpi
def test_a_group_of_others_is_refused():
    job = mpirun.run(
        2,
        """
        import sortlast
        from sortlast_studies.hardware_barrier.groups import DynamicWire
        wire = DynamicWire(comm)
        try:
            wire.group([1 - comm.rank])
        except sortlast.Error as error:
            report(str(error))
        wire.close()
        """,
    )
    assert job.returncode == 0, job.stderr
    assert sorted(job.reports)[0] == "rank 0 is not one of the group of the ranks [1]"


@pytest.mark.mpi
def test_groups_are_timed_on_the_wire_and_by_mpi():
    asked = {"ways": groups.WAYS, "sizes": [2, 3], "turns": 2, "calls": 3}
    found = launch.ranks(groups.__name__, asked, 3, 60)
    assert list(found) == list(groups.WAYS)
    for by_size in found.values():
        assert list(by_size) == ["2", "3"]
        assert all(
            len(times) == 2 and min(times) > 0 for parts in by_size.values() for times in parts.values()
        )


def test_all_ranks_are_divided_into_groups_of_others_in_every_turn():
    turns = [groups.divided(9, 4, turn) for turn in range(4)]
    for found in turns:
        ranks = [rank for group in found for rank in group]
        assert ([len(group) for group in found], len(set(ranks))) == ([4, 4], 8)
    assert len({str(found) for found in turns}) == 4


# --- swap locking --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "rate"), [(0.001, 60), (1 / 60, 60), (0.0167, 30), (1 / 30, 30), (0.051, 15)]
)
def test_locked_frames_take_whole_retraces(seconds, rate):
    assert swap.locked(seconds) == pytest.approx(rate)


def test_a_lock_costs_frames_where_its_barriers_cross_a_retrace():
    """1024x1024: 81.3 ms with the wire are 5 retraces; two barriers of 3.7 ms, Fast Ethernet, make 6."""
    rates = swap.rates("1024x1024")
    assert rates["none"] == pytest.approx(12.3)
    assert (rates["hardware barrier"], rates[paper.FAST]) == (pytest.approx(12), pytest.approx(10))
    skews = swap.skews()
    assert skews["hardware barrier"] == pytest.approx(1.42e-6)
    assert skews[paper.FAST] == pytest.approx(3.7e-3 / 4)


@pytest.mark.mpi
def test_swaps_are_measured_with_a_lock_and_without():
    found = launch.ranks(swap.__name__, {"barriers": steps.LOCKS, "turns": 1, "frames": 12}, 3, 60)
    assert list(found) == list(steps.LOCKS)
    assert all(rate > 0 and 0 <= split <= 1 for turns in found.values() for rate, split in turns)
    for name in ("none", "mpi", "flags", "port"):
        assert found[name][0][0] <= swap.HERTZ  # nobody is faster than the retrace
    assert swap.expected(3, 12) == swap.HERTZ  # every rendering is shorter than a retrace
