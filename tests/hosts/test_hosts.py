"""The compositor on eight separate hosts at 100 Mbit/s: its picture, and the bytes on every interface."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import frames
from frames import Frames, Traffic
from testbed import MTU, Testbed, why_not

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(why_not() != "", reason=why_not() or "not skipped")]

HOSTS, RATE_MBIT = 8, 100
WIDTH, HEIGHT, FRAMES = 512, 256, 3
ALGORITHMS = ["direct-send", "shift", "radix-k"]

# A full frame carries the MTU less the headers of IPv4 (20 bytes) and TCP (20, and 12 for the time stamp); on
# the wire the header of Ethernet (14) comes on top. It is acknowledged by at most one frame of headers.
PAYLOAD = MTU - 52
FULL_FRAME = MTU + 14
ACKNOWLEDGEMENT = 66

# What is known only roughly, in bytes: a message's envelope, handshake and last, shorter frames; a frame's
# agreement on its arguments and its barrier.
A_MESSAGE = 1024
A_FRAME = 16 * 1024


@pytest.fixture(scope="module")
def testbed() -> Iterator[Testbed]:
    with Testbed(HOSTS, RATE_MBIT) as hosts:
        yield hosts


@pytest.fixture(scope="module", params=[HOSTS, 2 * HOSTS], ids=lambda ranks: f"{ranks} ranks")
def ranks(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def order(ranks: int) -> list[int]:
    return random.Random(ranks).sample(range(ranks), ranks)


@pytest.fixture(scope="module")
def job(testbed: Testbed, ranks: int, order: list[int]) -> frames.Job:
    return frames.run(testbed, ranks, ALGORITHMS, order, width=WIDTH, height=HEIGHT, frames=FRAMES)


@pytest.fixture(params=range(len(ALGORITHMS)), ids=ALGORITHMS)
def measured(request: pytest.FixtureRequest, job: frames.Job) -> Frames:
    return job.measured[request.param]


@pytest.fixture
def planned(measured: Frames, ranks: int, order: list[int]) -> list[Traffic]:
    """What each host moves in one frame, after the schedule."""
    nodes = [rank * HOSTS // ranks for rank in range(ranks)]
    return frames.planned(measured.algorithm, nodes, order, WIDTH * HEIGHT)


def test_hosts_are_separate(job: frames.Job, ranks: int) -> None:
    each = ranks // HOSTS
    assert len(set(job.names)) == HOSTS
    assert job.nodes == [[host * each + k for k in range(each)] for host in range(HOSTS)]


def test_picture_is_the_oracles(measured: Frames, ranks: int) -> None:
    assert measured.error <= 1e-6 * ranks


def test_interfaces_carry_what_the_schedule_says(
    measured: Frames, planned: list[Traffic], testbed: Testbed
) -> None:
    assert testbed.dropped() == 0
    for counted, plan in zip(measured.counted, planned, strict=True):
        assert plan.sent > 0
        assert plan.received > 0
        assert_carries(counted.sent, plan.sent, plan.received, plan.messages)
        assert_carries(counted.received, plan.received, plan.sent, plan.messages)


def assert_carries(counted: int, data: int, opposite: int, messages: int) -> None:
    """Bytes counted in one direction are those of its data in full frames, and little more.

    On top come the acknowledgements of the opposite direction and what is known only roughly: together at
    most 9 % of the data where both directions carry the same.
    """
    least = FRAMES * data * FULL_FRAME / PAYLOAD
    most = least + FRAMES * (opposite * ACKNOWLEDGEMENT / PAYLOAD + messages * A_MESSAGE + A_FRAME)
    assert least <= counted <= most


def test_links_keep_their_rate(measured: Frames, planned: list[Traffic]) -> None:
    busiest = max(max(host.sent, host.received) for host in planned)
    seconds = busiest * FULL_FRAME / PAYLOAD * 8 / (RATE_MBIT * 1e6)
    assert min(measured.seconds) >= 0.95 * seconds


def test_planned_bytes_are_those_of_the_formula() -> None:
    """Direct-send: each rank sends one piece to every rank of another host over the network."""
    ranks, pixels = 2 * HOSTS, WIDTH * HEIGHT
    order = list(range(ranks))
    piece = pixels // ranks * frames.PIXEL
    planned = frames.planned("direct-send", [rank // 2 for rank in order], order, pixels)
    sent = 2 * (ranks - 2)
    assert planned == [Traffic(sent * piece, sent * piece, messages=2 * sent)] * HOSTS
