"""Effective bisection bandwidth, which ``sortlast fabric check --bisection`` adds to its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortlast.cli import _progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sortlast.fabric import Contention

_SAMPLES = 1000


def report(found: Contention) -> dict[str, Any]:
    """The shares of flows between random halves of the job's hosts, as JSON."""
    from sortlast import fabric

    hosts = dict.fromkeys(host for host in found.placement if host >= 0)
    with _progress.bar("bisections", transient=True) as progress:
        halves = fabric.bisection(found.routes, _SAMPLES, nodes=[*hosts], progress=progress)
    return {
        "samples": _SAMPLES,
        "one_way": _summary(halves.one_way, halves.one_way_samples),
        "both_ways": _summary(halves.both_ways, halves.both_ways_samples),
    }


def facts(told: dict[str, Any]) -> list[tuple[str, str]]:
    """The same as a line of a table."""
    one, both = told["one_way"], told["both_ways"]
    return [
        (
            "bisection",
            f"mean share {one['mean']:.3f} one way, {both['mean']:.3f} both ways at once, over"
            f" {told['samples']:,} pairs of random halves",
        )
    ]


def _summary(mean: float, samples: NDArray[np.float64]) -> dict[str, float]:
    """The mean, its standard error, and the extremes over the samples."""
    error = float(samples.std(ddof=1) / samples.size**0.5)
    return {"mean": mean, "standard_error": error, "min": float(samples.min()), "max": float(samples.max())}
