"""The sections on taper: what the trees cost, frames a second, and frames per cost."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast.study.document import Block, Grid, Heading, Paragraph, Picture
from sortlast.study.narrowed_trees.networks import Network
from sortlast.study.study import Results
from sortlast.study.taper import sweep, trees
from sortlast.study.taper.choice import SAME, label
from sortlast.study.taper.frames import ADAPTIVE, FLOW, FRAME, SCHEDULES, TABLES, Way

PICTURE = Picture(
    "taper",
    "Frames a second of each schedule on thin-trees of 512 nodes, and the same over the cost of the network "
    "(cost by the square of ports, nodes not included). 2-3 swap is binary swap where p is a power of two.",
)

_TO_ALL = ("shift", "direct-send")  # schedules in which every rank sends to every other


def blocks(results: Results, quick: bool) -> list[Block]:
    """The sections on taper."""
    networks = [*sweep.networks(quick), *sweep.slender(quick)]
    found: list[Block] = [
        Heading("Performance and cost against taper"),
        _costs([*networks, *sweep.large(quick)]),
        PICTURE,
        Paragraph(
            "Between 1:1 and 2:1 static routes win little for shift and direct-send: a table cannot deal "
            "eight destinations to seven links evenly, some link carries two flows, and the slowest sets the "
            "pace. Swaps and radix-k, whose early rounds stay below a leaf and whose late rounds are small, "
            "lose slowly; the pipeline, where each rank sends to its neighbour, loses hardly anything and is "
            "slow everywhere, because an operator that does not commute makes it send up to twice the bytes."
        ),
    ]
    for way in sweep.ways(quick):
        if way is not FLOW:
            found += [_rates(results, way, networks), _per_cost(results, way, networks)]
    if not quick:
        found += [*_agreement(results), *_large(results)]
    return found


def _costs(networks: Sequence[Network]) -> Grid:
    rows = []
    for net in networks:
        whole = trees.topology(net.name)
        square, port = trees.by_square(net), trees.by_port(net)
        rows.append(
            [
                net.name,
                trees.taper(net),
                str(net.nodes),
                str(net.radix),
                str(len(whole.switches)),
                str(len(whole.links)),
                f"{square:.0f}",
                f"{port:.0f}",
            ]
        )
    head = ["network", "taper", "nodes", "ports", "switches", "links", "$/node", "$/node, by port"]
    return Grid("The trees and their price", head, rows)


def _rates(results: Results, way: Way, networks: Sequence[Network]) -> Grid:
    rows = [
        [schedule, *(f"{sweep.fps(results, way, net, schedule):.1f}" for net in networks)]
        for schedule in SCHEDULES
    ]
    rows.append(
        [
            "best radix-k",
            *(sweep.algorithm(results, way, net, "radix-k").removeprefix("radix-k:") for net in networks),
        ]
    )
    return Grid(f"Frames a second: {way.about}", ["", *map(label, networks)], rows)


def _per_cost(results: Results, way: Way, networks: Sequence[Network]) -> Grid:
    def value(net: Network, schedule: str) -> float:
        return sweep.fps(results, way, net, schedule) / trees.by_square(net)

    rows = [
        [
            schedule,
            *(f"{value(net, schedule) / value(trees.REFERENCE, schedule):.2f}" for net in networks),
            label(max(networks, key=lambda net: value(net, schedule))),
        ]
        for schedule in SCHEDULES
    ]
    title = f"Frames a second per cost of the network, fat-tree = 1: {way.about}"
    return Grid(title, ["", *map(label, networks), "best"], rows)


def _agreement(results: Results) -> list[Block]:
    networks = sweep.networks(False)
    grids = [
        Grid(
            f"Frames a second over those of flows: {way.about}",
            ["", *map(label, networks)],
            [
                [schedule, *(f"{each:.2f}" for each in _over(results, way, FLOW, schedule).values())]
                for schedule in SCHEDULES
            ],
        )
        for way in (TABLES, ADAPTIVE)
    ]
    return [
        Paragraph(
            "Flows on the same tables leave out that packets for a crowded link or host hold up those behind "
            f"them. {_by_tables(results)} {_adaptive(results)}"
        ),
        *grids,
    ]


def _by_tables(results: Results) -> str:
    """What packets by the tables reach of the flows' frames, with the reasons of the greatest losses."""
    over = {schedule: list(_over(results, TABLES, FLOW, schedule).values()) for schedule in SCHEDULES}
    radix = over.pop("radix-k")
    (shift, *shifts), (direct, *directs) = (over.pop(schedule) for schedule in _TO_ALL)
    others = [each for of in over.values() for each in of]
    return (
        f"Packets by the tables reach {_range(radix)} of the flows' frames a second with radix-k, whose "
        "ranks send to the members of their group in the same order; on the fat-tree and on thinner trees, "
        f"where flows share links, {shift:.2f} and {_range(shifts)} with shift, {direct:.2f} and "
        f"{_range(directs)} with direct-send; {_range(others)} with the other schedules. A piece of shift is "
        "two packets here, so that even on the fat-tree the way there counts."
    )


def _adaptive(results: Results) -> str:
    """What adaptive packets gain on thinner trees, and which schedules lose on the fat-tree."""
    over = {schedule: list(_over(results, ADAPTIVE, TABLES, schedule).values()) for schedule in SCHEDULES}
    losing = [f"{name} {first:.2f}" for name, (first, *_) in over.items() if first < 1 - SAME]
    left = f"only part of the frames is left: {', '.join(losing)}" if losing else "no schedule loses frames"
    shift, direct = (over.pop(schedule)[1:] for schedule in _TO_ALL)
    others = [each for of in over.values() for each in of[1:]]
    return (
        "Adaptive packets leave the tables, which on thinner trees put two flows on a link: there they make "
        f"{_range(shift)} times the frames of packets by the tables with shift, {_range(direct)} with "
        f"direct-send, {_range(others)} with the others. On the fat-tree the tables of ftree are free of "
        f"contention for shifts; without them {left}."
    )


def _over(results: Results, way: Way, other: Way, schedule: str) -> dict[Network, float]:
    """Frames a second of one way over those of another, by tree, the fat-tree first."""
    return {
        net: sweep.fps(results, way, net, schedule) / sweep.fps(results, other, net, schedule)
        for net in sweep.networks(False)
    }


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"


def _large(results: Results) -> list[Block]:
    networks = sweep.large(False)
    rows = []
    for schedule in sweep.FEW_MESSAGES:
        rates = [sweep.fps(results, FRAME, net, schedule) for net in networks]
        values = [rate / trees.by_square(net) for rate, net in zip(rates, networks, strict=True)]
        rows.append([schedule, "frames/s", *(f"{rate:.1f}" for rate in rates)])
        rows.append(["", "per cost", *(f"{value / values[0]:.2f}" for value in values)])
    return [
        Paragraph(
            "On 4096 nodes the trees of set a of the paper are among them. Shift, direct-send and pipeline "
            "have 16.8 million messages a frame there and are left out."
        ),
        Grid(f"4096 nodes: {FRAME.about}", ["", "", *map(label, networks)], rows, first_number=2),
    ]
