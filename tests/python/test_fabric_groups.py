"""Groups of ranks, nodes, repetitions, times and bytes of patterns, against their definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from sortlast import _fabric as fabric
from sortlast._errors import ArgumentError


def made(name, p, size=1 << 20):
    return fabric.collective_pattern(name, p, size)


def steps(pattern):
    """The flows of every step, repetitions one by one."""
    for stage in range(pattern.stages):
        flows = [tuple(flow) for flow in pattern.flows(stage).tolist()]
        for _ in range(pattern.repeats(stage)):
            yield flows


# --- groups and nodes -------------------------------------------------------------------------------------


KINDS = [
    fabric.GroupKind("tensor", 3, "ring", 3000),
    fabric.GroupKind("pipeline", 2, "chain", 50),
    fabric.GroupKind("silent", 2, ""),
    fabric.GroupKind("data", 5, "double-tree:20", 700),
]


def test_groups_lie_as_megatron_lays_them():
    p = 60
    pattern = fabric.groups_pattern(p, KINDS)
    assert pattern.participants == p
    assert pattern.name == "groups tensor=3:ring,pipeline=2:chain,silent=2,data=5:double-tree:20"
    places = np.arange(p).reshape(5, 2, 2, 3)  # the innermost last
    expected = []
    for axis, kind in enumerate(reversed(KINDS)):
        if not kind.collective:
            continue
        groups = np.moveaxis(places, axis, -1).reshape(-1, kind.size).tolist()
        for t, flows in enumerate(steps(made(kind.collective, kind.size, kind.bytes))):
            if len(expected) <= t:
                expected.append(Counter())
            expected[t].update((g[a], g[b], size) for g in groups for a, b, size in flows)
    assert [Counter(flows) for flows in steps(pattern)] == expected
    assert pattern.stages < pattern.steps == len(expected)


def test_between_nodes_only_what_leaves_them_counts():
    ring = made("ring", 12)
    nodes = fabric.node_pattern(ring, 4)
    assert nodes.participants == 3
    assert nodes.flows(0)[:, :2].tolist() == [[0, 1], [1, 2], [2, 0]]
    assert nodes.steps == ring.steps
    with pytest.raises(ArgumentError, match="ring of 12 ranks on nodes of 5; expected as many on each"):
        fabric.node_pattern(ring, 5)


# --- contention and time ----------------------------------------------------------------------------------

TREE = fabric.pgft([4, 3], [1, 2], [1, 1])
ROUTES = fabric.route(TREE, "ftree")


def written_out(pattern):
    return fabric.traffic_pattern("written out", pattern.participants, list(steps(pattern)))


@pytest.mark.parametrize("ranks_per_host", [1, 5])
@pytest.mark.parametrize("seed", [1, 2])
def test_repetitions_count_as_if_they_were_written_out(seed, ranks_per_host):
    hosts = np.repeat(fabric.order_hosts(TREE, "random", seed=seed), ranks_per_host).tolist()
    hosts[3] = -1
    kinds = [
        fabric.GroupKind("inner", 4, "ring", 1000),
        fabric.GroupKind("outer", len(hosts) // 4, "ring", 9),
    ]
    for pattern in (made("ring", len(hosts)), fabric.groups_pattern(len(hosts), kinds)):
        short = fabric.contention(ROUTES, pattern, hosts)
        long = fabric.contention(ROUTES, written_out(pattern), hosts)
        assert (short.steps, short.flows, short.max_flows) == (long.stages, long.flows, long.max_flows)
        assert short.mean_share == pytest.approx(long.mean_share)
        assert short.histogram.tolist() == long.histogram.tolist()
        assert short.channel_max.tolist() == long.channel_max.tolist()
        times = [
            fabric.pattern_time(ROUTES, each, hosts, 1e9, 1e-6) for each in (pattern, written_out(pattern))
        ]
        for name in ("synchronised", "free_running", "mean_bandwidth", "bound"):
            assert getattr(times[0], name) == pytest.approx(getattr(times[1], name))
        sums = [fabric.channel_bytes(ROUTES, each, hosts) for each in (pattern, written_out(pattern))]
        assert sums[0].tolist() == sums[1].tolist()


def test_times_and_bytes_are_those_of_the_definition():
    hosts = fabric.order_hosts(TREE, "random", seed=5)
    pattern = made("recursive-halving", len(hosts))
    seconds = bound = 0.0
    total = np.zeros(TREE.channels, np.int64)
    for flows in steps(pattern):
        paths = [ROUTES.walk(hosts[a], hosts[b]) for a, b, _ in flows]
        loads = Counter(channel for path in paths for channel in path)
        seconds += max(
            size * max(loads[c] for c in path) for path, (_, _, size) in zip(paths, flows, strict=True)
        )
        ends = [(path[0], path[-1]) for path in paths]
        bound += max(
            size * max(loads[c] for c in path) for path, (_, _, size) in zip(ends, flows, strict=True)
        )
        for path, (_, _, size) in zip(paths, flows, strict=True):
            total[path] += size
    time = fabric.pattern_time(ROUTES, pattern, hosts, 1e9, 0)
    assert time.synchronised == pytest.approx(seconds / 1e9)
    assert time.bound == pytest.approx(bound / 1e9)
    assert time.bound < time.synchronised
    assert fabric.channel_bytes(ROUTES, pattern, hosts).tolist() == total.tolist()


def test_links_have_the_rates_of_the_fabric(tmp_path):
    from sortlast import fabric as lab

    lines = fabric.write_ibnetdiscover(TREE).splitlines()
    for number, line in enumerate(lines):
        if line.startswith("["):
            lines[number] += " 4xEDR" if "sw-L2-0001" in line else " 4xHDR"
    path = tmp_path / "net.ibnetdiscover"
    path.write_text("\n".join(lines) + "\n")
    net = lab.read(path)
    routes = fabric.route(net, "minhop")
    gbps = {link.gbps for link in net.links}
    assert len(gbps) == 2, gbps
    hosts = list(range(12))
    pattern = made("pairwise", 12, 12 * 1000)
    expected = 0.0
    rate = np.zeros(net.channels)
    ends = {(net.source(c), net.target(c)): c for c in range(net.channels) if net.target(c)}
    for (source, target), channel in ends.items():
        cable = {channel, ends[target, source]}
        rate[channel] = next(link.gbps for link in net.links if link.channel in cable) * 1e9 / 8
    for flows in steps(pattern):
        paths = [routes.walk(hosts[a], hosts[b]) for a, b, _ in flows]
        loads = Counter(channel for each in paths for channel in each)
        expected += max(1000 * max(loads[c] / rate[c] for c in each) for each in paths)
    assert fabric.pattern_time(routes, pattern, hosts, 0, 0).synchronised == pytest.approx(expected, rel=1e-3)
    with pytest.raises(ArgumentError, match=r"the rate of .* is not known"):
        fabric.pattern_time(ROUTES, pattern, hosts, 0, 0)


# --- errors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "kinds", "says"),
    [
        (4, [], "no kind of groups"),
        (4, [("a", 3, "ring")], "groups a=3:ring are 3 ranks, and there are 4; the sizes must multiply"),
        (4, [("a", 0, "ring")], "groups a=0:ring; expected a size of at least 1"),
        (4, [("a", 2**31 - 1, "ring"), ("b", 2**31 - 1, "")], "and there are 4"),
        (4, [("a", 4, "rong")], "groups a=4:rong: no collective 'rong'"),
    ],
)
def test_groups_that_do_not_fit_are_refused(p, kinds, says):
    with pytest.raises(ArgumentError, match=says):
        fabric.groups_pattern(p, [fabric.GroupKind(*kind) for kind in kinds])


def test_bytes_beyond_counting_are_refused():
    with pytest.raises(ArgumentError, match=r"more than 2\^63 - 1"):
        fabric.pattern_time(ROUTES, made("recursive-doubling", 12, 2**62), list(range(12)), 1e9, 0)
