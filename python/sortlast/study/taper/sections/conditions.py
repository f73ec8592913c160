"""The sections on what else decides: placement, random tasks, leaves, and missing cables."""

from __future__ import annotations

from sortlast.study.document import Block, Grid, Heading, Paragraph, Picture
from sortlast.study.narrowed_trees.cost import cost_per_node
from sortlast.study.narrowed_trees.networks import Network
from sortlast.study.narrowed_trees.workloads import PATTERNS, size_name
from sortlast.study.study import Results
from sortlast.study.taper import failures, leaves, patterns, placement, trees
from sortlast.study.taper.choice import NODE_PRICES, label
from sortlast.study.taper.frames import SCHEDULES

FAILURES = Picture(
    "failures",
    "Frames a second on 512 nodes when links between switches are missing, mean over the seeds and down to "
    "the worst of them, over those of the intact tree with the tables of ftree. minhop is what OpenSM falls "
    "back to when ftree refuses a tree that is not regular.",
)


def placement_blocks(results: Results, quick: bool) -> list[Block]:
    """What a scheduler takes away."""
    networks = placement.networks(quick)
    per_cost = []
    for placed in placement.placements(max(placement.jobs(quick))):
        for net in networks:
            values = [
                _per_cost(results, net, placed, schedule, quick)
                / _per_cost(results, networks[0], placed, schedule, quick)
                for schedule in SCHEDULES
            ]
            per_cost.append([placed, label(net), *(f"{value:.2f}" for value in values)])
    meaning = [[name, about] for name, about in placement.PLACEMENTS.items()]
    shares, thin = [], []
    for job in placement.jobs(quick):
        for placed in placement.placements(job):
            for net in networks:
                cells = []
                for schedule in SCHEDULES:
                    best, _ = placement.fps(results, net, job, placement.ORDER, schedule, quick)
                    mean, least = placement.fps(results, net, job, placed, schedule, quick)
                    rate = f"{mean:.0f}/s" if placed == placement.ORDER else f"{mean / best:.0%}"
                    cells.append(rate if mean == least else f"{rate} ({least / best:.0%})")
                shares.append([str(job), placed, label(net), *cells])
            for net in networks[1:]:
                ratios = [
                    placement.fps(results, net, job, placed, schedule, quick)[0]
                    / placement.fps(results, networks[0], job, placed, schedule, quick)[0]
                    for schedule in SCHEDULES
                ]
                thin.append([str(job), placed, label(net), *(f"{ratio:.2f}" for ratio in ratios)])
    return [
        Heading("Placement"),
        Paragraph(
            "Jobs on a part of the machine or all of it, by packets on the tables of ftree; other jobs hold "
            "nodes but send nothing. In order: frames a second; else percent of them, the mean over the "
            "seeds and in brackets the least."
        ),
        Grid("Placements", ["", "nodes and ranks"], meaning, first_number=2),
        Grid(
            "Frames a second by placement",
            ["ranks", "placement", "tree", *SCHEDULES],
            shares,
            first_number=3,
        ),
        Grid(
            "Frames a second over those of the fat-tree with the same placement",
            ["ranks", "placement", "tree", *SCHEDULES],
            thin,
            first_number=3,
        ),
        Grid(
            f"Frames a second per cost of the network, fat-tree = 1, {max(placement.jobs(quick))} ranks",
            ["placement", "tree", *SCHEDULES],
            per_cost,
            first_number=2,
        ),
    ]


def _per_cost(results: Results, net: Network, placed: str, schedule: str, quick: bool) -> float:
    """Frames a second of the largest job per dollar of the network."""
    job = max(placement.jobs(quick))
    return placement.fps(results, net, job, placed, schedule, quick)[0] / trees.by_square(net)


