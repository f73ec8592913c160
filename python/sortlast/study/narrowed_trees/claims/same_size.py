"""Section 4.1: networks of 4096 nodes, whose switches have 8 ports down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sortlast.study.narrowed_trees.claims import words
from sortlast.study.narrowed_trees.claims.claim import Claim, share, span
from sortlast.study.narrowed_trees.networks import SETS, SLENDER_2, SLENDER_4, THIN_2, THIN_4, Network
from sortlast.study.narrowed_trees.performance import Times

NARROWED = SETS["a"][1:]
Test = tuple[bool | None, str]


def blocks(times: Times, which: str, nets: tuple[Network, ...]) -> NDArray[np.float64]:
    """T of all patterns and sizes: array (networks, patterns, sizes)."""
    return np.array([times.block(which, net) for net in nets])


def _light(times: Times) -> Test:
    slow = []
    worst = 0.0
    for net in NARROWED:
        values = times.block("a", net, words.LIGHT, words.SHORT)
        worst = max(worst, float(values.max()))
        if values.max() > words.ACCEPTABLE:
            slow.append(f"{net.name} up to {values.max():.2f}")
    return not slow, "; ".join(slow) or f"slowest relative time {worst:.2f}"


def _slender_tree_messages(times: Times) -> Test:
    small = [times.relative("a", net, "BT", 10) for net in (SLENDER_2, SLENDER_4)]
    thin = [times.relative("a", net, "BT", 10) for net in (THIN_2, THIN_4)]
    holds = min(small) > 1 + words.NOISE and min(small) > max(thin)
    return holds, (
        f"BT, 10 B: {SLENDER_2.name} {small[0]:.3f}, {SLENDER_4.name} {small[1]:.3f}; "
        f"thin-trees {thin[0]:.3f} and {thin[1]:.3f}"
    )


def _thin_never_faster(times: Times) -> Test:
    values = blocks(times, "a", (THIN_2, THIN_4))
    faster, text = share(values < 1 - words.NOISE)
    return faster == 0, f"faster in {text}; least relative time {values.min():.3f}"


def _slender_sometimes_faster(times: Times) -> Test:
    values = blocks(times, "a", (SLENDER_2, SLENDER_4))
    faster, text = share(values < 1 - words.NOISE)
    return faster > 0, f"faster in {text}; least relative time {values.min():.3f}"


def _narrower_is_slower(times: Times) -> Test:
    wide = blocks(times, "a", (THIN_2, SLENDER_2))
    narrow = blocks(times, "a", (THIN_4, SLENDER_4))
    part, text = share(narrow > wide * words.AS_WELL)
    return part >= words.ALMOST_ALL, f"4:1 is over {words.AS_WELL - 1:.0%} slower than 2:1 in {text}"


def _fat_is_best(times: Times) -> Test:
    least = blocks(times, "a", NARROWED).min(axis=0)
    part, text = share(least >= 1 - words.NOISE)
    return part >= words.ALMOST_ALL, f"none is faster in {text}"


def _two_to_one_as_well(times: Times) -> Test:
    part, text = share(blocks(times, "a", (THIN_2, SLENDER_2)) <= words.AS_WELL)
    return part >= words.MANY, f"2:1 is as good in {text}"


def _two_to_one_better(times: Times) -> Test:
    part, text = share(blocks(times, "a", (THIN_2, SLENDER_2)) < 1 - words.NOISE)
    return part > 0, f"2:1 is faster in {text}"


def _four_to_one_contended(times: Times) -> Test:
    heavy = [times.block("a", net, words.HEAVY) for net in (THIN_4, SLENDER_4)]
    wide = [times.block("a", net, words.HEAVY) for net in (THIN_2, SLENDER_2)]
    ratio = np.array(heavy) / np.array(wide)
    return bool(np.median(ratio) >= words.TOO_SLOW), (
        f"on 2M, 3M and BU 4:1 takes {span(ratio)} times as long as 2:1, median {np.median(ratio):.2f}"
    )


def _thin_beats_slender(times: Times) -> Test:
    thin = blocks(times, "a", (THIN_2, THIN_4))
    slender = blocks(times, "a", (SLENDER_2, SLENDER_4))
    part, text = share(thin < slender)
    return part >= words.ALMOST_ALL, f"thin is faster than slender in {text}"


SAME_SIZE = (
    Claim(
        "4.1",
        "Thin-trees and slender-trees perform acceptably on light patterns with short messages.",
        _light,
        words.SHORT,
    ),
    Claim(
        "4.1",
        "Slender-trees do badly on BT with small messages: their paths are longer.",
        _slender_tree_messages,
        (10,),
    ),
    Claim(
        "4.1", "A thin-tree cannot be faster than the fat-tree with as many ports down.", _thin_never_faster
    ),
    Claim("4.1", "In some cases a slender-tree is faster than the fat-tree.", _slender_sometimes_faster),
    Claim("4.1", "2:1 is notably better than 4:1 in almost all cases.", _narrower_is_slower),
    Claim("4.1", "The fat-tree is the best in almost all experiments.", _fat_is_best),
    Claim("4.1", "In many cases networks narrowed 2:1 perform equally well.", _two_to_one_as_well),
    Claim("4.1", "In some cases networks narrowed 2:1 are even better.", _two_to_one_better),
    Claim("4.1", "Narrowing beyond 2:1 causes contention and clearly worse times.", _four_to_one_contended),
    Claim("4.1", "In almost all cases thin-trees are faster than slender-trees.", _thin_beats_slender),
)
