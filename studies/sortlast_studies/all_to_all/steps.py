"""The steps of the study: all simulations, and the measurements, which run alone; none on hosts if quick."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast_studies.all_to_all import cluster, measured, simulated
from sortlast_studies.steps import Step


def steps(quick: bool, ranks: Sequence[int] = ()) -> list[Step]:
    """Steps of the quick or the whole study, with additional simulated numbers of processes."""
    simulations = [simulated.step(each) for each in simulated.all_of(quick, ranks)]
    on_cores = [measured.step(each) for each in dict.fromkeys(measured.all_of(quick))]
    return simulations + on_cores + ([] if quick else [measured.hosts_step(tree) for tree in cluster.TREES])
