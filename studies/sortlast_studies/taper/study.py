"""The study as a value: converts the frame rates to rows, and derives purchase advice from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sortlast_studies.narrowed_trees.networks import FAT, THIN_2, Network, cost_per_node
from sortlast_studies.narrowed_trees.workloads import PATTERNS
from sortlast_studies.steps import Results
from sortlast_studies.study import Study
from sortlast_studies.table import Table
from sortlast_studies.taper import choice, failures, leaves, patterns, placement, sweep, terms, trees
from sortlast_studies.taper.choice import NODE_PRICES, Offer
from sortlast_studies.taper.frames import BLEND, FLOW, FRAME, LINK, SCHEDULES, STAGE, Way
from sortlast_studies.taper.steps import steps
from sortlast_studies.taper.terms import Terms, rates
from sortlast_studies.taper.trees import label

_FPS = "frames/s"
Cell = placement.Cell | patterns.Cell | failures.Cell


def tabulate(results: Results, quick: bool) -> Table:
    """The table of the cells that ran."""
    table = Table()
    networks = [*sweep.networks(quick), *sweep.slender(quick)]
    for net in (*networks, *sweep.large(quick)):
        _price(table, net)
    for way in sweep.ways(quick):
        _rates(table, results, rates(way), way, sweep.networks(quick) if way is FLOW else networks, SCHEDULES)
    _rates(table, results, terms.LARGE, FRAME, sweep.large(quick), sweep.FEW_MESSAGES)
    _choice(table, networks, [way for way in sweep.ways(quick) if way is not FLOW])
    _means(table, results, terms.BY_PLACEMENT, placement.cells(quick))
    _patterns(table, results, patterns.cells(quick))
    _leaves(table, results, quick)
    _means(table, results, terms.MISSING, failures.cells(quick))
    return table


# --- taper --------------------------------------------------------------------------------------------


def _price(table: Table, net: Network) -> None:
    whole = trees.topology(net.name)
    counts = {"nodes": net.nodes, "ports": net.radix}
    counts |= {"switches": len(whole.switches), "links": len(whole.links)}
    table.add(terms.PRICES, net.name, "taper", note=trees.taper(net))
    table.add_line(terms.PRICES, net.name, counts)
    prices = {terms.PER_NODE: trees.by_square(net), terms.BY_PORT: trees.by_port(net)}
    table.add_line(terms.PRICES, net.name, prices, "dollars")


def _rates(
    table: Table, results: Results, item: str, way: Way, networks: Sequence[Network], schedules: Sequence[str]
) -> None:
    for schedule in schedules:
        for net in networks:
            found = results[sweep.Cell(way, net, schedule).name]
            table.add(item, schedule, label(net), found["fps"], _FPS, "simulated")
            if schedule == "radix-k":
                best = str(found["algorithm"]).removeprefix("radix-k:")
                table.add(item, "best radix-k", label(net), kind="simulated", note=best)


def _choice(table: Table, networks: Sequence[Network], ways: Sequence[Way]) -> None:
    """The best tree for each schedule and way of simulation, and the best schedule by whole frames."""

    def offers(way: Way, schedule: str, price: str = terms.PER_NODE) -> list[Offer]:
        return [
            Offer(
                net, table.value(rates(way), schedule, label(net)), table.value(terms.PRICES, net.name, price)
            )
            for net in networks
        ]

    for schedule in SCHEDULES:
        for way in ways:
            row, offered = f"{schedule}, {way.name}", offers(way, schedule)
            found = {f"node ${price:,}": choice.best_value(offered, price) for price in NODE_PRICES}
            by_port = choice.best_value(offers(way, schedule, terms.BY_PORT), NODE_PRICES[2])
            found[f"node ${NODE_PRICES[2]:,}, by port"] = by_port
            for column, (best, gain) in found.items():
                table.add(terms.BEST, row, column, gain, kind="simulated", note=label(best.net))
            for budget in choice.BUDGETS:
                within = choice.fastest_within(offered, budget)
                fps, note = (None, "none") if within is None else (within.fps, label(within.net))
                table.add(terms.WITHIN, row, f"${budget:,}", fps, _FPS, "simulated", note=note)
    for price in NODE_PRICES:
        every = [(schedule, offer) for schedule in SCHEDULES for offer in offers(FRAME, schedule)]
        schedule, best = max(every, key=lambda each: each[1].value(price))
        note = f"{label(best.net)} with {schedule}"
        table.add(terms.ADVICE, f"${price:,} a node", "", best.fps, _FPS, "simulated", note=note)


# --- other factors ------------------------------------------------------------------------------------


def _means(table: Table, results: Results, item: str, cells: Iterable[Cell], unit: str = _FPS) -> None:
    """For all cells of a place, the mean over the seeds."""
    found: dict[tuple[str, str], list[float]] = {}
    for cell in cells:
        result = results[cell.name]
        found.setdefault(cell.place, []).append(result["fps" if unit == _FPS else unit])
    for place, values in found.items():
        table.add_sample(item, *place, values, unit)


def _patterns(table: Table, results: Results, cells: Sequence[patterns.Cell]) -> None:
    """Cycles, their ratios between the thin-tree and the fat-tree, and values derived from the sum."""
    relative_cost = cost_per_node(THIN_2, "CN") / cost_per_node(FAT, "CN")
    for order in patterns.ORDERS:
        _means(table, results, terms.PATTERN_TIMES, [cell for cell in cells if cell.order == order], "cycles")
        column = f"{label(THIN_2)} / {label(FAT)}, {order}"
        ratios = {
            pattern: table.value(terms.PATTERN_TIMES, pattern, f"{label(THIN_2)}, {order}")
            / table.value(terms.PATTERN_TIMES, pattern, f"{label(FAT)}, {order}")
            for pattern in PATTERNS
        }
        total = sum(ratios.values())
        performance = len(PATTERNS) / total
        derived = {"sum": total, "φ, fat-tree = 1": performance, "φ per cost": performance / relative_cost}
        for row, value in (ratios | derived).items():
            table.add(terms.PATTERN_TIMES, row, column, value, kind="simulated")


def _leaves(table: Table, results: Results, quick: bool) -> None:
    for plant in leaves.plants(quick):
        leaf = f"{plant.down}:{plant.up}" if plant.leaves > 1 else f"{plant.down}, no spine"
        table.add(terms.BY_LEAF, plant.name, "leaf", note=leaf)
        table.add(terms.BY_LEAF, plant.name, "$/GPU", leaves.cost_per_gpu(plant), "dollars")
        for schedule in leaves.SCHEDULES:
            fps = results[leaves.Cell(plant, schedule).name]["fps"]
            table.add(terms.BY_LEAF, plant.name, schedule, fps, _FPS, "simulated")


STUDY = Study(
    package="sortlast_studies.taper",
    steps=steps,
    tabulate=tabulate,
    settings={"link_bytes_per_second": LINK, "stage_seconds": STAGE, "blend_bytes_per_second": BLEND},
    terms=Terms,
)
