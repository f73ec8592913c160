"""The study as a value: converts its cells to the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib.resources import files
from itertools import product
from math import exp, log
from statistics import fmean

import tomllib

from sortlast import ArgumentError
from sortlast.correlation import spearman
from sortlast_studies.narrowed_trees.models import AS_IS, MODELS, Model
from sortlast_studies.narrowed_trees.networks import (
    COUNTS,
    NETWORKS,
    SETS,
    cost,
    cost_per_node,
    switches_by_level,
)
from sortlast_studies.narrowed_trees.performance import (
    COLLECTIVES,
    EQUAL,
    LONG_MESSAGES,
    StandIn,
    Times,
    Weights,
    cycles_item,
)
from sortlast_studies.narrowed_trees.steps import SEEDS, Models, runs, steps
from sortlast_studies.narrowed_trees.terms import (
    FEWER,
    FIGURES,
    FSIN,
    MODELS_ITEM,
    OWN,
    RANKS,
    STANDING_IN,
    WEIGHTS,
    WORK,
    Terms,
    sum_row,
)
from sortlast_studies.narrowed_trees.workloads import PATTERNS, SIZES, Cell, Result, size_name
from sortlast_studies.steps import Results
from sortlast_studies.study import Study
from sortlast_studies.table import Table, published

_PACKAGE = "sortlast_studies.narrowed_trees"
_WAYS = [("-CN", "CN"), ("-U, symmetric window", "U"), ("-U, by count", "U by count")]  # to count elements
# Weighted tables: the item, its networks, the weights, and how the used elements are counted.
_WEIGHED: tuple[tuple[str, str, Weights, Sequence[str]], ...] = (
    ("Table 4a", "a", EQUAL, ("CN",)),
    ("Table 4b", "b", EQUAL, ("CN", "U")),
    ("Table 5a", "a", COLLECTIVES, ("CN",)),
    ("Table 5b", "b", LONG_MESSAGES, ("U",)),
)


def make(
    *,
    sizes: Sequence[int] | None = None,
    seed: int = 17,
    ties: str = "uniform",
    weights: Weights = EQUAL,
    models: Models = "short",
) -> Study:
    """The study, optionally with other sizes, seed, ties or weights than the paper's.

    Args:
        sizes: some of :data:`workloads.SIZES`, for quick and whole runs.
        seed: seed of all random draws.
        ties: argument of :func:`sortlast.simulate.packet`.
        weights: weights of an additional table, and initial weights of the page.
        models: models to run in addition to the first, and their sizes; see :func:`steps.steps`.

    Raises:
        ArgumentError: sizes are empty, or not the paper's.
    """
    if sizes is not None and (not sizes or not set(sizes) <= set(SIZES)):
        raise ArgumentError(f"sizes are {list(sizes)}; expected some of {list(SIZES)}")
    return Study(
        package=_PACKAGE,
        steps=partial(steps, sizes, seed, ties, models),
        tabulate=lambda results, quick: tabulate(results, weights, seed),
        settings={"seed": seed, "ties": ties},
        terms=Terms,
    )


def tabulate(results: Results, weights: Weights = EQUAL, seed: int = 17) -> Table:
    """The table of the cells that ran; ``seed`` is the first seed."""
    table = Table(published(_PACKAGE))
    _networks(table)
    for which in SETS:
        _characteristics(table, which)
        _costs(table, which)
    _times(table, results, seed)
    _beside_fsin(table)
    for item, which, each, counts in _WEIGHED:
        _weighed(table, item, which, each, counts)
    _ranks(table)
    _models(table)
    if weights != EQUAL:
        for name, weight in [*weights.pattern.items(), *weights.size.items()]:
            table.add(WEIGHTS, name, "", weight, kind="")
        for which, item in OWN.items():
            _weighed(table, item, which, weights, ("CN",) if which == "a" else ("CN", "U"))
    return table


def _networks(table: Table) -> None:
    """Table 1: by its formulas, and counted in the topologies."""
    for net in NETWORKS.values():
        by_formula, counted = [net.switches_of(level) for level in range(net.n)], switches_by_level(net)
        table.add("Table 1", net.name, "N", net.nodes)
        table.add("Table 1", net.name, "S", sum(by_formula))
        table.add("Table 1", net.name, "S_i counted", note=" ".join(map(str, counted)))
        table.add("Table 1", net.name, "agree", by_formula == counted)


def _characteristics(table: Table, which: str) -> None:
    """Table 2a or 2b; the used elements of 2b counted in both ways."""
    item, nets = f"Table 2{which}", SETS[which]
    table.add_line(item, "Switch radix", {net.name: net.radix for net in nets})
    ways = [("", "CN")] if which == "a" else _WAYS
    for how, count in ways:
        elements = {net.name: COUNTS[count](net) for net in nets}
        for name in ("Switches", "Links", "Nodes"):
            values = {net: getattr(of, name.lower()) for net, of in elements.items()}
            table.add_line(item, name + how, values)


def _costs(table: Table, which: str) -> None:
    """Table 3a or 3b; the used elements of 3b counted in both ways."""
    item, nets = f"Table 3{which}", SETS[which]
    ways = [("", "CN")] if which == "a" else _WAYS
    for how, count in ways:
        total = {net.name: cost(net, COUNTS[count](net)) for net in nets}
        each = {net.name: cost_per_node(net, count) for net in nets}
        table.add_line(item, f"Total Cost{how}", total, "dollars")
        table.add_line(item, f"Cost/Node{how}", each, "dollars")


def _times(table: Table, results: Results, seed: int) -> None:
    """Simulated values: cycles of every cell, times relative to the reference, and the work."""
    ran: list[Result] = []
    for run in runs(SIZES, seed, "all"):
        if (found := results.get(run.name(seed))) is None:
            continue
        ran.append(Result(**found))
        item = cycles_item(run.setting, run.seed - seed)
        table.add(item, run.cell.workload, run.cell.network, ran[-1].cycles, "cycles", "simulated")
    times = Times(table)
    for which, item in FIGURES.items():
        for size, pattern in product(times.sizes, PATTERNS):
            relative = {net.name: times.relative(which, net, pattern, size) for net in SETS[which]}
            table.add_line(item, Cell("", pattern, size).workload, relative, kind="simulated")
    hops, seconds = (sum(getattr(each, name) for each in ran) for name in ("packet_hops", "elapsed"))
    table.add(WORK, "packet-hops", "", hops, kind="simulated", n=len(ran))
    table.add(WORK, "time", "", seconds, "s", "measured", n=len(ran))
    table.add(WORK, "memory of a run", "", max(each.bytes_used for each in ran), "bytes", "measured")


def _beside_fsin(table: Table) -> None:
    """The cycles of the current FSIN, the paper's simulator, and ours where they ran."""
    for cell in tomllib.loads(files(_PACKAGE).joinpath("fsin.toml").read_text(encoding="utf-8"))["cell"]:
        net, workload = cell["network"], Cell("", cell["pattern"], cell["size"]).workload
        found = [table.get(cycles_item(AS_IS.setting, k), workload, net) for k in range(SEEDS)]
        ours = [cycles for cycles in found if cycles is not None]
        if ours:
            row = f"{net}, {cell['pattern']}, {size_name(cell['size'])}"
            table.add(FSIN, row, "FSIN", cell["cycles"], "cycles", "published", n=cell["seeds"])
            table.add_sample(FSIN, row, "sortlast", ours, "cycles")


