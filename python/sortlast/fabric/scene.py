"""What a picture of a fabric under a pattern shows: names, places, cables, tables and flows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sortlast._shown import shown
from sortlast.fabric.layout import Layout, Plan, arrange
from sortlast.fabric.nodes import labels, placement

if TYPE_CHECKING:
    from sortlast._fabric import Contention, Routes, Topology


@dataclass(frozen=True)
class Scene:
    """A fabric with its tables and a pattern, ready to be drawn.

    Vertices are the hosts, then the switches; channels are numbered as in :class:`sortlast.fabric.Fabric`.

    ``title``: of the fabric; ``caption``: its parts in numbers; ``routing``: the engine, and why it was
    replaced; ``verdict``: in a sentence; ``free``: whether the pattern is contention-free. ``hosts``,
    ``switches``: what they are called, see :func:`labels`. ``first``: the first channel of each switch.
    ``target``: the vertex that each channel leads to, -1 if there is no cable. ``cables``: pairs of channels,
    both directions. ``links``: those of them between switches, in the order of ``layout.links``. ``table``:
    (planes, switches, hosts), the port towards a host, 0 if there is none. ``plane``: (hosts, hosts), the
    plane that a flow takes; None: there is one plane. ``placement``: the host of each participant, -1 for a
    dummy. ``flows``: of each stage an (F, 2) array of participants; None: those of a shift. ``stage_max``:
    most flows on a channel at each stage.
    """

    title: str
    caption: str
    routing: str
    verdict: str
    free: bool
    hosts: list[str]
    switches: list[str]
    first: list[int]
    target: NDArray[np.int32]
    cables: list[tuple[int, int]]
    links: list[tuple[int, int]]
    layout: Layout
    table: NDArray[np.uint16]
    plane: NDArray[np.uint16] | None
    placement: list[int]
    flows: list[NDArray[np.int32]] | None
    stage_max: list[int]


def scene(found: Contention) -> Scene:
    """The scene of a fabric under the pattern of ``found``."""
    routes, topology = found.routes, found.routes.topology
    hosts, switches = len(topology.hosts), len(topology.switches)
    names = labels(topology)
    first = hosts + np.cumsum([0, *(switch.ports for switch in topology.switches)])[:-1]

    # Take the cables, both directions.
    target = np.full(topology.channels, -1, np.int32)
    cables, links, pairs = [], [], []
    for link in topology.links:
        back = link.b if link.b < hosts else int(first[link.b - hosts]) + link.b_port - 1
        target[link.channel], target[back] = link.b, link.a
        cables.append((link.channel, back))
        if link.a >= hosts and link.b >= hosts:
            links.append((link.channel, back))
            pairs.append((link.a - hosts, link.b - hosts))

    table = np.stack([routes.table(plane)[:, :hosts] for plane in range(routes.planes)])
    return Scene(
        title=shown(f"{found.pattern.name} on {topology.name.rpartition('/')[2]}"),
        caption=f"{hosts:,} hosts, {switches:,} switches, {len(cables):,} links",
        routing=shown(f"Routing: {routes.engine}." + (f" {routes.fallback}" if routes.fallback else "")),
        verdict=verdict(found),
        free=found.contention_free,
        hosts=names[:hosts],
        switches=names[hosts:],
        first=first.tolist(),
        target=target,
        cables=cables,
        links=links,
        layout=arrange(_plan(topology, pairs)),
        table=np.maximum(table, 0).astype(np.uint16),
        plane=_planes(routes, hosts),
        placement=found.placement,
        flows=None if found.pattern.is_shift else _flows(found),
        stage_max=found.stage_max.tolist(),
    )


def verdict(found: Contention) -> str:
    """Whether a pattern is contention-free, in a sentence."""
    if found.contention_free:
        return "Contention-free: no link carries two flows at any stage."
    contended = int((np.asarray(found.stage_max) > 1).sum())
    return (
        f"Contended: up to {found.max_flows} flows on a link, mean share of a flow {found.mean_share:.3f},"
        f" {contended:,} of {found.stages:,} stages contended."
    )


def _plan(topology: Topology, pairs: list[tuple[int, int]]) -> Plan:
    """What is to be drawn; a fabric without levels of its own is ranked."""
    levels = [switch.level for switch in topology.switches]
    if not any(levels):
        levels = list(topology.rank_switches().level)
    switch_of = [host.switch for host in topology.hosts]
    leaves = list(dict.fromkeys(switch_of[host] for host in placement(topology)))
    return Plan(switch_of, levels, leaves, pairs)


def _planes(routes: Routes, hosts: int) -> NDArray[np.uint16] | None:
    if routes.planes == 1:
        return None
    return np.array([[routes.plane(a, b) for b in range(hosts)] for a in range(hosts)], np.uint16)


def _flows(found: Contention) -> list[NDArray[np.int32]]:
    return [found.pattern.flows(stage)[:, :2].astype(np.int32) for stage in range(found.stages)]
