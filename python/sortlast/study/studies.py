"""All studies, by name. A study is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from sortlast.study.study import Study

# By name, the summary of each: that of :class:`Study`, for a help that imports none.
STUDIES = {
    "shift-based": (
        'Shift beside direct-send on 12 to 144 nodes: Cavin and Demengeon, "Shift-Based Parallel Image '
        'Compositing on InfiniBand Fat-Trees" (2012).'
    ),
    "radix-k": (
        "Radix-k beside binary swap, direct-send and MPI's reductions: Peterka et al., "
        '"A Configurable Algorithm for Parallel Image-Compositing Applications" (2009).'
    ),
    "all-to-all": (
        'A parallel sort by all-to-all: Mistry et al., "Contention of Communications in Switched Networks '
        'with Applications to Parallel Sorting" (2013).'
    ),
    "hardware-barrier": (
        "Synchronised frames of a compositing device, with barriers in software and hardware: Nonaka et al., "
        '"Performance Evaluation of a Low-Cost Parallel-port-based Hardware Barrier on VG Cluster" (2004).'
    ),
    "narrowed-trees": (
        'Thin-trees and slender-trees beside fat-trees: Navaridas et al., "Reducing Complexity in Tree-like '
        'Computer Interconnection Networks" (2007).'
    ),
    "taper": (
        "Frames a second for the money: compositing on trees of every taper, with placement, leaves of GPUs "
        "and missing cables; no paper, but the cost model of Navaridas et al. (2007)."
    ),
}
WITHOUT_PAPER = frozenset({"taper"})


def load(name: str) -> Study:
    """The study of this name, one of :data:`STUDIES`."""
    study: Study = import_module(f"sortlast.study.{name.replace('-', '_')}").STUDY
    return study
