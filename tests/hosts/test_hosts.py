"""The compositor on eight separate hosts at 100 Mbit/s: its picture, and the bytes on every interface."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import frames
import hosts
import references
from frames import Frames, Traffic
from sortlast_testbed import Testbed

pytestmark = [pytest.mark.mpi, pytest.mark.family, references.NAMESPACES]

HOSTS, RATE_MBIT = 8, 100
WIDTH, HEIGHT, FRAMES = 512, 256, 3
ALGORITHMS = ["direct-send", "shift", "radix-k", "two-level:direct-send", "two-level:radix-k"]

# What may come on top of the data: 3 % for the headers and acknowledgements of TCP and the envelopes of
# messages (0.3 to 0.5 % were measured), which is less than one more message of a frame would be; and in each
# frame 16 kB for the agreement on its arguments and for barriers.
OVERHEAD = 0.03
A_FRAME = 16 * 1024


@pytest.fixture(scope="module")
def testbed() -> Iterator[Testbed]:
    with hosts.behind_switch(HOSTS, RATE_MBIT) as up:
        yield up


@dataclass(frozen=True)
class Placement:
    """Ranks in equal blocks on the hosts, whose images lie one behind the other in an order."""

    ranks: int
    order: list[int]  # from front to back

    @property
    def nodes(self) -> list[int]:
        """Host of each rank."""
        return [rank * HOSTS // self.ranks for rank in range(self.ranks)]


# Where the order is shuffled, the images of a host's ranks are not neighbours.
PLACEMENTS = {
    "8 ranks, shuffled": Placement(8, random.Random(8).sample(range(8), 8)),
    "16 ranks, in order": Placement(16, list(range(16))),
    "16 ranks, shuffled": Placement(16, random.Random(16).sample(range(16), 16)),
}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(each, id=name, marks=pytest.mark.slow if name == "16 ranks, shuffled" else ())
        for name, each in PLACEMENTS.items()
    ],
)
def placement(request: pytest.FixtureRequest) -> Placement:
    chosen: Placement = request.param
    return chosen


@pytest.fixture(scope="module")
def job(testbed: Testbed, placement: Placement) -> frames.Job:
    each, order = placement.ranks // HOSTS, placement.order
    return frames.run(testbed, each, ALGORITHMS, order, width=WIDTH, height=HEIGHT, frames=FRAMES)


@pytest.fixture(params=range(len(ALGORITHMS)), ids=ALGORITHMS)
def measured(request: pytest.FixtureRequest, job: frames.Job) -> Frames:
    k: int = request.param
    return job.measured[k]


@pytest.fixture
def planned(measured: Frames, placement: Placement) -> list[Traffic]:
    """What each host moves in one frame, after the schedule."""
    return frames.planned(measured.algorithm, placement.nodes, placement.order, WIDTH * HEIGHT)


def test_hosts_are_separate(job: frames.Job, placement: Placement) -> None:
    assert len(set(job.names)) == HOSTS
    for host, together in enumerate(job.nodes):
        assert together == [rank for rank in range(placement.ranks) if placement.nodes[rank] == host]


def test_picture_is_the_oracles(measured: Frames, placement: Placement) -> None:
    assert measured.error <= 1e-6 * placement.ranks


def test_interfaces_carry_what_the_schedule_says(
    measured: Frames, planned: list[Traffic], testbed: Testbed
) -> None:
    assert testbed.dropped() == 0
    for counted, plan in zip(measured.counted, planned, strict=True):
        assert plan.sent > 0
        assert plan.received > 0
        assert_carries(counted.sent, plan.sent)
        assert_carries(counted.received, plan.received)


def assert_carries(counted: int, data: int) -> None:
    """Whether an interface counted the data of all frames, and little more."""
    assert FRAMES * data <= counted <= FRAMES * (data * (1 + OVERHEAD) + A_FRAME)


def test_links_keep_their_rate(measured: Frames, planned: list[Traffic]) -> None:
    busiest = max(max(host.sent, host.received) for host in planned)
    seconds = busiest * 8 / (RATE_MBIT * 1e6)
    assert min(measured.seconds) >= 0.95 * seconds


@pytest.mark.parametrize(
    ("algorithm", "images"),
    [("direct-send", 2 * (1 - 2 / 16)), ("two-level:direct-send", 1 - 1 / 8)],
)
def test_planned_bytes_are_those_of_the_formula(algorithm: str, images: float) -> None:
    """What one of 8 hosts with 2 ranks each sends, in images.

    In direct-send each of the two sends all but what the ranks of its own host will own. With two levels they
    merge first, and send all but their host's eighth of one image.
    """
    order = list(range(16))
    planned = frames.planned(algorithm, [rank // 2 for rank in order], order, WIDTH * HEIGHT)
    data = int(images * WIDTH * HEIGHT * frames.PIXEL)
    assert planned == [Traffic(data, data)] * 8
