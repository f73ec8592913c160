"""Section 5: cost, performance, and the ratio of the two."""

from __future__ import annotations

from sortlast.study.narrowed_trees.claims import words
from sortlast.study.narrowed_trees.claims.claim import Claim
from sortlast.study.narrowed_trees.claims.same_size import Test
from sortlast.study.narrowed_trees.cost import cost_per_node
from sortlast.study.narrowed_trees.networks import (
    FAT,
    FAT_12,
    SETS,
    SLENDER_2,
    SLENDER_3,
    SLENDER_4,
    THIN_2,
    THIN_3,
    THIN_4,
    Network,
)
from sortlast.study.narrowed_trees.performance import COLLECTIVES, EQUAL, LONG_MESSAGES, Times, Weights


def phi(times: Times, which: str, net: Network, weights: Weights = EQUAL) -> float:
    """Normalized φ of what was simulated."""
    found = times.performance(which, net, weights)
    if found is None:
        raise AssertionError("a claim that needs these sizes is judged without them")
    return found


def ratio(times: Times, which: str, net: Network, count: str, weights: Weights = EQUAL) -> float:
    """Performance per cost, 1 for the fat-tree of the set."""
    price = cost_per_node(net, count) / cost_per_node(SETS[which][0], count)
    return phi(times, which, net, weights) / price


def _listed(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in values.items())


def _a_third(_: Times) -> Test:
    parts = {
        f"{net.name} ({count})": cost_per_node(net, count) / cost_per_node(fat, count)
        for fat, count in ((FAT, "CN"), (FAT_12, "U"))
        for net in (THIN_2, SLENDER_2)
    }
    return max(parts.values()) < 1 / 3, "cost per node over that of the fat-tree: " + _listed(parts)


def _further_savings(_: Times) -> Test:
    first = cost_per_node(THIN_2, "CN") / cost_per_node(FAT, "CN")
    second = cost_per_node(THIN_4, "CN") / cost_per_node(THIN_2, "CN")
    return (
        second > first,
        f"from 1:1 to 2:1 cost falls to {first:.2f}, from 2:1 to 4:1 to {second:.2f} of that",
    )


def _pairs(count: str) -> dict[str, float]:
    """Cost per node of slender-trees over that of thin-trees."""
    return {
        f"{slender.name}": cost_per_node(slender, count) / cost_per_node(thin, count)
        for thin, slender in ((THIN_2, SLENDER_2), (THIN_4, SLENDER_4), (THIN_3, SLENDER_3))
    }


def _similar(_: Times) -> Test:
    pairs = _pairs("CN")
    return max(abs(value - 1) for value in pairs.values()) <= words.SIMILAR_COST, (
        "slender over thin, complete networks: " + _three(pairs)
    )


def _thin_cheaper(_: Times) -> Test:
    complete, window = _pairs("CN"), _pairs("U")
    holds = min(*complete.values(), *window.values()) > 1
    return holds, f"slender over thin, complete: {_three(complete)}; used: {_three(window)}"


def _three(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items())


def _best_of(times: Times, which: str, weights: Weights) -> tuple[Network, str]:
    values = {net: phi(times, which, net, weights) for net in SETS[which]}
    best = max(values, key=lambda net: values[net])
    return best, "φ: " + _listed({net.name: value for net, value in values.items()})


def _best_ratio_of(times: Times, which: str, count: str, weights: Weights) -> tuple[Network, str]:
    values = {net: ratio(times, which, net, count, weights) for net in SETS[which]}
    best = max(values, key=lambda net: values[net])
    return best, "φ per cost: " + _listed({net.name: value for net, value in values.items()})


def _fat_first(times: Times) -> Test:
    best, text = _best_of(times, "a", EQUAL)
    return best is FAT, text


def _two_best(times: Times) -> Test:
    _, text = _best_of(times, "b", EQUAL)
    thin = phi(times, "b", THIN_2)
    others = max(phi(times, "b", net) for net in SETS["b"][2:])
    return 1 / words.AS_WELL <= thin <= words.AS_WELL and others < min(1, thin), text


def _quarter(times: Times) -> Test:
    thin = phi(times, "b", THIN_2)
    price = cost_per_node(FAT_12, "U") / cost_per_node(THIN_2, "U")
    return thin >= 1 / words.AS_WELL and 3.5 <= price <= 4.5, f"φ {thin:.2f} at 1/{price:.2f} of the cost"


def _others_pay(which: str, count: str) -> Claim:
    def test(times: Times) -> Test:
        others = [net for net in SETS[which][1:] if net is not THIN_2]
        gains = {net.name: ratio(times, which, net, count) for net in others}
        slower = all(phi(times, which, net) < 1 for net in others)
        return min(gains.values()) > 1 and slower, "φ per cost: " + _listed(gains)

    where = "same size" if which == "a" else "same radix"
    text = (
        f"The other narrowed trees have more performance per cost than the fat-tree, by cost alone ({where})."
    )
    return Claim("5.3", text, test)


def _collectives_raw(times: Times) -> Test:
    best, text = _best_of(times, "a", COLLECTIVES)
    return best is FAT, text


def _collectives_cost(times: Times) -> Test:
    best, text = _best_ratio_of(times, "a", "CN", COLLECTIVES)
    return best is THIN_2, text


def _science_raw(times: Times) -> Test:
    best, text = _best_of(times, "b", LONG_MESSAGES)
    return best is THIN_2, text


def _science_cost(times: Times) -> Test:
    best, text = _best_ratio_of(times, "b", "U", LONG_MESSAGES)
    return best is THIN_2, text


def _not_here(figure: str) -> Test:
    return None, figure


LONGEST = (100_000,)
PERFORMANCE_COST = (
    Claim("5.1", "Narrowing 2:1 brings the price below a third.", _a_third, ()),
    Claim("5.1", "Narrowing further saves less.", _further_savings, ()),
    Claim("5.1", "Comparable narrowed trees cost about the same.", _similar, ()),
    Claim("5.1", "Thin-trees are slightly cheaper than comparable slender-trees.", _thin_cheaper, ()),
    Claim("5.2", "Of the networks of same size the fat-tree performs best.", _fat_first),
    Claim(
        "5.2", "Of those of same radix 6,5-fat-tree and 8:4,4-thin-tree are best, almost alike.", _two_best
    ),
    Claim("5.3", "The 8:4,4-thin-tree performs as the 6,5-fat-tree at a fourth of the cost.", _quarter),
    _others_pay("a", "CN"),
    _others_pay("b", "U"),
    Claim("5.3", "For collectives (Table 5a) the fat-tree performs best.", _collectives_raw),
    Claim("5.3", "For collectives the 2:1 thin-tree gives most performance per cost.", _collectives_cost),
    Claim("5.3", "For long messages (Table 5b) the 2:1 thin-tree performs best.", _science_raw, LONGEST),
    Claim(
        "5.3", "For long messages the 2:1 thin-tree gives most performance per cost.", _science_cost, LONGEST
    ),
    Claim(
        "5.3",
        "Computation and input dilute the benefit of the more expensive networks.",
        lambda _: _not_here("the workloads have no computation and no input"),
        (),
    ),
    Claim(
        "5.3",
        "Where tasks are placed without regard to locality, the advantage of narrowed trees disappears.",
        lambda _: _not_here("all tasks are placed in order here"),
        (),
    ),
)
