"""Images in pieces and in blocks on eight hosts: what they receive of an object in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import hosts
import references

pytestmark = [pytest.mark.mpi, pytest.mark.family, references.NAMESPACES]

HOSTS = 8
FRAMES = 3

# Every rank has drawn a part of one object in the middle, or everything.
JOB = """
from pathlib import Path
import numpy as np
import sortlast

def received():
    comm.barrier()
    value = int(Path("/sys/class/net/eth0/statistics/rx_bytes").read_text())
    comm.barrier()
    return value

def picture(r, drawn):
    pixels = np.random.default_rng(r).uniform(0.25, 0.75, (256, 512, 4)).astype(np.float32)
    pixels[..., :3] *= pixels[..., 3:]
    y, x = np.mgrid[:256, :512]
    if drawn == "middle":
        pixels[(x - 256 - 3 * r) ** 2 + (y - 128) ** 2 > 40**2] = 0
    return pixels

kept = {}

def pictures(drawn):
    # This rank's; on rank 0 the oracle's too.
    if drawn not in kept:
        oracle = None
        if rank == 0:
            oracle = sortlast.composite_serial([picture(r, drawn) for r in range(size)])
        kept[drawn] = picture(rank, drawn), oracle
    return kept[drawn]

def measure(drawn, algorithm, root):
    mine, oracle = pictures(drawn)
    comp = sortlast.Compositor(comm, algorithm=algorithm)
    tile = comp.composite(mine, root=root)
    before = received()
    for frame in range(FRAMES):
        tile = comp.composite(mine, root=root)
    moved = received() - before
    whole = comp.gather(tile)
    error = 0.0 if whole is None else float(np.abs(whole.colour - oracle.colour).max())
    return {"received": moved, "ranges": len(tile.ranges), "error": error, "why": comp.explain()}

report({
    f"{drawn} {algorithm} {name}": measure(drawn, algorithm, root)
    for drawn in ("middle", "everything")
    for algorithm in ("direct-send", "binary-swap", "two-level:direct-send")
    for name, root in (("kept", None), ("gathered", 0))
})
"""


@pytest.fixture(
    scope="module", params=[1, pytest.param(2, marks=pytest.mark.slow)], ids=["8 ranks", "16 ranks"]
)
def reports(request: pytest.FixtureRequest) -> Iterator[list[dict[str, Any]]]:
    with hosts.behind_switch(HOSTS) as testbed:
        job = hosts.run(testbed, request.param, f"FRAMES = {FRAMES}\n" + JOB)
        assert job.returncode == 0, job
        assert testbed.dropped() == 0
        yield job.reports


def unevenness(reports: list[dict[str, Any]], case: str) -> float:
    """The most bytes that a host receives, over the mean."""
    received = [report[case]["received"] for report in reports[:: len(reports) // HOSTS]]
    return max(received) * HOSTS / sum(received)


def test_pictures_are_the_oracles(reports: list[dict[str, Any]]) -> None:
    for case, measured in reports[0].items():
        assert measured["error"] <= 1e-6 * len(reports), case


@pytest.mark.parametrize("algorithm", ["direct-send", "binary-swap", "two-level:direct-send"])
def test_hosts_receive_alike_what_is_dealt_out(reports: list[dict[str, Any]], algorithm: str) -> None:
    assert unevenness(reports, f"middle {algorithm} kept") > 1.25
    assert unevenness(reports, f"middle {algorithm} gathered") < 1.2


def test_sparse_images_that_are_gathered_are_dealt_out(reports: list[dict[str, Any]]) -> None:
    for report in reports:
        for case, measured in report.items():
            drawn, _, name = case.split()
            dealt = drawn == "middle" and name == "gathered"
            assert (measured["ranges"] > 1) == dealt, case
            assert ("dealt out in blocks" in measured["why"]) == dealt, measured["why"]