def _models(table: Table) -> None:
    """The sums of Tables 4 and 5 under every model that ran, and their distance from the published ones."""
    for model in MODELS:
        _model(table, model.name, model, "missing")
    if not Times(table, AS_IS, stand_in="missing").stand_ins:
        _model(table, STANDING_IN, AS_IS, "always")


def _model(table: Table, name: str, model: Model, stand_in: StandIn) -> None:
    """A row in the tables of the models; none if a size is missing without a stand-in."""
    by_seed = [Times(table, model, k, stand_in) for k in range(SEEDS)]
    if by_seed[0].sizes != SIZES:
        return
    table.add(MODELS_ITEM, name, "stand-ins", len(by_seed[0].stand_ins), note=" ".join(by_seed[0].stand_ins))
    apart: list[float] = []
    for item, which, weights, _ in _WEIGHED:
        sums = table.line(item, sum_row(item), "published")
        for net in SETS[which][1:]:
            ours = [times.weighted(which, net, weights) / sums[net.name] for times in by_seed]
            seeds = ours if len(set(ours)) > 1 else ours[:1]  # long messages run with one seed
            table.add_sample(f"{MODELS_ITEM}, {item}", name, net.name, seeds)
            apart.append(abs(log(fmean(ours))))
    table.add(MODELS_ITEM, name, "apart", exp(fmean(apart)), kind="simulated", n=len(apart))
    table.add(MODELS_ITEM, name, "farthest", exp(max(apart)), kind="simulated", n=len(apart))


def _weighed(table: Table, item: str, which: str, weights: Weights, counts: Sequence[str]) -> None:
    """Performance and cost under weights; nothing if all simulated times have weight 0."""
    times, nets = Times(table), SETS[which]
    phi = {net.name: times.performance(which, net, weights) for net in nets}
    if None in phi.values():
        return
    # A sum equals the paper's sum if all sizes that were not simulated have weight 0.
    whole = all(weights.size.get(size, 1.0) == 0 for size in SIZES if size not in times.sizes)
    name = sum_row(item)
    sums = {net.name: times.weighted(which, net, weights) for net in nets}
    note = "" if whole else FEWER
    table.add_line(item, name, sums, kind="simulated", note=note)
    table.add_line(item, "Normalized φ", phi, kind="simulated", note=note)
    for count in counts:
        suffix = "" if which == "a" else f"-{count}"
        each = {net.name: cost_per_node(net, count) for net in nets}
        norm = {net: price / each[nets[0].name] for net, price in each.items()}
        per_cost = {net.name: times.per_cost(which, net, count, weights) for net in nets}
        table.add_line(item, f"Cost/Node{suffix}", each, "dollars")
        table.add_line(item, f"Norm Cost/Node{suffix}", norm)
        table.add_line(item, f"Perf./Cost{suffix}", per_cost, kind="simulated", note=note)


def _ranks(table: Table) -> None:
    """Spearman's correlation of the networks' order with the published one, for ranked rows.

    φ is ranked by its Σ, which the paper prints with more digits.
    """
    for item in table.items("Table 4") + table.items("Table 5"):
        for name in table.rows(item, "ours"):
            ours, theirs = (table.line(item, name, kind) for kind in ("ours", "published"))
            fewer = any(table.note(item, name, net, "simulated") == FEWER for net in ours)
            if not name.startswith(("Σ", "Perf./Cost")) or not theirs or fewer:
                continue
            value = spearman(list(ours.values()), list(theirs.values()))
            if value is not None:
                place = RANKS, f"{item}, {name}"
                table.add(*place, "Spearman", value, kind="simulated")
                table.add(*place, "computed, best first", note=_order(ours, name), kind="simulated")
                table.add(*place, "published, best first", note=_order(theirs, name), kind="published")


def _order(values: Mapping[str, float], name: str) -> str:
    """The networks by a row, best first; for sums of times, the smallest is best."""
    sign = 1 if name.startswith("Σ") else -1
    return " > ".join(net.removesuffix("-tree") for net in sorted(values, key=lambda net: sign * values[net]))


STUDY = make()
