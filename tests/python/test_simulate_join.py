"""Several jobs on one network, halo exchanges, and what others take of the links."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from sortlast import ArgumentError, fabric, schedule, simulate

TREE = ("--net", "k-ary-n-tree:4,2")
MB = 10**6


def test_jobs_on_links_of_their_own_take_what_they_take_alone():
    f = fabric.k_ary_n_tree(4, 3)
    given = [
        (simulate.shift(16, 70_000, 1, 16), range(16)),
        (simulate.halo([4, 2, 2], 50_000, 3), range(16, 32)),
        (simulate.from_schedule(schedule.make("binary-swap", p=16, n=10_000)), range(32, 48)),
    ]
    jobs = simulate.join(given)
    assert jobs.names == tuple(traffic.name for traffic, _ in given)
    assert jobs.placement == tuple(range(48))
    run = simulate.flow(f, jobs.traffic, placement=jobs.placement, precision=0, message_log=True)
    for found, (traffic, hosts) in zip(jobs.results(run), given, strict=True):
        alone = simulate.flow(f, traffic, placement=hosts, precision=0)
        assert (found.messages, found.bytes) == (traffic.messages, traffic.bytes)
        assert found.seconds == alone.seconds or traffic.in_order  # in order: one message at a time
        assert found.seconds == pytest.approx(alone.seconds)
    assert sum(found.bytes for found in jobs.results(run)) == run.bytes


def test_jobs_that_share_hosts_share_their_links():
    f = fabric.crossbar(4)
    t = simulate.shift(4, MB, 1, 2)
    for share in (False, True):
        jobs = simulate.join([(t, range(4)), (t, [1, 2, 3, 0])], share_hosts=share)
        assert jobs.traffic.tasks == (4 if share else 8)
        assert jobs.tasks[1] == ((1, 2, 3, 0) if share else (4, 5, 6, 7))
        run = simulate.flow(
            f,
            jobs.traffic,
            placement=jobs.placement,
            link_bytes_per_second=1e9,
            sends_at_once=0,
            message_log=True,
        )
        assert [found.seconds for found in jobs.results(run)] == pytest.approx([2e-3, 2e-3])
    packets = simulate.packet(f, jobs.traffic, placement=jobs.placement, message_log=True)
    assert [found.messages for found in jobs.results(packets)] == [4, 4]
    assert packets.packets == 8 * (MB // 64)
    assert max(found.seconds for found in jobs.results(packets)) == pytest.approx(packets.seconds)


def test_jobs_refuse_what_does_not_fit():
    t = simulate.shift(4, 10, 1, 2)
    with pytest.raises(ArgumentError, match="no jobs"):
        simulate.join([])
    with pytest.raises(ArgumentError, match="job 1 has 3 hosts for 4 tasks"):
        simulate.join([(t, range(4)), (t, range(3))])
    with pytest.raises(ArgumentError, match="has tasks 0 and 1 on host 5"):
        simulate.join([(t, [5, 5, 6, 7])], share_hosts=True)
    jobs = simulate.join([(t, range(4))])
    with pytest.raises(ArgumentError, match="message_log=True"):
        jobs.results(simulate.flow(fabric.crossbar(4), jobs.traffic))


def test_background_leaves_the_rest_of_the_links():
    f = fabric.k_ary_n_tree(4, 2)
    t = simulate.shift(16, MB, 1, 16)
    alone = simulate.flow(f, t)
    half = simulate.flow(f, t, background=0.5)
    assert half.seconds == 2 * alone.seconds
    assert (half.channel_bytes == alone.channel_bytes).all()
    shares = np.zeros(f.channels)
    assert simulate.flow(f, t, background=shares).seconds == alone.seconds
    shares[3] = 0.5  # the link of host 3 upwards
    slower = simulate.flow(f, t, background=shares)
    assert slower.seconds > alone.seconds
    one = simulate.shift(16, MB, 1, 2)  # what host 3 sends takes twice as long, and all else as long as ever
    ends = simulate.flow(f, one, background=shares).task_end
    assert ends == pytest.approx(np.where(np.isin(range(16), (3, 4)), 2, 1) * simulate.flow(f, one).seconds)
    s = schedule.make("shift", p=16, n=10_000)
    assert simulate.frame(f, s, background=0.5).seconds == pytest.approx(2 * simulate.frame(f, s).seconds)
    for wrong in (1, -0.1, [0.1, 0.2]):
        with pytest.raises(ArgumentError, match="background"):
            simulate.flow(f, t, background=wrong)


# --- the command ------------------------------------------------------------------------------------------


def simulated(cli, tmp_path, *options):
    path = tmp_path / "run.json"
    status, out, err = cli("simulate", *options, *TREE, "--json", path)
    assert (status, err) == (0, "")
    return json.loads(path.read_text()), out


@pytest.mark.parametrize("method", ["packet", "flow"])
def test_jobs_beside_each_other_are_told(cli, tmp_path, method):
    options = ("BU", "--ranks", 8, "--bytes", 50_000, "--method", method)
    told, out = simulated(
        cli, tmp_path, *options, "--beside", "shift@20K", "--beside", "BU@10K on host[00008-00011]"
    )
    f = fabric.k_ary_n_tree(4, 2)
    given = [
        (simulate.pattern("BU", 8, 50_000), range(8)),
        (simulate.shift(8, 20_000 // 8, 1, 8), range(8)),
        (simulate.pattern("BU", 4, 10_000), range(8, 12)),
    ]
    jobs = simulate.join(given, share_hosts=method == "packet")
    simulator = simulate.packet if method == "packet" else simulate.flow
    run = simulator(f, jobs.traffic, placement=jobs.placement, message_log=True)
    for row, found in zip(told["jobs"], jobs.results(run), strict=True):
        assert row == {
            "traffic": found.name,
            "seconds": found.seconds,
            "messages": found.messages,
            "bytes": found.bytes,
        }
    assert len(re.findall("^beside it +", out, re.MULTILINE)) == 2
    assert told["seconds"] == run.seconds


@pytest.mark.parametrize("method", ["packet", "flow"])
def test_the_command_takes_a_background(cli, tmp_path, method):
    options = ("BU", "--bytes", 5000, "--method", method)
    told, out = simulated(cli, tmp_path, *options, "--set", "background=0.5")
    simulator = simulate.packet if method == "packet" else simulate.flow
    run = simulator(fabric.k_ary_n_tree(4, 2), simulate.pattern("BU", 16, 5000), background=0.5)
    assert told["seconds"] == run.seconds
    assert told["settings"]["background"] == 0.5
    if method == "packet":
        assert told["background_packets"] == run.background_packets
        assert f" and {run.background_packets:,} of others, over " in out
        [links] = re.findall(r"over ([0-9.]+) links on average", out)
        assert float(links) == pytest.approx(
            run.packet_hops / (run.packets + run.background_packets), abs=0.005
        )
        assert float(links) < 4  # the longest way of this tree


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--beside", "BU"), "is no file, and has no size"),
        (("--beside", "BU@100 on free"), "there is no host for it"),
        (("--beside", "XY@100"), "XY is no file, pattern or algorithm"),
        (("--beside", "BU@100", "--ranks", "2:4"), "is of one run"),
        (("--set", "background=1"), "background is 1.0"),
    ],
)
def test_the_command_refuses_jobs_that_are_none(cli, options, message):
    status, _, err = cli("simulate", "BU", *TREE, *options)
    assert status == 2
    assert message in " ".join(re.sub("[│╭╮╰╯─]", " ", err).split())
