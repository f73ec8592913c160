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


class Case:
    """Frames as they came out, and as the schedule has them."""

    def __init__(self, testbed: Testbed, algorithm: str, ranks: int) -> None:
        self.ranks = ranks
        order = random.Random(ranks).sample(range(ranks), ranks)
        self.real: Frames = frames.run(
            testbed, ranks, algorithm, order, width=WIDTH, height=HEIGHT, frames=FRAMES
        )
        nodes = [rank * HOSTS // ranks for rank in range(ranks)]
        self.planned = frames.planned(self.real.algorithm, nodes, order, WIDTH * HEIGHT)


@pytest.fixture(
    scope="module",
    params=[(algorithm, ranks) for ranks in (HOSTS, 2 * HOSTS) for algorithm in ALGORITHMS],
    ids=lambda case: f"{case[0]}-{case[1]}",
)
def case(request: pytest.FixtureRequest, testbed: Testbed) -> Case:
    return Case(testbed, *request.param)


def test_picture_is_the_oracles(case: Case) -> None:
    assert case.real.error <= 1e-6 * case.ranks


def test_hosts_are_separate(case: Case) -> None:
    each = case.ranks // HOSTS
    assert len(set(case.real.names)) == HOSTS
    assert case.real.nodes == [[host * each + k for k in range(each)] for host in range(HOSTS)]


def test_interfaces_carry_what_the_schedule_says(case: Case, testbed: Testbed) -> None:
    assert testbed.dropped() == 0
    for counted, planned in zip(case.real.counted, case.planned, strict=True):
        assert planned.sent > 0
        assert planned.received > 0
        messages = planned.messages
        assert_carries(counted.sent, planned.sent, planned.received, messages)
        assert_carries(counted.received, planned.received, planned.sent, messages)


def assert_carries(counted: int, data: int, opposite: int, messages: int) -> None:
    """Bytes counted in one direction are those of its data in full frames, and little more.

    On top come the acknowledgements of the opposite direction and what is known only roughly: together at
    most 9 % of the data where both directions carry the same.
    """
    least = FRAMES * data * FULL_FRAME / PAYLOAD
    most = least + FRAMES * (opposite * ACKNOWLEDGEMENT / PAYLOAD + messages * A_MESSAGE + A_FRAME)
    assert least <= counted <= most


def test_links_keep_their_rate(case: Case) -> None:
    busiest = max(max(host.sent, host.received) for host in case.planned)
    seconds = busiest * FULL_FRAME / PAYLOAD * 8 / (RATE_MBIT * 1e6)
    assert min(case.real.seconds) >= 0.95 * seconds


def test_planned_bytes_are_those_of_the_formula() -> None:
    """Direct-send: each rank sends one piece to every rank of another host over the network."""
    ranks, pixels = 2 * HOSTS, WIDTH * HEIGHT
    order = list(range(ranks))
    piece = pixels // ranks * frames.PIXEL
    planned = frames.planned("direct-send", [rank // 2 for rank in order], order, pixels)
    sent = 2 * (ranks - 2)
    assert planned == [Traffic(sent * piece, sent * piece, messages=2 * sent)] * HOSTS