def pattern_blocks(results: Results, quick: bool) -> list[Block]:
    """The seven patterns on random nodes."""
    fat, thin = patterns.NETWORKS
    rows, sums = [], dict.fromkeys(patterns.ORDERS, 0.0)
    for name in PATTERNS:
        cycles = {
            (net, order): patterns.cycles(results, net, order, name, quick)
            for net in patterns.NETWORKS
            for order in patterns.ORDERS
        }
        ratios = [cycles[thin, order] / cycles[fat, order] for order in patterns.ORDERS]
        for order, ratio in zip(patterns.ORDERS, ratios, strict=True):
            sums[order] += ratio
        rows.append([name, *(f"{value:,.0f}" for value in cycles.values()), *(f"{r:.2f}" for r in ratios)])
    relative_cost = cost_per_node(thin, "CN") / cost_per_node(fat, "CN")
    performance = [len(PATTERNS) / sums[order] for order in patterns.ORDERS]
    rows.append(["sum", *[""] * 4, *(f"{sums[order]:.2f}" for order in patterns.ORDERS)])
    rows.append(["φ, fat-tree = 1", *[""] * 4, *(f"{value:.2f}" for value in performance)])
    rows.append(["φ per cost", *[""] * 4, *(f"{value / relative_cost:.2f}" for value in performance)])
    columns = [f"{label(net)}, {order}" for net in patterns.NETWORKS for order in patterns.ORDERS]
    return [
        Heading("The patterns of Navaridas et al. on random nodes"),
        Paragraph(
            "Their section 5.3 leaves open how much the fat-tree gains on the thin-tree when tasks are not "
            f"in order. Cycles of {size_name(patterns.SIZE)} messages on {fat.name} and {thin.name}, "
            "adaptive packets, tasks in routing order and on nodes drawn at random; then the time on the "
            "thin-tree over that on the fat-tree. Equal weights, cost by the paper: φ per cost goes from "
            f"{performance[0] / relative_cost:.2f} to {performance[1] / relative_cost:.2f}."
        ),
        Grid(
            "Seven patterns, in order and at random",
            ["", *columns, "8:4 / 8:8, routing", "8:4 / 8:8, random"],
            rows,
        ),
    ]


def leaf_blocks(results: Results, quick: bool) -> list[Block]:
    """GPUs, their adapters, and the size of leaves."""
    gpu_price = NODE_PRICES[2]
    rows = []
    for plant in leaves.plants(quick):
        rates = [leaves.fps(results, plant, schedule) for schedule in leaves.SCHEDULES]
        cost = leaves.cost_per_gpu(plant)
        rows.append(
            [
                str(plant.gpus),
                plant.cabling,
                f"{plant.down}:{plant.up}" if plant.leaves > 1 else f"{plant.down}, no spine",
                f"{cost:.0f}",
                *(f"{rate:.1f}" for rate in rates),
                f"{1000 * max(rates) / cost:.1f}",
                f"{1000 * max(rates) / (cost + gpu_price):.1f}",
            ]
        )
    cabling = [[name, about] for name, about in leaves.CABLING.items()]
    return [
        Heading("Leaves of nodes with several GPUs"),
        Paragraph(
            f"{leaves.GPUS} GPUs, each a rank, as flows, whole frames. The GPUs of a node reach each other "
            "inside it, at the rate of an adapter, which is modest for today's nodes; so rails meet inside "
            "the node as well as in the spine. Switches and cables from the adapters upward are paid for, "
            "adapters are not. A leaf has as many ports down as named first, and up as named second."
        ),
        Grid("Cabling", ["", "what it is"], cabling, first_number=2),
        Grid(
            "Frames a second by leaf",
            [
                "GPUs a node",
                "cabling",
                "leaf",
                "$/GPU",
                *leaves.SCHEDULES,
                "best per $1000",
                f"with GPUs of ${gpu_price:,}",
            ],
            rows,
            first_number=3,
        ),
    ]


def failure_blocks(results: Results, quick: bool) -> list[Block]:
    """Missing cables."""
    rows = []
    for net in failures.networks(quick):
        for schedule in failures.SCHEDULES:
            intact = failures.intact(results, net, schedule, quick)
            for routing in failures.ROUTINGS:
                found = [
                    failures.fps(results, net, percent, routing, schedule, quick)
                    for percent in failures.shares(quick)
                ]
                cells = [f"{mean / intact:.0%} ({least / intact:.0%})" for mean, least in found]
                rows.append([label(net), schedule, routing, *cells])
    return [
        Heading("Missing cables"),
        Paragraph(
            "A share of the links between switches is missing, drawn at random; packets, all 512 nodes in "
            "order. Percent of the frames a second of the intact tree with the tables of ftree: mean over "
            "the seeds, in brackets the worst. On a tree that is not regular OpenSM leaves ftree for minhop, "
            "which puts many flows of a shift on one link even where no cable is missing; told the roots "
            "it keeps to ftree."
        ),
        FAILURES,
        Grid(
            "Frames a second with missing links",
            ["tree", "schedule", "routing", *(f"{percent} %" for percent in failures.shares(quick))],
            rows,
            first_number=3,
        ),
    ]
