"""Collectives as patterns: played with symbols they deliver; groups, nodes, repetitions, times."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from sortlast import _fabric as fabric
from sortlast._errors import ArgumentError

RANKS = range(1, 34)
BYTES = 1 << 20


def made(name, p, size=BYTES):
    return fabric.collective_pattern(name, p, size)


def steps(pattern):
    """The flows of every step, repetitions one by one."""
    for stage in range(pattern.stages):
        flows = [tuple(flow) for flow in pattern.flows(stage).tolist()]
        for _ in range(pattern.repeats(stage)):
            yield flows


def part(whole, parts):
    return -(-whole // parts)


# --- all-reduce: [rank, block, whose contribution] counts how often it was added ---------------------------


def fresh(p, blocks):
    counts = np.zeros((p, blocks, p), int)
    for rank in range(p):
        counts[rank, :, rank] = 1
    return counts


@pytest.mark.parametrize("p", RANKS)
def test_a_ring_adds_up_and_hands_round(p):
    counts = fresh(p, p)
    for t, flows in enumerate(steps(made("ring", p))):
        before = counts.copy()
        for source, destination, size in flows:
            assert size == part(BYTES, p)
            block = (source - t) % p
            if t < p - 1:
                counts[destination, block] += before[source, block]
            else:
                counts[destination, block] = before[source, block]
    assert (counts == 1).all()
    assert made("ring", p).steps == 2 * (p - 1)
    assert made("ring", p).stages == min(1, p - 1)


@pytest.mark.parametrize("p", RANKS)
def test_recursive_doubling_adds_whole_vectors(p):
    counts = fresh(p, 1)
    for flows in steps(made("recursive-doubling", p)):
        before = counts.copy()
        for source, destination, size in flows:
            assert size == BYTES
            whole = (before[source] == 1).all()
            counts[destination] = before[source] if whole else counts[destination] + before[source]
    assert (counts == 1).all()


@pytest.mark.parametrize("p", RANKS)
def test_recursive_halving_exchanges_what_the_other_keeps(p):
    blocks = 2 ** (p.bit_length() - 1)
    counts = fresh(p, blocks)
    kept = [range(blocks)] * p  # what a rank still adds up
    for flows in steps(made("recursive-halving", p)):
        before, had = counts.copy(), list(kept)
        for source, destination, size in flows:
            done = [b for b in range(blocks) if (before[source, b] == 1).all()]
            if done:
                sent = done  # on the way back, or to a rank that was stood in for
            elif (destination, source, size) in flows:
                half = len(had[destination]) // 2
                assert had[destination] == had[source]
                lower = destination < source
                sent = kept[destination] = had[destination][:half] if lower else had[destination][half:]
            else:
                sent = range(blocks)
                kept[source] = range(0)
            assert size == (BYTES if len(sent) == blocks else len(sent) * part(BYTES, blocks))
            for block in sent:
                complete = (before[source, block] == 1).all()
                counts[destination, block] = before[source, block] + (
                    0 if complete else counts[destination, block]
                )
    assert (counts == 1).all()


def nccl_children(p):
    """Children of each rank in the first tree, as ncclGetBtree counts them."""
    children = []
    for rank in range(p):
        bit = 1
        while bit < p and not bit & rank:
            bit <<= 1
        low = bit >> 1
        if rank == 0:
            children.append([low] if p > 1 else [])
            continue
        below = [rank - low] if low else []
        upper = low
        while upper and rank + upper >= p:
            upper >>= 1
        children.append(below + ([rank + upper] if upper else []))
    return children


@pytest.mark.parametrize("pieces", [1, 2, 40])
@pytest.mark.parametrize("p", RANKS)
def test_a_double_tree_is_nccls_and_delivers(p, pieces):
    first = nccl_children(p)
    move = (lambda r: p - 1 - r) if p % 2 == 0 else (lambda r: (r + 1) % p)
    second = [[]] * p
    for rank in range(p):
        second[move(rank)] = [move(child) for child in first[rank]]
    trees = [first, second]
    counts = [fresh(p, pieces) for _ in trees]
    used = Counter()  # edges of a tree, up or down: pieces that they have carried
    pattern = made(f"double-tree:{pieces}", p)
    assert pattern.stages <= pattern.steps
    for flows in steps(pattern):
        before, had = [each.copy() for each in counts], used.copy()
        for source, destination, size in flows:
            assert size == part(part(BYTES, 2), pieces)
            for tree, up in itertools.product((0, 1), (True, False)):
                below = trees[tree]
                piece = had[tree, up, source, destination]
                if used[tree, up, source, destination] > piece or piece == pieces:
                    continue
                if up and source in below[destination]:
                    ready = all(had[tree, True, child, source] > piece for child in below[source])
                    value = counts[tree][destination, piece] + before[tree][source, piece]
                elif not up and destination in below[source]:
                    ready = (before[tree][source, piece] == 1).all()
                    value = before[tree][source, piece]
                else:
                    continue
                if ready:
                    counts[tree][destination, piece] = value
                    used[tree, up, source, destination] += 1
                    break
            else:
                pytest.fail(f"{source} -> {destination} is no edge that has something to send")
    assert all((each == 1).all() for each in counts)


@pytest.mark.parametrize("p", RANKS)
def test_binomial_trees(p):
    has = {0}
    for flows in steps(made("binomial-broadcast", p)):
        assert {source for source, _, _ in flows} <= has
        has |= {destination for _, destination, _ in flows}
    assert has == set(range(p))
    counts = fresh(p, 1)
    for flows in steps(made("binomial-reduce", p)):
        for source, destination, size in flows:
            assert size == BYTES
            counts[destination] += counts[source]
    assert (counts[0] == 1).all()
    assert made("binomial-reduce", p).steps == (p - 1).bit_length()


# --- all-to-all: blocks (source, destination) that a rank has ---------------------------------------------


def all_to_all(pattern, p, taken):
    """Play it; ``taken(held, source, destination, stage)``: the blocks that a message carries."""
    held = [{(rank, to) for to in range(p)} for rank in range(p)]
    for stage, flows in enumerate(steps(pattern)):
        moved = []
        for source, destination, size in flows:
            blocks = taken(held[source], source, destination, stage)
            assert size == len(blocks) * part(BYTES, p)
            moved.append((source, destination, blocks))
        for source, _, blocks in moved:
            held[source] -= blocks
        for _, destination, blocks in moved:
            held[destination] |= blocks
    assert held == [{(source, rank) for source in range(p)} for rank in range(p)]


@pytest.mark.parametrize("p", RANKS)
@pytest.mark.parametrize("name", ["pairwise", "all-to-all"])
def test_blocks_go_straight(name, p):
    all_to_all(made(name, p), p, lambda held, source, to, stage: {(source, to)} & held)


@pytest.mark.parametrize("p", RANKS)
def test_bruck_passes_blocks_on(p):
    def taken(held, source, to, stage):
        return {block for block in held if (block[1] - source) % p >> stage & 1}

    all_to_all(made("bruck", p), p, taken)
    assert made("bruck", p).stages == (p - 1).bit_length()


@pytest.mark.parametrize("p", RANKS)
def test_rails_are_kept_to_between_nodes(p):
    for k in (k for k in range(1, p + 1) if p % k == 0):

        def taken(held, source, to, stage, k=k):
            if source // k == to // k:
                return {block for block in held if block[1] % k == to % k}
            assert source % k == to % k
            return {block for block in held if block[1] // k == to // k}

        all_to_all(made(f"rail:{k}", p), p, taken)


@pytest.mark.parametrize("p", [1, 2, 5])
def test_a_chain_goes_forth_and_back(p):
    flows = [[(a, b) for a, b, _ in stage] for stage in steps(made("chain", p))]
    pairs = [(rank, rank + 1) for rank in range(p - 1)]
    assert flows == ([pairs, [(b, a) for a, b in pairs]] if p > 1 else [])


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


def test_rings_of_many_ranks_are_one_stage():
    kinds = [fabric.GroupKind("tensor", 8, "ring", 1), fabric.GroupKind("data", 8192, "ring", 1)]
    pattern = fabric.groups_pattern(65536, kinds)
    assert pattern.stages == 2
    assert [pattern.repeats(0), pattern.repeats(1)] == [14, 2 * 8191 - 14]
    assert len(pattern.flows(0)) == 2 * 65536


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


def test_nodes_have_the_contention_of_their_ranks():
    hosts = fabric.order_hosts(TREE, "random", seed=4)
    pattern = made("pairwise", 36)
    ranks = fabric.contention(ROUTES, pattern, np.repeat(hosts, 3).tolist())
    nodes = fabric.contention(ROUTES, fabric.node_pattern(pattern, 3), hosts)
    assert (ranks.flows, ranks.max_flows, ranks.mean_share) == (
        nodes.flows,
        nodes.max_flows,
        nodes.mean_share,
    )


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


# --- errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "p", "size", "says"),
    [
        ("rings", 4, 1, "no collective 'rings'; expected one of ring, recursive-halving"),
        ("ring", 0, 1, "ring of 0 ranks; expected at least 1"),
        ("ring", 4, -1, "ring of -1 bytes"),
        ("ring", 4, 2**62 + 1, "expected 0 to 2\\^62"),
        ("ring:4", 4, 1, "'ring:4'; ring takes no number"),
        ("rail", 4, 1, "'rail'; expected rail:K with a number from 1"),
        ("rail:3", 4, 1, "rail:3 of 4 ranks, which do not fill nodes of 3"),
        ("double-tree:0", 4, 1, "expected double-tree:C with a number"),
        ("double-tree:x", 4, 1, "expected double-tree:C with a number"),
    ],
)
def test_what_is_wrong_is_said(name, p, size, says):
    with pytest.raises(ArgumentError, match=says):
        made(name, p, size)


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
