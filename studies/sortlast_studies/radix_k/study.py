"""The study as a value: converts its steps to rows of the table, figure by figure of the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import mean, median

from sortlast import schedule
from sortlast.bench import Row
from sortlast.correlation import spearman
from sortlast.schedule import price
from sortlast_studies.radix_k import blue_gene, cluster, live, profile, scaling, services, vectors
from sortlast_studies.radix_k.steps import steps
from sortlast_studies.radix_k.terms import Items, Terms
from sortlast_studies.radix_k.vectors import CURVES, MEGAPIXEL, VECTORS, Vector
from sortlast_studies.steps import Json, Results
from sortlast_studies.study import Study
from sortlast_studies.table import Kind, Table, published

_PACKAGE = "sortlast_studies.radix_k"
_MAPPINGS = {"blocks": "blocks of 2x2x2", "none": "no mapping"}  # by their names in the results
_PROCESSES = 64  # in Table 1
_SCHEDULES = ("binary-swap", "radix-k:8,8", "radix-k:4,4,4", "direct-send")
_PIXELS = 64 * 1024  # in Table 1; a multiple of the processes, so that pieces are equal
_EQUAL = 1e-3  # relative difference of times that count as equal
METHODS = ("packets", "flows", *map(cluster.column, cluster.CROSSBARS))  # of Figure 7
_KINDS: tuple[Kind, ...] = ("simulated", "measured")  # of Figure 3


def tabulate(results: Results, quick: bool) -> Table:
    """The table of all results."""
    table = Table(published(_PACKAGE))
    _machines(table)
    _table_1(table)
    _figure_1(table, results)
    _figure_3(table, results)
    _figure_4(table, results)
    _figure_5(table, _named(results, "figure-5/p"))
    _swaps(table, _named(results, "2-3-swap/p"))
    _figure_6(table, {name: _by_vector(found) for name, found in _named(results, "figure-6/").items()})
    _figure_7(table, {int(p): found for p, found in _named(results, "figure-7/p").items()})
    _services(table, results)
    _frames_beyond(table, results)
    _later(table, results)
    return table


def cost(name: str, p: int) -> dict[str, float]:
    """The cost of a schedule of p ranks, counted from the programs of all ranks; alpha once per round.

    The values are multiples of alpha, of n beta and of n gamma.
    """
    made = schedule.make(name, p=p, n=_PIXELS)

    def only(alpha: float, beta: float, gamma: float) -> float:
        return price(made, alpha=alpha, beta=beta, gamma=gamma, latency="per_round").total

    return {
        "latency": only(1, 0, 0),
        "bandwidth": only(0, 1, 0) / _PIXELS,
        "computation": only(0, 0, 1) / _PIXELS,
    }


def _machines(table: Table) -> None:
    """The calibrated values of the two models, each fitted to one published figure."""
    for machine, blend, of in (
        ("Blue Gene/P", blue_gene.BLEND, "on the mean ratio of Figure 4"),
        ("switch", cluster.BLEND, "on the time of 4 processes in Figure 7"),
    ):
        table.add("Machines", machine, "blending", blend / 1e9, "GB/s", "calibrated", note=of)


def _table_1(table: Table) -> None:
    table.add("Settings", "Table 1", "processes", _PROCESSES, kind="computed")
    for name in _SCHEDULES:
        for column, multiple in cost(name, _PROCESSES).items():
            unit = {"latency": "alpha", "bandwidth": "n beta", "computation": "n gamma"}[column]
            table.add("Table 1", name, column, multiple, unit)


# --- measured -----------------------------------------------------------------------------------------


def _figure_1(table: Table, results: Results) -> None:
    """Frames with MPI's reductions, and the ratios mentioned in the text."""
    for found in _named(results, "live/p").values():
        _frames(table, Items.by_ranks, live.rows(found), lambda row: row.ranks)
    for found in _named(results, "live/sizes").values():
        _frames(table, Items.by_size, live.rows(found), lambda row: f"{row.task_of().n / MEGAPIXEL:g}")
    errors = [row.max_abs_error for found in _named(results, "live/").values() for row in live.rows(found)]
    table.add("Figure 1", "all", "greatest error", max(errors), kind="measured", n=len(errors))

    cores = max(int(found["cores"]) for found in _named(results, "live/").values())
    table.add("Ranks", "cores", "", cores, kind="")
    lines = {int(p): table.line(Items.by_ranks, p) for p in table.rows(Items.by_ranks)}
    with_mpi = [line for line in lines.values() if "MPI_Reduce_scatter" in line]
    slower = [line["MPI_Reduce_scatter"] / line["binary-swap"] for line in with_mpi]
    place = "Figure 1", "MPI_Reduce_scatter", "over binary-swap"
    table.add_sample(*place, slower, kind="measured", by=median)
    powers = [line for p, line in lines.items() if p > 2 and _is_power_of_2(p)]
    _ratios(table, [line["binary-swap"] / line["radix-k"] for line in powers], "measured")


