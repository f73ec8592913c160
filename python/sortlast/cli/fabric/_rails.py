"""Messages that change rails, which a job on nodes with several adapters should avoid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sortlast.cli.fabric import _show

if TYPE_CHECKING:
    from sortlast.fabric import Contention, Placement

_MOST_FLOWS = 20_000_000  # max flows to look at
_ALIGNED = {"ring": "rail-ring", "pairwise": "rail", "all-to-all": "rail", "bruck": "rail", "shift": "rail"}


def warning(found: Contention, job: Placement, at_bound: bool) -> str:
    """A remark on messages between nodes that change rails; empty: none do, or nodes use one adapter.

    ``at_bound``: the job loses no time, so that only a ring, which has a faster form, is remarked on.
    """
    if at_bound and found.pattern.name != "ring":
        return ""
    if all(len({*group}) == 1 for group in job.groups()):
        return ""
    if found.flows * found.stages > _MOST_FLOWS * max(1, found.steps):
        return ""
    changing, between = _changes(found, job)
    if changing == 0:
        return ""
    instead = _ALIGNED.get(found.pattern.name)
    advice = f"; `--schedule {instead}` keeps every message between nodes on its rail" if instead else ""
    return (
        f"{changing:,} of {_show.count(between, 'message')} between nodes change rails, and cross the core of"
        f" the fabric{advice}."
    )


def _changes(found: Contention, job: Placement) -> tuple[int, int]:
    """The messages between nodes that change rails, and all of them; stages that repeat count once."""
    from sortlast import fabric

    topology = found.routes.topology
    rail = np.full(len(topology.hosts), -1)
    numbers: dict[str, int] = {}
    for node in fabric.find_nodes(topology):
        for adapter in node.adapters:
            rail[adapter.host] = numbers.setdefault(adapter.rail, len(numbers))
    hosts, nodes = np.array(found.placement), np.array(job.nodes)
    changing = between = 0
    for stage in range(found.stages):
        source, destination = found.pattern.flows(stage)[:, :2].T
        used = (hosts[source] >= 0) & (hosts[destination] >= 0) & (nodes[source] != nodes[destination])
        between += int(used.sum())
        changing += int((used & (rail[hosts[source]] != rail[hosts[destination]])).sum())
    return changing, between
