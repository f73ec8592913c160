"""What of the paper is reproduced, and how near: its table and seven figures."""

from __future__ import annotations

from statistics import mean

from sortlast.study.radix_k import bounds, claims, cluster, live, profile, scaling, vectors
from sortlast.study.radix_k.published import published
from sortlast.study.study import Reproduced, Results

_NO_VALUES = "its curves have no printed values"


def reproduced(results: Results) -> list[Reproduced]:
    """Every numbered table and figure of the paper."""
    return [
        _table_1(),
        _figure_1(results),
        Reproduced("Figure 2", "rounds of 12 processes, k = [4, 3]", ["drawn"], "drawn from the schedule"),
        _figure_3(results),
        _figure_4(results),
        _figure_5(results),
        _figure_6(results),
        _figure_7(results),
    ]


def _table_1() -> Reproduced:
    p = bounds.PROCESSES
    bound = bounds.lower_bounds(p)["Reduce-scatter"]
    met = [bounds.walked(name, p) for name in bounds.SCHEDULES]
    equal = sum(each.bandwidth == bound.bandwidth and each.computation == bound.computation for each in met)
    near = f"{equal} of {len(met)} schedules meet the bounds of bandwidth and computation exactly"
    return Reproduced("Table 1", "lower bounds of reductions", ["computed"], near)


def _figure_1(results: Results) -> Reproduced:
    factor = published()["figure_1"]["over_reduce_scatter"]
    ours = claims.between(claims.over_reduce_scatter(results))
    near = f"reduce-scatter over binary swap {ours} (about {factor:g})"
    most = max(live.by_ranks(results))
    why = f"up to {most} ranks of one machine, another MPI; {_NO_VALUES}"
    return Reproduced("Figure 1", "beside MPI's reductions", ["measured"], near, why)


def _figure_3(results: Results) -> Reproduced:
    shares = {
        source: profile.hidden(profile.events(results, source)["radix-k"])
        for source in ("simulated", "measured")
    }
    near = (
        f"blending of radix-k behind messages: {shares['simulated']:.0%} simulated, "
        f"{shares['measured']:.0%} measured"
    )
    together = "flows end together and hide little; " if shares["simulated"] < profile.MUCH else ""
    why = f"{together}the published profiles have no scale"
    about = f"profiles of {published()['figure_3']['processes']} processes"
    return Reproduced("Figure 3", about, ["simulated", "measured"], near, why)


def _figure_4(results: Results) -> Reproduced:
    theirs, ours = published()["figure_4"]["ratio"], scaling.ratios(results, mapped=True)
    near = (
        f"ratio to binary swap up to {max(ours):.2f} ({theirs['max']}), mean {mean(ours):.2f} "
        f"({theirs['mean']}, calibrated), least {min(ours):.2f} ({theirs['least']:g} or more)"
    )
    why = "the paper does not say its mapping; blocks of 2x2x2 taken"
    return Reproduced("Figure 4", "scaling over powers of two", ["simulated"], near, why)


def _figure_5(results: Results) -> Reproduced:
    last = max(scaling.counts(results))
    ours = claims.slowdown(results)
    theirs = published()["figure_5"]["two_three_swap_slowdown"]
    near = f"numbers that are no powers of two take {ours:.2f} times as long (2-3 swap: about {theirs:g})"
    why = f"up to {last} processes; {_NO_VALUES}"
    return Reproduced("Figure 5", "scaling over any numbers", ["simulated"], near, why)


def _figure_6(results: Results) -> Reproduced:
    curves = {curve: vectors.seconds(results, curve) for curve in vectors.CURVES}
    blocks = curves["2x2x2 blocks"]
    torus, mesh = (vectors.rank_correlation(curves[each], vectors.has_large) for each in ("torus", "mesh"))
    mapped = vectors.rank_correlation(blocks, vectors.begins_with_eights)
    order = vectors.best_first(blocks)
    named = published()["figure_6"]["best_in_blocks"]["vectors"]
    places = " and ".join(str(order.index(tuple(k)) + 1) for k in named)
    near = (
        f"rank correlation with the vectors named best: {torus:+.2f} on the torus and {mesh:+.2f} on the "
        f"mesh without mapping, {mapped:+.2f} in blocks, where the two named are in places {places} of "
        f"{len(order)}"
    )
    why = (
        "messages cost nothing but latency here, which favours radices above 32; routes along x first, which "
        f"favours small first radices on the mesh; {_NO_VALUES}"
    )
    return Reproduced("Figure 6", "all k vectors of 256 processes", ["simulated"], near, why)


def _figure_7(results: Results) -> Reproduced:
    found, at = cluster.times(results), published()["figure_7"]
    ends = at["processes"][0], max(found)
    times = [found[p]["packets"] for p in ends]
    theirs = at["multiples_of_4_seconds"]
    middles = [cluster.mean_on_line(found, which, "packets") for which in cluster.GROUPS[:3]]
    order = "as published" if middles == sorted(middles) else "not as published"
    near = (
        f"{times[0]:.3f} s ({theirs[0]}, calibrated) at {ends[0]} processes, {times[1]:.3f} s at {ends[1]} "
        f"({theirs[1]} at {at['processes'][1]}); the order of multiples of 4, 3 and 5 {order}"
    )
    why = "primes are fast on one switch, slow on the paper's, whose switches are not modelled"
    return Reproduced("Figure 7", "4 to 96 processes on a switch", ["simulated"], near, why)