def _frames(table: Table, item: str, rows: Sequence[Row], place: Callable[[Row], object]) -> None:
    """Medians of frames, and their numbers of ranks."""
    for row in rows:
        at, ends = (item, place(row), live.name(row)), (row.min_ms, row.max_ms)
        table.add(*at, row.median_ms, "ms", "measured", spread=ends, n=row.frames)
    if item != Items.by_ranks:
        table.add("Ranks", item, "", rows[0].ranks, kind="")


def _figure_3(table: Table, results: Results) -> None:
    """Summaries of profiles, and the events of the ranks that are shown."""
    shown = int(table.value("Settings", "Figure 3", "shown"))
    for kind in _KINDS:
        (found,) = _named(results, f"figure-3/{kind}").values()
        for algorithm, events in profile.events(found).items():
            place = "Figure 3", algorithm
            table.add(*place, "ranks", len(events), kind=kind)
            table.add(*place, "frame", 1e3 * profile.length(events), "ms", kind)
            table.add(*place, "behind messages", profile.hidden(events), kind=kind)
            table.add(*place, "ends apart", profile.rounds_apart(events), kind=kind)
            for rank, own in enumerate(events[:shown]):
                for k, event in enumerate(own):
                    item, row = f"Figure 3, {algorithm}, events", f"{rank}.{k}"
                    what = f"{event.activity} {event.peer} {event.stage}"
                    table.add(item, row, "begin", event.begin, "s", kind, note=what)
                    table.add(item, row, "end", event.end, "s", kind)


# --- simulated ----------------------------------------------------------------------------------------


def _figure_4(table: Table, results: Results) -> None:
    """Times, ratios, and the sensitivity to the rate of blending."""
    ratios: dict[str, list[float]] = {mapping: [] for mapping in _MAPPINGS}
    for name, mappings in _named(results, "figure-4/p").items():
        p, _, size = name.partition("-")
        for mapping, seconds in mappings.items():
            for algorithm, each in seconds.items():
                column = f"{algorithm}, {size} Mpixel, {_MAPPINGS[mapping]}"
                table.add("Figure 4", p, column, 1e3 * each, "ms", "simulated")
            ratios[mapping].append(seconds["binary-swap"] / seconds["radix-k"])
    for p in table.rows("Figure 4"):
        table.add("Figure 4", p, "partition", kind="simulated", note=blue_gene.partition(int(p)).name)
    _ratios(table, ratios["blocks"], "simulated")
    table.add_sample(Items.over, "mean", "no mapping", ratios["none"], by=mean)
    table.add("Settings", "blending", "processes", blue_gene.TORUS_512.nodes, kind="computed")
    for blend, pair in results["sensitivity"].items():
        for mapping, ratio in pair.items():
            place = Items.by_blending, f"{float(blend) / 1e9:.2f}"
            table.add(*place, _MAPPINGS[mapping], ratio, kind="simulated")


def _ratios(table: Table, values: Sequence[float], kind: Kind) -> None:
    for name, value in (("mean", mean(values)), ("most", max(values)), ("least", min(values))):
        table.add(Items.over, name, "", value, kind=kind, n=len(values))


def _figure_5(table: Table, found: Mapping[str, Json]) -> None:
    for p, own in found.items():
        table.add("Figure 5", p, "k", kind="simulated", note=own["name"].removeprefix("radix-k:"))
        for mapping, column in _MAPPINGS.items():
            table.add("Figure 5", p, column, 1e3 * own[mapping], "ms", "simulated")
    powers, others = (
        [float(own["blocks"]) for p, own in found.items() if _is_power_of_2(int(p)) == wanted]
        for wanted in (True, False)
    )
    table.add(Items.others, "radix-k", "", mean(others) / mean(powers), kind="simulated")


