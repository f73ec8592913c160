"""All studies, by name. A study is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from sortlast.study.study import Study

# By name, what each reproduces.
STUDIES = {
    "shift-based": 'Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand Fat-Trees".',
    "radix-k": 'Peterka et al., "A Configurable Algorithm for Parallel Image-Compositing Applications".',
    "all-to-all": 'Mistry et al., "Contention of Communications in Switched Networks".',
    "hardware-barrier": 'Nonaka et al., "A Low-Cost Parallel-port-based Hardware Barrier on VG Cluster".',
    "narrowed-trees": 'Navaridas et al., "Reducing Complexity in Tree-like Interconnection Networks".',
    "taper": "No paper: which taper, leaves and placement to buy for compositing.",
}


def load(name: str) -> Study:
    """The study of this name, one of :data:`STUDIES`."""
    study: Study = import_module(f"sortlast.study.{name.replace('-', '_')}").STUDY
    return study
