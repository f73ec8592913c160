"""The study as a value: converts the results of its steps to rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from statistics import median

import numpy as np

from sortlast import fabric
from sortlast.bandwidth import Bandwidths
from sortlast_studies.shift_based import cluster, costs, terms
from sortlast_studies.shift_based.cluster import DIRECT_SEND, PACKAGE, RUNS, size_name
from sortlast_studies.shift_based.direct_send import EXPLANATION, MECHANISMS
from sortlast_studies.shift_based.frames import COUNTS, OTHERS, SIZES, peaks
from sortlast_studies.shift_based.measured import PREFIX
from sortlast_studies.shift_based.steps import (
    RANDOM_RUN,
    beyond,
    direct_send_step,
    others_step,
    random_step,
    seeds,
    seeds_of,
    shift_step,
    steps,
    sweep_step,
)
from sortlast_studies.shift_based.terms import Terms, pairs
from sortlast_studies.steps import Json, Results
from sortlast_studies.study import Study
from sortlast_studies.table import Kind, Table, published

_FPS = "frames/s"
_MODELS: Mapping[str, tuple[str, Kind, str]] = {  # of shift: key of a result -> column, kind and note
    "flows": ("shift", "simulated", "by flows"),
    "in_step": ("shift, in step", "computed", ""),
    "free": ("shift, free", "computed", ""),
    "packets": ("shift, packets", "simulated", ""),
    "flows_by_frame_rates": ("shift, calibrated by frame rates", "simulated", "by flows"),
}


def tabulate(
    results: Results, quick: bool, ranks: Sequence[int] | None = None, sizes: Sequence[int] | None = None
) -> Table:
    """The table of the results of all steps."""
    table = Table(published(PACKAGE))
    _terms_of_table_1(table)
    _prices(table)
    _calibration(table)
    for run in RUNS:
        found = results[shift_step(run)]
        _pairs(table, run.item, found["matrix"], "simulated")
        _rates(table, run.item, [found])
        bandwidth = float(Terms(table).bandwidths(run.item, run.message_bytes).mean)
        table.add(run.item, "mean bandwidth", "shift", bandwidth / 1e6, "MB/s", "simulated", note="by flows")
        by_packets = found["packets_bandwidth"] / 1e6
        table.add(run.item, "mean bandwidth", "shift, packets", by_packets, "MB/s", "simulated")
        sent = cluster.PIXEL_BYTES * run.pixels * (run.p - 1) / run.p / 1e6
        fps = table.value(run.item, _FPS, "shift", "published")
        table.add(run.item, "bytes of a rank", "shift", sent * fps, "MB/s", note="of published frames/s")
        crowd = fabric.contention(cluster.tree(run.p), "shift", nodes=cluster.hosts(run.order, run.p))
        table.add(run.item, "peak flows on a link", "shift", crowd.max_flows)
    _rates(table, terms.RANDOM, [results[random_step(seed)] for seed in seeds(RANDOM_RUN.p, quick)])
    _sweep(table, results)
    _direct_send(table, results, quick)
    for run in DIRECT_SEND:
        found = results[others_step(run)]
        for name in OTHERS:
            table.add(terms.BESIDE, name, run.case, found[name], _FPS, "simulated", note="by flows")
    _beyond(table, results, quick, ranks, sizes)
    for name, found in results.items():
        if name.startswith(PREFIX):
            _measured(table, name.removeprefix(PREFIX), found)
    return table


# --- computed -----------------------------------------------------------------------------------------


def _terms_of_table_1(table: Table) -> None:
    """Our terms divided by the published ones, and ratios that explain the differences."""

    def add(item: str, row: str, ratios: Mapping[str, Sequence[float]]) -> None:
        for term, values in ratios.items():
            table.add_sample(item, row, term, values, kind="computed", by=median)

    for name in costs.ALGORITHMS:
        add(terms.RATIOS, name, costs.compare(name))
    add(terms.RATIOS, terms.COMMUTES, costs.compare("parallel-pipeline", commutes=True))
    pairs_of_swaps = [[asdict(costs.walked(name, p)) for name in terms.SWAPS] for p in costs.POWERS]
    ratios = {
        term: [ours[term] / other[term] for ours, other in pairs_of_swaps] for term in ("latency", "transfer")
    }
    add("Table 1, " + " / ".join(terms.SWAPS), "powers of two", ratios)


def _prices(table: Table) -> None:
    for name in costs.ALGORITHMS:
        for p in costs.PRICED:
            formula, ours = costs.priced(name, p)
            table.add(terms.PRICED, name, f"formula, p = {p}", 1e3 * formula, "ms")
            table.add(terms.PRICED, name, f"schedule, p = {p}", 1e3 * ours, "ms")
    for p in terms.LATENCY:
        table.add("Figure 2", p, "latency / time of shift", costs.latency_share(p))


def _calibration(table: Table) -> None:
    for row, found in (("bandwidths", cluster.by_bandwidths()), ("frame rates", cluster.by_frame_rates())):
        table.add(terms.CALIBRATION, row, "link", found.link / 1e6, "MB/s", "calibrated")
        table.add(terms.CALIBRATION, row, "stage", 1e6 * found.stage_seconds, "us", "calibrated")


# --- simulated ----------------------------------------------------------------------------------------


def _rates(table: Table, item: str, found: Sequence[Json]) -> None:
    """Frame rates of shift by all models, averaged over some runs."""
    for key, (column, kind, note) in _MODELS.items():
        table.add_sample(item, _FPS, column, [each[key] for each in found], _FPS, kind, note=note)


def _sweep(table: Table, results: Results) -> None:
    """Figure 8: the rates, their peaks, and the ratio of the smallest images to the largest."""
    for size in SIZES:
        found, name = results[sweep_step(size)], size_name(size)
        for p, flows, in_step in zip(COUNTS, found["flows"], found["in_step"], strict=True):
            table.add("Figure 8", p, name, flows, _FPS, "simulated", note="by flows")
            table.add("Figure 8", p, f"{name}, in step", in_step, _FPS)
        listed = ", ".join(map(str, peaks(found["flows"])))
        table.add("Figure 8", "peaks", name, unit="nodes", kind="simulated", note=listed)
    first, last = (size_name(SIZES[k]) for k in (0, -1))
    for p in COUNTS:
        ratio = table.value("Figure 8", p, first) / table.value("Figure 8", p, last)
        table.add("Figure 8", p, terms.SIZES_RATIO, ratio, kind="simulated")


def _direct_send(table: Table, results: Results, quick: bool) -> None:
    """Direct-send by every mechanism; the explaining mechanism shares its place with the published rate."""
    for mechanism in MECHANISMS:
        for run in DIRECT_SEND:
            names = (direct_send_step(mechanism, run, seed) for seed in seeds_of(mechanism, run, quick))
            found = [results[name] for name in names if name in results]
            if not found:
                continue
            rates = [each["fps"] for each in found]
            table.add_sample(terms.BY_MECHANISM, mechanism.text, run.case, rates, _FPS)
            if mechanism.piece == 0:
                counts = [each["under_way"] for each in found]
                table.add_sample(terms.CROWDING, mechanism.text, run.case, counts, "messages")
            if mechanism is EXPLANATION:
                table.add_sample(run.item, _FPS, "direct-send", rates, _FPS, note=mechanism.text)


def _beyond(
    table: Table, results: Results, quick: bool, ranks: Sequence[int] | None, sizes: Sequence[int] | None
) -> None:
    """Other numbers of nodes and other images, one item per image."""
    for each in beyond(ranks, sizes, quick):
        item, found = terms.BEYOND.format(size_name(each.size)), results[each.shift]
        table.add(item, each.p, "shift", found["shift"], _FPS, "simulated", note="by flows")
        table.add(item, each.p, "shift, in step", found["in_step"], _FPS)
        table.add(item, each.p, "peak flows on a link", found["max_flows"])
        if each.direct_send in results:
            rate = results[each.direct_send]["fps"]
            table.add(item, each.p, "direct-send", rate, _FPS, "simulated", note=EXPLANATION.text)


def _pairs(table: Table, name: str, matrix: Sequence[Sequence[float]], kind: Kind) -> None:
    """MB/s of every pair; row: sender, column: receiver."""
    for sender, line in enumerate(matrix):
        for receiver, speed in enumerate(line):
            if sender != receiver:
                table.add(pairs(name), sender, receiver, speed, "MB/s", kind)


# --- measured -----------------------------------------------------------------------------------------


def _measured(table: Table, name: str, found: Json) -> None:
    """A matrix from ranks on any machines, and the rates of composited frames, if any."""
    matrix = Bandwidths(np.array(found["matrix"]), list(found["names"]), found["message_bytes"])
    _pairs(table, name, (matrix.matrix / 1e6).tolist(), "measured")
    table.add(terms.MEASURED, name, "ranks", matrix.p, kind="measured", note=", ".join(matrix.names))
    table.add(terms.MEASURED, name, "bytes of a message", matrix.message_bytes, "bytes", "measured")
    for column in ("minimum", "mean", "maximum"):
        table.add(terms.MEASURED, name, column, getattr(matrix, column) / 1e6, "MB/s", "measured")
    for algorithm, rate in found.get("fps", {}).items():
        table.add(terms.MEASURED, name, algorithm, rate, _FPS, "measured")


def make(ranks: Sequence[int] | None = None, sizes: Sequence[int] | None = None) -> Study:
    """The study, with additional numbers of nodes and square images, see ``steps.beyond``.

    Args:
        ranks: numbers of nodes, 2 to 1,728.
        sizes: edges of square images, in pixels, 16 to 32,768.

    Raises:
        ArgumentError: a value is out of range.
    """
    beyond(ranks, sizes, quick=False)
    return Study(
        package=PACKAGE,
        steps=partial(steps, ranks=ranks, edges=sizes),
        tabulate=partial(tabulate, ranks=ranks, sizes=sizes),
        settings={"calibration": asdict(cluster.by_bandwidths())},
        terms=Terms,
    )


STUDY = make()
