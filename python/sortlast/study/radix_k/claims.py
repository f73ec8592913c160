"""What the text states of its figures, with the published value, the simulated one and the measured one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import mean

from sortlast.correlation import spearman
from sortlast.study.radix_k import cluster, live, scaling, vectors
from sortlast.study.radix_k.published import published, text
from sortlast.study.study import Results


@dataclass(frozen=True)
class Claim:
    """A statement of the paper; empty where there is no value of a kind."""

    section: str
    statement: str
    published: str
    simulated: str = ""
    measured: str = ""


def claims(results: Results) -> list[Claim]:
    """All of them, in the order of the paper."""
    return [
        _reduce_scatter(results),
        *_ratio(results),
        _nonpowers(results),
        *_torus(results),
        *_best(results),
        *_switch(results),
    ]


def over_reduce_scatter(results: Results) -> list[float]:
    """MPI_Reduce_scatter's time over that of binary swap, by number of ranks."""
    return [
        times["MPI_Reduce_scatter"] / times["binary-swap"]
        for times in live.by_ranks(results).values()
        if "MPI_Reduce_scatter" in times
    ]


def radix_over_swap(results: Results) -> list[float]:
    """Binary swap's measured time over that of radix-k, at the powers of two above 2."""
    return [
        times["binary-swap"] / times["radix-k"]
        for p, times in live.by_ranks(results).items()
        if p > 2 and p & (p - 1) == 0
    ]


def slowdown(results: Results) -> float:
    """Mean time at numbers that are no power of two, over that at powers of two, in blocks."""
    found = {p: float(at["blocks"]) for p, at in scaling.counts(results).items()}
    powers = [seconds for p, seconds in found.items() if p & (p - 1) == 0]
    others = [seconds for p, seconds in found.items() if p & (p - 1) != 0]
    return mean(others) / mean(powers)


def between(values: list[float]) -> str:
    """The least and the greatest of some ratios."""
    return f"{min(values):.2f} to {max(values):.2f}"


def _reduce_scatter(results: Results) -> Claim:
    factor = published()["figure_1"]["over_reduce_scatter"]
    return Claim(
        "2.2",
        "binary swap is faster than its closest competitor, reduce-scatter, by a factor of",
        f"about {factor:g}",
        measured=between(over_reduce_scatter(results)),
    )


def _ratio(results: Results) -> list[Claim]:
    theirs = published()["figure_4"]["ratio"]
    mapped, unmapped = (scaling.ratios(results, mapped=each) for each in (True, False))
    here = radix_over_swap(results)
    return [
        Claim("4.1", f"radix-k is faster than binary swap: {what}", published_, simulated, measured)
        for what, published_, simulated, measured in (
            ("mean", f"{theirs['mean']}", f"{mean(mapped):.2f} (calibrated)", f"{mean(here):.2f}"),
            ("most", f"{theirs['max']}", f"{max(mapped):.2f}", f"{max(here):.2f}"),
            ("least", f"{theirs['least']:g} or more", f"{min(mapped):.2f}", f"{min(here):.2f}"),
            ("without mapping", "not said", f"mean {mean(unmapped):.2f}, {between(unmapped)}", ""),
        )
    ]


def _nonpowers(results: Results) -> Claim:
    theirs = published()["figure_5"]["two_three_swap_slowdown"]
    return Claim(
        "4.2",
        "time at numbers that are no powers of two, over that at powers of two",
        f"no such dependence (2-3 swap: about {theirs:g})",
        f"{slowdown(results):.2f}",
    )


def _torus(results: Results) -> list[Claim]:
    times = {curve: vectors.seconds(results, curve) for curve in vectors.CURVES}
    gain = {k: times["mesh"][k] / times["torus"][k] for k in times["torus"]}
    faster = sum(each >= 0.999 for each in gain.values())
    growing = spearman([max(k) for k in gain], list(gain.values()))
    in_blocks = [times["torus"][k] / times["2x2x2 blocks"][k] for k in gain]
    gained = (
        f"{sum(each > 1.001 for each in in_blocks)} faster, {sum(each < 0.999 for each in in_blocks)} slower"
    )
    return [
        Claim("4.3", "the torus is no slower than the mesh", "all vectors", f"{faster} of {len(gain)}"),
        Claim(
            "4.3",
            "its gain grows with the radices (Spearman, greatest radix against gain)",
            "yes",
            "" if growing is None else f"{growing:+.2f}",
        ),
        Claim("4.3", "blocks of 2x2x2 are faster than no mapping", "overall", gained),
    ]


def _best(results: Results) -> list[Claim]:
    at = published()["figure_6"]
    found = []
    for curve in ("mesh", "torus"):
        times = vectors.seconds(results, curve)
        found.append(
            Claim(
                "4.3",
                f"best vectors on the {curve}, no mapping, have radix 16 or 32 (rank correlation)",
                "yes",
                f"{vectors.rank_correlation(times, vectors.has_large):+.2f}; best: {_best_of(times)}",
            )
        )
    times = vectors.seconds(results, "2x2x2 blocks")
    order = vectors.best_first(times)
    places = [order.index(tuple(k)) + 1 for k in at["best_in_blocks"]["vectors"]]
    named = " and ".join(f"[{text(tuple(k))}]" for k in at["best_in_blocks"]["vectors"])
    eights = (
        vectors.rank_correlation(times, each) for each in (vectors.begins_with_eights, vectors.has_eight)
    )
    return [
        *found,
        Claim(
            "4.3",
            f"best vectors in blocks of 2x2x2: {named}",
            "best",
            f"places {places[0]} and {places[1]} of {len(order)}; best: {_best_of(times)}",
        ),
        Claim(
            "4.3",
            "early rounds of radix 8 are best in blocks of 2x2x2 (rank correlation of vectors that begin "
            "with [8,8], of all that have an 8)",
            "yes",
            ", ".join(f"{each:+.2f}" for each in eights),
        ),
    ]


def _best_of(times: Mapping[tuple[int, ...], float]) -> str:
    return " ".join(f"[{text(k)}]" for k in vectors.best_first(times)[:4])


def _switch(results: Results) -> list[Claim]:
    at, found = published()["figure_7"], cluster.times(results)
    ends = (at["processes"][0], max(found))
    by_line = {which: cluster.mean_on_line(found, which, "packets") for which in cluster.GROUPS[:3]}
    line = [cluster.on_line(found, cluster.GROUPS[0], "packets", p) for p in ends]
    times = [found[p]["packets"] for p in ends]
    spread = max(by_line.values()) / min(by_line.values()) - 1
    theirs = at["multiples_of_4_seconds"]
    return [
        Claim(
            "4.4",
            f"multiples of 4: seconds at {ends[0]} processes and at {at['processes'][1]}",
            f"{theirs[0]} and {theirs[1]}",
            f"{times[0]:.3f} (calibrated) and {times[1]:.3f} at {ends[1]}; "
            f"the line {line[0]:.3f} to {line[1]:.3f}",
        ),
        Claim(
            "4.4",
            "the lines, best first",
            "multiples of 4, 3, 5",
            ", ".join(
                which.removeprefix("multiples of ") for which in sorted(by_line, key=by_line.__getitem__)
            ),
        ),
        Claim("4.4", "from the lowest line to the highest", f"{at['spread_of_lines']:.0%}", f"{spread:.0%}"),
    ]
