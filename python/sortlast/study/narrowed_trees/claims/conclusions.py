"""Section 6: what the paper concludes."""

from __future__ import annotations

import numpy as np

from sortlast.study.narrowed_trees.claims import words
from sortlast.study.narrowed_trees.claims.claim import Claim, share
from sortlast.study.narrowed_trees.claims.performance_cost import phi, ratio
from sortlast.study.narrowed_trees.claims.same_size import Test
from sortlast.study.narrowed_trees.cost import cost_per_node
from sortlast.study.narrowed_trees.networks import SETS, THIN_2, THIN_3, THIN_4
from sortlast.study.narrowed_trees.performance import COLLECTIVES, EQUAL, LONG_MESSAGES, Times


def _fraction(_: Times) -> Test:
    parts = [
        cost_per_node(net, count) / cost_per_node(SETS[which][0], count)
        for which, count in (("a", "CN"), ("b", "CN"), ("b", "U"))
        for net in SETS[which][1:]
    ]
    return max(parts) < 1 / 3, f"{min(parts):.2f} to {max(parts):.2f} of the fat-tree's cost per node"


def _thin_as_well(times: Times) -> Test:
    same_size, same_radix = phi(times, "a", THIN_2), phi(times, "b", THIN_2)
    return min(same_size, same_radix) >= 1 / words.AS_WELL, (
        f"φ of the 8:4,4-thin-tree {same_size:.2f} for same size, {same_radix:.2f} for same radix"
    )


def _excessive(times: Times) -> Test:
    values = {"8:2,4-thin-tree": phi(times, "a", THIN_4), "9:3,4-thin-tree": phi(times, "b", THIN_3)}
    text = ", ".join(f"{name} {value:.2f}" for name, value in values.items())
    return max(values.values()) <= 1 / words.TOO_SLOW, f"φ: {text}"


def _always_pays(times: Times) -> Test:
    studied = (
        ("4a", "a", "CN", EQUAL),
        ("4b", "b", "CN", EQUAL),
        ("4b", "b", "U", EQUAL),
        ("5a", "a", "CN", COLLECTIVES),
        ("5b", "b", "U", LONG_MESSAGES),
    )
    below = [
        f"{net.name} {value:.2f} (Table {table})"
        for table, which, count, weights in studied
        if times.performance(which, SETS[which][0], weights) is not None
        for net in SETS[which][1:]
        if (value := ratio(times, which, net, count, weights)) <= 1
    ]
    return not below, "at or below the fat-tree: " + ", ".join(below) if below else "above 1 in all cases"


def _locality(times: Times) -> Test:
    values = np.array([times.block("b", net) for net in SETS["b"][1:]])
    _, kept = share(values <= words.AS_WELL)
    faster, better = share(values < 1 - words.NOISE)
    return faster > 0, f"same radix: as well in {kept}, faster in {better}"


CONCLUSIONS = (
    Claim("6", "Every narrowed tree studied costs less than a third of the fat-tree.", _fraction, ()),
    Claim("6", "Thin-trees of low over-subscription perform as well as comparable fat-trees.", _thin_as_well),
    Claim("6", "Over-subscription beyond 2:1 performs badly.", _excessive),
    Claim("6", "Performance per cost favours narrowed trees in all studied cases.", _always_pays),
    Claim("6", "Locality keeps or raises performance after links and switches are removed.", _locality),
    Claim(
        "6",
        "Without a scheduler that knows the network the advantage is lost.",
        lambda _: (None, "all tasks are placed in order here"),
        (),
    ),
)