def _swaps(table: Table, found: Mapping[str, Json]) -> None:
    """2-3 swap and radix-k, and the ratio of the time of 2-3 swap at other numbers to powers of two."""
    for p, each in found.items():
        table.add(Items.swaps, p, "2-3 swap", 1e3 * each, "ms", "simulated")
        table.add(
            Items.swaps, p, "radix-k", table.value("Figure 5", p, _MAPPINGS["blocks"]), "ms", "simulated"
        )
    others = [p for p in found if not _is_power_of_2(int(p))]
    ratios = [1e3 * found[p] / table.value(Items.swaps, p, "radix-k") for p in others]
    table.add_sample(Items.swaps, "other numbers", "over radix-k", ratios, by=mean)
    below = [
        found[p] / found[str(_power_below(int(p)))] for p in others if str(_power_below(int(p))) in found
    ]
    table.add_sample(Items.others, "2-3 swap", "", below, by=mean)


def _power_below(p: int) -> int:
    return 1 << (p.bit_length() - 1)


def _figure_6(table: Table, found: Mapping[str, Mapping[Vector, float]]) -> None:
    """Times by curve and vector, and figures for the statements of the text."""
    for curve in CURVES:
        for k, seconds in found[curve].items():
            table.add("Figure 6", vectors.label(k), curve, 1e3 * seconds, "ms", "simulated")
    every = [1e3 * seconds for times in found.values() for seconds in times.values()]
    table.add(Items.axis, "least", "", min(every), "ms", "simulated")
    table.add(Items.axis, "most", "", max(every), "ms", "simulated")

    mesh, torus, blocks = (found[curve] for curve in ("mesh", "torus", "2x2x2 blocks"))
    for name, slow, fast in (("torus over mesh", mesh, torus), ("blocks over torus", torus, blocks)):
        gain = [slow[k] / fast[k] for k in VECTORS]
        faster, slower = (sum(each > 1 + _EQUAL for each in gain), sum(each < 1 - _EQUAL for each in gain))
        table.add(Items.gain, name, "faster", faster, "vectors", "simulated", n=len(gain))
        table.add(Items.gain, name, "slower", slower, "vectors", "simulated", n=len(gain))
    growing = spearman([max(k) for k in VECTORS], [mesh[k] / torus[k] for k in VECTORS])
    if growing is not None:
        table.add(Items.gain, "torus over mesh", "Spearman with greatest radix", growing, kind="simulated")

    for curve, name, named in (
        ("mesh", "radix 16 or 32", vectors.has_large),
        ("torus", "radix 16 or 32", vectors.has_large),
        ("2x2x2 blocks", "begins with [8,8]", vectors.begins_with_eights),
        ("2x2x2 blocks", "has an 8", vectors.has_eight),
    ):
        table.add(Items.ranking, curve, name, vectors.rank_correlation(found[curve], named), kind="simulated")
    order = sorted(blocks, key=blocks.__getitem__)
    for written in table.rows(Items.places):
        place = order.index(vectors.parse(written)) + 1
        table.add(Items.places, written, "", place, kind="simulated", n=len(order))


def _services(table: Table, results: Results) -> None:
    """Figures 3, 4 and 6 by service of the links: overlap, ratios, rank correlations and places."""
    others = _named(results, "services/figure-6/")
    own = {curve: results[f"figure-6/{curve}"] for curve in services.COMPARED}
    for name, service in blue_gene.SERVICES.items():
        by_curve = own if service == blue_gene.SIX_LINKS else others.get(name)
        if by_curve is None:
            continue
        for curve in services.COMPARED:
            times = _by_vector(by_curve[curve])
            named = vectors.begins_with_eights if "blocks" in curve else vectors.has_large
            order = sorted(times, key=times.__getitem__)
            place = Items.services, name
            table.add(*place, curve, vectors.rank_correlation(times, named), kind="simulated")
            best = " ".join(map(vectors.label, order[:3]))
            table.add(*place, f"best, {curve}", kind="simulated", note=best)
            direct = times[(vectors.PROCESSES,)] / times[order[0]]
            table.add(*place, f"direct-send over best, {curve}", direct, kind="simulated")
        for written in table.rows(Items.places):
            rank = order.index(vectors.parse(written)) + 1
            table.add(*place, written, rank, kind="simulated", n=len(order))
    for name, found in results["services/figure-3"].items():
        for algorithm, each in found.items():
            table.add(Items.overlap, name, algorithm, each["hidden"], kind="simulated")
            table.add(Items.overlap, name, f"{algorithm}, frame", 1e3 * each["seconds"], "ms", "simulated")
    for name, ratios in results["services/figure-4"].items():
        table.add_sample(Items.ratios, name, "mean", ratios, by=mean)


