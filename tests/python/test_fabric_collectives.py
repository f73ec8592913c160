"""Collectives as patterns: played with symbols, every contribution and every block arrives."""

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
def test_a_double_tree_is_that_of_nccl_and_delivers(p, pieces):
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
