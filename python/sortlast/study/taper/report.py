"""The report: what to buy first, then what it rests on."""

from __future__ import annotations

from sortlast.study.document import Block, Document, Grid, Heading, Paragraph
from sortlast.study.study import Results
from sortlast.study.taper import choice, sweep, trees
from sortlast.study.taper.choice import label
from sortlast.study.taper.frames import (
    BLEND,
    FLOW,
    FRAME,
    LINK,
    PACKET_BYTES,
    PIXEL_BYTES,
    SCHEDULES,
    STAGE,
    WAYS,
)
from sortlast.study.taper.sections import conditions, taper

TITLE = "Taper: how narrow the tree of a visualization cluster may be"


def document(results: Results, quick: bool) -> Document:
    """The report on the results of all steps."""
    return Document(
        TITLE,
        [
            *_introduction(quick),
            *_choice(results, quick),
            *taper.blocks(results, quick),
            *conditions.placement_blocks(results, quick),
            *conditions.pattern_blocks(results, quick),
            *conditions.leaf_blocks(results, quick),
            *conditions.failure_blocks(results, quick),
        ],
    )


def _introduction(quick: bool) -> list[Block]:
    ways = [[way.name, way.about] for way in WAYS if way in sweep.ways(quick)]
    return [
        Paragraph(
            "Navaridas et al. ask what narrowed trees are worth for seven patterns of traffic; here the "
            "traffic is a frame of sort-last compositing. Everything is simulated, nothing is published: "
            "from the paper comes the cost model alone (section 5.1: a link $150, a switch of r ports "
            "5625/256 r^2 dollars, prices of 2007). The k:k',n-thin-tree has k ports down and k' up on every "
            "switch, so that a taper of 2:1 on three levels leaves a quarter of the bandwidth at the top."
        ),
        Paragraph(
            f"Links of {LINK / 1e9:g} GB/s, pixels of {PIXEL_BYTES} bytes, all of them active. Where they "
            f"take time a stage costs {STAGE * 1e6:g} us and blending goes at {BLEND / 1e9:g} GB/s. Packets "
            f"carry {PACKET_BYTES} bytes. Only frames that were simulated in the same way are compared."
        ),
        Grid("Ways of simulation", ["way", "what it is"], ways, first_number=2),
    ]


def _choice(results: Results, quick: bool) -> list[Block]:
    ways = [way for way in sweep.ways(quick) if way is not FLOW]
    prices = [f"node ${price:,}" for price in choice.NODE_PRICES]
    value, within = [], []
    for schedule in SCHEDULES:
        for way in ways:
            offered = choice.offers(results, way, schedule, quick)
            by_port = choice.offers(results, way, schedule, quick, trees.by_port)
            found = [choice.best_value(offered, price) for price in choice.NODE_PRICES]
            found.append(choice.best_value(by_port, choice.NODE_PRICES[2]))
            value.append([schedule, way.name, *(f"{label(best.net)} ({gain:.2f})" for best, gain in found)])
            cells = [choice.fastest_within(offered, budget) for budget in choice.BUDGETS]
            within.append([schedule, way.name, *(_share(best, offered[0].fps) for best in cells)])
    budgets = [f"${budget:,}" for budget in choice.BUDGETS]
    return [
        Heading("What to buy"),
        Paragraph(
            "Most frames a second for each dollar: which tree of 512 nodes, and in brackets how many times "
            "the frames per dollar of the fat-tree, 8:8. A dearer node makes a faster network worth its "
            "price. The last column prices switches by the port instead of its square, nodes at "
            f"${choice.NODE_PRICES[2]:,}."
        ),
        Grid(
            "Taper with the best performance per cost",
            ["schedule", "way", *prices, f"{prices[2]}, by port"],
            value,
            first_number=2,
        ),
        Paragraph(
            "Fastest within a budget for the network, in dollars a node: which tree, and its frames a second "
            f"in percent of the fat-tree's. Of trees within {choice.SAME:.0%} of the fastest the cheapest "
            "stands."
        ),
        Grid("Fastest tree within a budget", ["schedule", "way", *budgets], within, first_number=2),
        Paragraph(_advice(results, quick)),
    ]


def _share(best: choice.Offer | None, reference: float) -> str:
    return "none" if best is None else f"{label(best.net)} ({best.fps / reference:.0%})"


def _advice(results: Results, quick: bool) -> str:
    """Which schedule to run on which tree if both can be chosen, by whole frames."""
    parts = []
    for price in choice.NODE_PRICES:
        all_offers = [
            (offer.value(price), schedule, offer)
            for schedule in SCHEDULES
            for offer in choice.offers(results, FRAME, schedule, quick)
        ]
        _, schedule, best = max(all_offers, key=lambda found: found[0])
        parts.append(f"{label(best.net)} with {schedule} at ${price:,} a node ({best.fps:.1f} frames/s)")
    return "If the schedule can be chosen too, whole frames are cheapest on " + ", ".join(parts) + "."
