"""Dynamic barriers and swap locking: the gates of groups, groups among ranks, and frames by retraces."""

from __future__ import annotations

import pytest

import mpirun
from sortlast import Error, launch
from sortlast_studies.hardware_barrier import dynamic, groups, steps, swap
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


@pytest.mark.mpi
def test_nobody_leaves_a_group_before_all_its_ranks_have_come():
    """Groups of changing ranks, with leaders and numbers used again; stamps by a clock that ranks share."""
    reports = mpirun.reports(
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
    barriers = {}
    for told in reports:
        for turn, number, came, left in told:
            barriers.setdefault((turn, number), []).append((came, left))
    assert len(barriers) == sum(1 + turn % 4 for turn in range(12))
    for (turn, _), times in barriers.items():
        assert len(times) == 2 + turn % 3
        assert min(left for _, left in times) >= max(came for came, _ in times)


@pytest.mark.mpi
def test_a_group_of_others_is_refused():
    reports = mpirun.reports(
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
    assert sorted(reports)[0] == "rank 0 is not one of the group of the ranks [1]"


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


# --- swap locking --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "rate"), [(0.001, 60), (1 / 60, 60), (0.0167, 30), (1 / 30, 30), (0.051, 15)]
)
def test_locked_frames_take_whole_retraces(seconds, rate):
    assert swap.locked(seconds) == pytest.approx(rate)


@pytest.mark.mpi
def test_swaps_are_measured_with_a_lock_and_without():
    found = launch.ranks(swap.__name__, {"barriers": steps.LOCKS, "turns": 1, "frames": 12}, 3, 60)
    assert list(found) == list(steps.LOCKS)
    assert all(rate > 0 and 0 <= split <= 1 for turns in found.values() for rate, split in turns)
    for name in ("none", "mpi", "flags", "port"):
        assert found[name][0][0] <= swap.HERTZ  # nobody is faster than the retrace
    assert swap.expected(3, 12) == swap.HERTZ  # every rendering is shorter than a retrace
