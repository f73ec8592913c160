"""The study as a value: converts its frames to rows, for the default numbers of ranks or others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sortlast import ArgumentError
from sortlast_studies.camera import terms
from sortlast_studies.camera.cells import DISTANCES, Distance, Job, Sample, Taper, cells
from sortlast_studies.camera.fabrics import ONE_SWITCH, taper
from sortlast_studies.camera.frames import FIXED, FLOWS, SHIFT, STAGES
from sortlast_studies.camera.placement import MOST_RANKS
from sortlast_studies.camera.steps import steps
from sortlast_studies.camera.terms import Terms
from sortlast_studies.camera.views import DISTANCE, LOWEST, SEED, SORTINGS, directions, orders
from sortlast_studies.steps import Json, Results
from sortlast_studies.study import Study
from sortlast_studies.table import Kind, Table
from sortlast_studies.taper.frames import BLEND, LINK, STAGE

RANKS = (64, 144)  # a power of two; all hosts of the 12-ary 2-tree
LEAST_RANKS = 8  # one block for each corner of the volume
_FPS = "frames/s"
_KIND: Mapping[str, Kind] = {STAGES: "computed", FLOWS: "simulated"}


def make(ranks: Sequence[int] | None = None) -> Study:
    """The study of jobs with these numbers of ranks instead of the default ones.

    Raises:
        ArgumentError: a number is below 8, or too large for the free hosts of one of the three fabrics.
    """
    chosen = tuple(dict.fromkeys(RANKS if ranks is None else ranks))
    if not chosen or min(chosen) < LEAST_RANKS or max(chosen) > MOST_RANKS:
        listed = ", ".join(map(str, chosen)) or "none"
        raise ArgumentError(
            f"ranks {listed}; expected numbers from {LEAST_RANKS} to {MOST_RANKS}: the job has to find as "
            "many free hosts on every fabric"
        )
    quick = chosen[:1] if ranks is None else chosen
    return Study(
        package="sortlast_studies.camera",
        steps=lambda is_quick: steps(quick if is_quick else chosen, is_quick),
        tabulate=lambda results, is_quick: tabulate(quick if is_quick else chosen, results, is_quick),
        settings={
            "seed": SEED,
            "distance_edges": DISTANCE,
            "link_bytes_per_second": LINK,
            "stage_seconds": STAGE,
            "blend_bytes_per_second": BLEND,
        },
        terms=Terms,
    )


def tabulate(ranks: Sequence[int], results: Results, quick: bool) -> Table:
    """The table of all cells that ran."""
    table = Table()
    for p in ranks:
        of_p = [cell for cell in cells(ranks, quick) if cell.p == p]
        jobs = [cell for cell in of_p if isinstance(cell, Job)]
        _views(table, p, jobs[0].views)
        _rates(table, p, jobs, results)
        _models(table, p, jobs, results)
        for cell in of_p:
            if isinstance(cell, Taper):
                _taper(table, cell, results[cell.name])
            elif isinstance(cell, Sample):
                _sample(table, cell, results[cell.name])
            elif isinstance(cell, Distance):
                found = zip(DISTANCES, results[cell.name], strict=True)
                table.add_line(terms.BY_DISTANCE, f"{p} ranks", {f"{at:.3g}": n for at, n in found})
    return table


def _views(table: Table, p: int, count: int) -> None:
    """Every direction and degree, with the number of its order."""
    found = {sorting: orders(p, count, sorting) for sorting in SORTINGS}
    for k, (x, y, z) in enumerate(directions(count)):
        table.add_line(terms.views_of(p), k, {"x": x, "y": y, "z": z})
        table.add_line(terms.views_of(p), k, {each: found[each].of_view[k] for each in SORTINGS})
    for degree in range(len(found[LOWEST].of_orbit)):
        table.add_line(terms.orbit(p), degree, {each: found[each].of_orbit[degree] for each in SORTINGS})
    for each in SORTINGS:
        seen = np.bincount(found[each].of_view)
        eight = np.sort(seen)[-8:].sum() / count
        table.add_line(
            terms.ORDERS,
            f"{p} ranks, {each}",
            {
                "views": count,
                "orders": float(np.count_nonzero(seen)),
                "share of the eight most frequent": eight,
            },
        )


def _rates(table: Table, p: int, jobs: Sequence[Job], results: Results) -> None:
    """For each case median, extremes and quantile over the views, and the rate of each order."""
    ways = [way for way in (STAGES, FLOWS) if way in results[jobs[0].name][SHIFT][LOWEST]]
    for job in jobs:
        for called, by_sorting in results[job.name].items():
            for sorting, made in by_sorting.items():
                row = terms.case(job.fabric, job.placement, called, sorting)
                different = orders(p, job.views, sorting)
                for way in ways:
                    rates = _of_orders(called, made[way], len(different.different))
                    seen = _summary(rates[list(different.of_view)])
                    shift = results[job.name][SHIFT][LOWEST][way][0]
                    seen[terms.OVER_SHIFT] = seen["worst"] / shift
                    _add_summary(table, terms.rates(p, way), row, seen, _KIND[way])
                free = _of_orders(called, made["free"], len(different.different))
                part = float(free[list(different.of_view)].mean())
                table.add(terms.rates(p, STAGES), row, terms.FREE, part, "of the views")
                if called in FIXED:
                    for way in ways:
                        apart = max(made[way]) / min(made[way]) - 1
                        table.add(terms.FIXED_APART, f"{p} ranks, {row}", way, apart, kind=_KIND[way])
                    continue
                for number, fps in enumerate(made[ways[-1]]):
                    table.add(terms.by_order(p), row, number, fps, _FPS, _KIND[ways[-1]])


def _of_orders(called: str, found: Sequence[float], count: int) -> np.ndarray:
    """The value of each order; algorithms in FIXED have the same value for all orders."""
    return np.array([found[0]] * count if called in FIXED else found, float)


def _summary(rates: np.ndarray) -> dict[str, float]:
    return {
        "best": float(rates.max()),
        "median": float(np.median(rates)),
        "5 %": float(np.quantile(rates, 0.05, method="inverted_cdf")),
        "worst": float(rates.min()),
        terms.RATIO: float(rates.max() / rates.min()),
    }


def _add_summary(table: Table, item: str, row: str, seen: Mapping[str, float], kind: Kind) -> None:
    """Add a row; ratios have no unit."""
    for column, value in seen.items():
        table.add(item, row, column, value, "" if "/" in column else _FPS, kind)


def _models(table: Table, p: int, jobs: Sequence[Job], results: Results) -> None:
    """Flows over stages: frame rates of all orders, and the ratio of best to worst order for each case."""
    over: dict[str, list[float]] = {}
    ratios: dict[str, list[float]] = {}
    for job in jobs:
        for called, by_sorting in results[job.name].items():
            for made in by_sorting.values():
                if FLOWS not in made:
                    continue
                pairs = zip(made[FLOWS], made[STAGES], strict=True)
                over.setdefault(called, []).extend(flow / stage for flow, stage in pairs)
                if called not in FIXED:
                    flow, stage = (max(made[way]) / min(made[way]) for way in (FLOWS, STAGES))
                    ratios.setdefault(called, []).append(flow / stage)
    for item, values in (("frames a second", over), (terms.RATIO, ratios)):
        for called, found in values.items():
            table.add_sample(terms.models(p), called, item, found)


def _taper(table: Table, cell: Taper, found: Json) -> None:
    name = taper(cell.up) if cell.up else ONE_SWITCH
    for where, by_algorithm in found.items():
        for called, by_sorting in by_algorithm.items():
            for sorting, rates in by_sorting.items():
                different = orders(cell.p, cell.views, sorting)
                of_order = _of_orders(called, rates, len(different.different))
                row = terms.case(name, where, called, sorting)
                seen = _summary(of_order[list(different.of_view)])
                _add_summary(table, terms.tapers(cell.p), row, seen, "computed")


def _sample(table: Table, cell: Sample, found: Json) -> None:
    for called, by_model in found.items():
        row = terms.case(cell.fabric, cell.placement, called, LOWEST)
        for model, (best, worst) in by_model.items():
            kind = _KIND.get(model, "simulated")
            pair = {f"{model}, best": best, f"{model}, worst": worst}
            table.add_line(terms.sample(cell.p), row, pair, _FPS, kind)


STUDY = make()