def _frames_beyond(table: Table, results: Results) -> None:
    """The quoted frame, and the additional frames."""
    (found,) = _named(results, "quoted/").values()
    table.add("Quoted", "frame", "processes", found["processes"], kind="simulated", note=found["name"])
    table.add("Quoted", "frame", "time", found["seconds"], "s", "simulated")
    for key, found in _named(results, "frame/p").items():
        p, _, size = key.partition("-")
        for name, each in found.items():
            column = "radix-k" if name.startswith("radix-k") else "swap"
            row = f"{p} processes, {size} Mpixel"
            table.add(Items.frames, row, column, 1e3 * each, "ms", "simulated", note=name)


def _figure_7(table: Table, found: Mapping[int, Json]) -> None:
    """Times by number of processes, and the lines of the categories, by packets."""
    for p, own in found.items():
        table.add("Figure 7", p, "k", kind="simulated", note=f"[{own['k']}]")
        table.add("Figure 7", p, "category", kind="simulated", note=cluster.group(p))
        for method in METHODS:
            table.add("Figure 7", p, method, 1e3 * own[method], "ms", "simulated")
    for method in METHODS:
        times = {p: float(own[method]) for p, own in found.items()}
        slower = [s / cluster.on_line(times, cluster.GROUPS[0], p) for p, s in times.items() if _is_prime(p)]
        table.add_sample(Items.primes, method, "", slower, by=median)
        centre = sum(times) // len(times)
        heights = [cluster.on_line(times, which, centre) for which in cluster.GROUPS[:3]]
        table.add(Items.primes, method, "lines", max(heights) / min(heights) - 1, kind="simulated")
    seconds = {p: own["packets"] for p, own in found.items()}
    first, last = min(seconds), max(seconds)
    for p in (first, last):
        place = Items.fours, p
        table.add(*place, "time", seconds[p], "s", "simulated")
        table.add(*place, "line", cluster.on_line(seconds, "multiples of 4", p), "s", "simulated")
    middle = {which: cluster.on_line(seconds, which, (first + last) // 2) for which in cluster.GROUPS[:3]}
    for which, at in middle.items():
        table.add(Items.lines, which, "middle", at, "s", "simulated")
    spread = max(middle.values()) / min(middle.values()) - 1
    table.add(Items.lines, "from the lowest to the highest", "share", spread, kind="simulated")


def _later(table: Table, results: Results) -> None:
    """Section 5.2: vectors by fraction of active pixels and by cores, choices, and measurements."""
    for item, name in ((Items.active, "active"), (Items.cores, "cores")):
        for case, seconds in results[f"later/{name}"].items():
            for k, each in _by_vector(seconds).items():
                table.add(item, vectors.label(k), case, 1e3 * each, "ms", "simulated")
    (choices,) = _named(results, "later/choice").values()
    for machine, counts in choices.items():
        for p, own in counts.items():
            place = Items.choice, f"{p} on the {machine}"
            chosen = own["chosen"].removeprefix("radix-k:")
            table.add(*place, "chosen", kind="computed", note=chosen)
            for candidate, each in own["seconds"].items():
                column = candidate.removeprefix("radix-k:")
                table.add(*place, column, 1e3 * each, "ms", "simulated")
    for found in _named(results, "live/active").values():
        _frames(table, Items.by_content, live.rows(found), lambda row: row.content)


def _named(results: Results, prefix: str) -> dict[str, Json]:
    """The results of steps with names that begin with ``prefix``, by the rest of the name."""
    return {name.removeprefix(prefix): found for name, found in results.items() if name.startswith(prefix)}


def _by_vector(seconds: Mapping[str, float]) -> dict[Vector, float]:
    return {k: seconds[vectors.text(k)] for k in VECTORS}


def _is_prime(p: int) -> bool:
    return vectors.prime_factors(p) == (p,)


def _is_power_of_2(p: int) -> bool:
    return p & (p - 1) == 0


def make(ranks: Sequence[int] | None = None, sizes: Sequence[int] | None = None) -> Study:
    """The study, with frames of additional numbers of processes and sizes.

    Args:
        ranks: numbers of processes on Blue Gene/P; None: 512 if sizes are given.
        sizes: sizes of the images [Mpixel]; None: 2 if ranks are given.

    Raises:
        ArgumentError: a number of processes without a partition, or a size outside 1 to 1024.
    """
    return Study(
        package=_PACKAGE,
        steps=partial(steps, asked=scaling.asked(ranks, sizes)),
        tabulate=tabulate,
        settings={
            "torus": [blue_gene.LINK, blue_gene.LATENCY, blue_gene.BLEND],
            "switch": [cluster.LINK, cluster.BLEND],
        },
        terms=Terms,
    )


STUDY = make()
