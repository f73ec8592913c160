"""Section 4.2: networks of switches with 12 ports, of which 4096 central nodes are used."""

from __future__ import annotations

import numpy as np

from sortlast.study.narrowed_trees.claims import words
from sortlast.study.narrowed_trees.claims.claim import Claim, share, span
from sortlast.study.narrowed_trees.claims.same_size import Test, blocks
from sortlast.study.narrowed_trees.networks import SETS, SLENDER_2, SLENDER_3, THIN_2, THIN_3
from sortlast.study.narrowed_trees.performance import Times

NARROWED = SETS["b"][1:]


def _often_faster(times: Times) -> Test:
    values = blocks(times, "b", NARROWED)
    part, text = share(values < 1 - words.NOISE)
    each = [
        f"{net.name} in {share(of_net < 1 - words.NOISE)[1]}"
        for net, of_net in zip(NARROWED, values, strict=True)
    ]
    return part >= words.MANY, f"faster in {text}: " + ", ".join(each)


def _long_butterfly(times: Times) -> Test:
    values = {size: times.relative("b", THIN_2, "BU", size) for size in words.LONG}
    return all(value < 1 for value in values.values()), (
        f"relative time of BU {values[10_000]:.2f} at 10 KB, {values[100_000]:.2f} at 100 KB"
    )


def _thin_beats_slender(times: Times) -> Test:
    part, text = share(blocks(times, "b", (THIN_2, THIN_3)) < blocks(times, "b", (SLENDER_2, SLENDER_3)))
    return part > words.MOST, f"thin is faster than slender in {text}"


def _waterfall(times: Times) -> Test:
    values = np.array([times.block("b", net, ("WF",)) for net in NARROWED])
    part, text = share(values <= words.AS_WELL)
    return part > words.MOST, f"as fast as the fat-tree in {text}; relative times {span(values)}"


def _narrowest_heavy(times: Times) -> Test:
    values = np.array([times.block("b", net, words.HEAVY) for net in (THIN_3, SLENDER_3)])
    part, text = share(values >= words.TOO_SLOW)
    return part > words.MOST, f"too slow in {text}; relative times {span(values)}"


def _narrowest_light(times: Times) -> Test:
    values = np.array([times.block("b", net, words.LIGHT) for net in (THIN_3, SLENDER_3)])
    part, text = share(values <= words.ACCEPTABLE)
    return part >= words.ALMOST_ALL, f"acceptable in {text}; relative times {span(values)}"


def _light_alike(times: Times) -> Test:
    values = np.array([times.block("b", net, words.LIGHT) for net in NARROWED])
    alike = (values <= words.NO_DIFFERENCE) & (values >= 1 / words.NO_DIFFERENCE)
    part, text = share(alike)
    return part >= words.ALMOST_ALL, f"within 10% in {text}; relative times {span(values)}"


def _heavy_two_to_one(times: Times) -> Test:
    values = np.array([times.block("b", net, words.HEAVY) for net in (THIN_2, SLENDER_2)])
    part, text = share(values <= words.AS_WELL)
    thin = share(values[0] <= words.AS_WELL)[1]
    return part > words.MOST, (
        f"as well in {text}, the thin-tree in {thin}; relative times {span(values[0])} and {span(values[1])}"
    )


def _beyond_two_to_one(times: Times) -> Test:
    ratio = np.array([times.block("b", net, words.HEAVY) for net in (THIN_3, SLENDER_3)]) / np.array(
        [times.block("b", net, words.HEAVY) for net in (THIN_2, SLENDER_2)]
    )
    part, text = share(ratio > words.AS_WELL)
    return part > words.MOST, f"3:1 is slower than 2:1 in {text}, {span(ratio)} times"


SAME_RADIX = (
    Claim("4.2", "Narrowed trees beat the fat-tree in many cases.", _often_faster),
    Claim(
        "4.2",
        "The 8:4,4-thin-tree is faster than the fat-tree on BU with long messages.",
        _long_butterfly,
        words.LONG,
    ),
    Claim(
        "4.2", "In most cases thin-trees are better than the comparable slender-trees.", _thin_beats_slender
    ),
    Claim("4.2", "Narrowed trees are excellent on WF.", _waterfall),
    Claim("4.2", "The narrowest networks (9:3) are too slow for the heavier workloads.", _narrowest_heavy),
    Claim("4.2", "The narrowest networks (9:3) are still good for the lighter workloads.", _narrowest_light),
    Claim("4.2", "For the lighter workloads there is almost no difference between networks.", _light_alike),
    Claim(
        "4.2",
        "On heavy loads 2:1, thin-trees above all, performs as well as the fat-tree or better.",
        _heavy_two_to_one,
    ),
    Claim("4.2", "Narrowing further is counterproductive on heavy loads.", _beyond_two_to_one),
)
