"""Frames on a testbed that are late by a slow link, a late or stopped rank, or the traffic of others."""

from __future__ import annotations

from pathlib import Path

import pytest

import references
from sortlast import ArgumentError, fabric, simulate
from sortlast_testbed import Disturbance, Settings, Testbed, record, write_counters

pytestmark = [pytest.mark.mpi, pytest.mark.family, references.NAMESPACES]

TREE = Settings("k-ary-n-tree:2,3", engine="d-mod-k", rate_mbit=50)
LARGE = (512, 512)  # an image of which messages take 0.6 s, so that a rank can be stopped meanwhile
UP = 10  # the channel of the first leaf's first up-link
INTO_LEAF = 33  # a channel down to the last leaf


def test_a_slow_link_and_a_late_rank_are_told_apart(tmp_path: Path) -> None:
    """Delays are seconds, against some tenths of a second that a frame takes."""
    wanted = {
        "link": Disturbance(slow=(UP, 1)),
        "start": Disturbance(late=(3, 4.0)),
        "link down": Disturbance(slow=(INTO_LEAF, 1)),
    }
    stopped = Disturbance(stopped=(5, 6.0))
    with Testbed(TREE) as testbed:
        hosts = list(range(8))
        recorded = record(testbed, hosts, list(wanted.values()), timeout=300)
        recorded += record(testbed, hosts, [stopped], size=LARGE, timeout=300)
        with pytest.raises(ArgumentError, match="of a rank that does not exist; there are 8"):
            record(testbed, hosts, [Disturbance(late=(8, 1.0))])
        topology, routes, rate = testbed.topology, testbed.routes, testbed.link_bandwidth
    late = {
        name: simulate.lateness(
            routes, each.events, link_bytes_per_second=rate, counters=(each.before, each.after)
        )
        for name, each in zip([*wanted, "stopped"], recorded, strict=True)
    }
    frames = {name: each.frames[0] for name, each in late.items()}
    assert (frames["link"].cause, frames["link"].links) == ("link", (UP,))
    assert (frames["link down"].cause, frames["link down"].links) == ("link", (INTO_LEAF,))
    assert "nobody else sends on it" in frames["link"].text
    assert late["link"].links[0].channel == UP
    assert (frames["start"].cause, frames["start"].ranks) == ("start", (3,))
    assert late["start"].text.startswith("the network is not the cause")

    # A process may be stopped while it blends, or while it waits, when a link could be as slow.
    assert frames["stopped"].cause in ("work", "host")
    assert frames["stopped"].ranks == (5,)
    assert not late["stopped"].network_is_cause

    # Files hold the same counters, in whole words of 4 bytes.
    before = recorded[0].before
    write_counters(topology, before, tmp_path / "counters.txt")
    read = fabric.read_port_counters(topology, tmp_path / "counters.txt")
    assert (read.bytes // 4 == before.bytes // 4).all()
    assert (read.symbol_errors == before.symbol_errors).all()
    assert (read.link_downs == before.link_downs).all()
    assert (read.waits == -1).all()


@pytest.mark.slow
def test_traffic_of_others_is_told_from_a_slow_link() -> None:
    with Testbed(TREE) as testbed:
        (found,) = record(testbed, list(range(8)), [Disturbance(traffic=(0, 6, 24_000_000))], timeout=300)
        late = simulate.lateness(
            testbed.routes,
            found.events,
            link_bytes_per_second=testbed.link_bandwidth,
            counters=(found.before, found.after),
        )
        assert set(late.frames[0].links) <= set(testbed.routes.walk(0, 6))
    frame = late.frames[0]
    assert frame.cause == "traffic", frame.text
    assert "others send on it" in frame.text
