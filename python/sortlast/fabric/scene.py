"""The content of a fabric's picture under a pattern: names, positions, cables, and groups that share a glyph.

Vertices are the hosts, then the switches; channels are numbered as in :class:`sortlast.fabric.Topology`. A
part is the unit of colour: one direction of a line, or a half of a square. It shows the worst load of its
channels; usually it has only one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sortlast._shown import shown
from sortlast.fabric.analysis import repeats
from sortlast.fabric.arrange import arrange
from sortlast.fabric.groups import Fabric, Groups, group
from sortlast.fabric.layout import Layout, Plan
from sortlast.fabric.nodes import labels, placement

if TYPE_CHECKING:
    from sortlast._fabric import Contention, Topology

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Scene:
    """A fabric with a pattern, ready to be drawn.

    ``found``: the analysis. ``title``: of the fabric; ``caption``: its parts in numbers; ``made``: names and
    values of the inputs: engine, order, schedule; ``command``: the command that made it, if any;
    ``note``: the aggregation, in words; ``verdict``: in a sentence. ``names``: labels of the vertices, see
    :func:`labels`. ``first``: the first channel of each switch. ``target``: the vertex at the end of each
    channel, -1 without a cable; ``back``: the other direction of its cable, or -1. ``groups``: the vertices
    that share a box or a square of ``layout``; ``box``: the box of each vertex. ``part``: the part that shows
    each channel, -1: none. Parts 2i and 2i + 1 are the directions of line i; ``square_part + 2i`` and the
    next are the sending and the receiving half of square i.
    """

    found: Contention
    title: str
    caption: str
    made: list[tuple[str, str]]
    command: str
    note: str
    verdict: str
    names: list[str]
    first: Ints
    target: Ints
    back: Ints
    layout: Layout
    groups: Groups
    box: Ints
    part: Ints
    square_part: int
    parts: int

    def worst_of_parts(self, loads: NDArray[np.int32]) -> Ints:
        """The worst load of each part."""
        worst = np.zeros(self.parts, np.int32)
        seen = self.part >= 0
        np.maximum.at(worst, self.part[seen], loads[seen])
        return worst

    def worst_of_boxes(self, loads: NDArray[np.int32]) -> Ints:
        """The worst load of the channels that begin, end or lie in each box."""
        worst = np.zeros(len(self.layout.switches), np.int32)
        cabled = self.target >= 0
        for ends in (self.target, self.target[self.back]):
            np.maximum.at(worst, self.box[ends[cabled]], loads[cabled])
        return worst


def scene(found: Contention, *, order: str | None = None, command: str = "") -> Scene:
    """The scene of a fabric under the pattern of ``found``.

    ``order``, ``command``: the origin of the placement, recorded in the picture.
    """
    topology = found.routes.topology
    hosts, switches = len(topology.hosts), len(topology.switches)
    first = hosts + np.cumsum([0, *(switch.ports for switch in topology.switches)], dtype=np.int32)[:-1]

    # Collect the cables, in both directions.
    target, back = np.full((2, topology.channels), -1, np.int32)
    cables = np.array([(link.channel, link.a, link.b, link.b_port) for link in topology.links], np.int32)
    channel, a, b, b_port = cables.reshape(-1, 4).T
    reverse = b if switches == 0 else np.where(b < hosts, b, first[b - hosts] + b_port - 1)
    target[channel], target[reverse] = b, a
    back[channel], back[reverse] = reverse, channel

    # Group and position the elements.
    between = (a >= hosts) & (b >= hosts)
    fabric = _fabric(topology, np.stack([a, b], axis=1)[between] - hosts)
    groups = group(fabric)
    box_of_switch = groups.box_of.astype(np.int32)
    box = np.concatenate([box_of_switch[fabric.switch_of], box_of_switch]).astype(np.int32)
    lines, part = _lines(groups, np.stack([channel, reverse], axis=1)[between], box, target)
    square_part = 2 * len(lines)
    squares = groups.square_of.astype(np.int32)
    own = np.arange(hosts)
    part[own] = square_part + 2 * squares
    part[back[own]] = square_part + 2 * squares + 1
    names = labels(topology)
    layout = arrange(_plan(fabric, groups, lines, names[hosts:]))
    return Scene(
        found=found,
        title=shown(f"{found.pattern.name} on {topology.name.rpartition('/')[2]}"),
        caption=", ".join(
            (_count(hosts, "host"), _count(switches, "switch"), _count(len(topology.links), "link"))
        ),
        made=_made(found, order),
        command=shown(command),
        note=_note(fabric, groups),
        verdict=verdict(found),
        names=names,
        first=first,
        target=target,
        back=back,
        layout=layout,
        groups=groups,
        box=box,
        part=part,
        square_part=square_part,
        parts=square_part + 2 * len(layout.hosts),
    )


def verdict(found: Contention) -> str:
    """Whether a pattern is contention-free, as a sentence."""
    if found.contention_free:
        return "Contention-free: no link carries two flows at any stage."
    contended = int(np.asarray(repeats(found))[np.asarray(found.stage_max) > 1].sum())
    return (
        f"Contended: up to {found.max_flows} flows on a link, mean share of a flow {found.mean_share:.3f},"
        f" {contended:,} of {found.steps:,} stages contended."
    )


def _made(found: Contention, order: str | None) -> list[tuple[str, str]]:
    routes = found.routes
    made = [("engine", routes.engine + (f" ({routes.fallback})" if routes.fallback else ""))]
    if order is not None:
        made.append(("order", order))
    made.append(("schedule", f"{found.pattern.name} of {len(found.placement):,} in {found.steps:,} stages"))
    return [(name, shown(value)) for name, value in made]


def _fabric(topology: Topology, links: NDArray[np.int32]) -> Fabric:
    """The fabric to group; levels are computed if it has none."""
    switch_of = np.array([host.switch for host in topology.hosts], np.intp)
    size, places = _grid(topology, links)
    levels = [switch.level for switch in topology.switches]
    if not size and not any(levels):
        levels = list(topology.rank_switches().level)
    leaves = list(dict.fromkeys(switch_of[placement(topology)].tolist()))
    return Fabric(switch_of, np.array(levels, np.intp), links.astype(np.intp), leaves, size, places)


def _grid(topology: Topology, links: NDArray[np.int32]) -> tuple[Sequence[int], Sequence[Sequence[int]]]:
    """Extent of a mesh or torus and the position of each switch; empty if it is none.

    A fabric that was cut, or written and read, has lost its shape, but not the names of its switches: they
    are used if every link joins neighbours according to them.
    """
    found = [re.fullmatch(r"sw-(\d{1,7}(?:-\d{1,7})*)", switch.name) for switch in topology.switches]
    if not found or not all(found):
        return (), ()
    places = [[int(number) for number in each[1].split("-")] for each in found if each]
    if len({len(place) for place in places}) > 1:
        return (), ()
    at = np.array(places)
    size = at.max(axis=0) + 1
    apart = np.abs(at[links[:, 0]] - at[links[:, 1]])
    neighbours = ((apart == 1) | (apart == size - 1)) & (apart > 0)
    if np.prod(size, dtype=float) != len(places) or len(np.unique(at, axis=0)) < len(places):
        return (), ()
    if not (neighbours.sum(axis=1) == 1).all() or ((apart > 0).sum(axis=1) != 1).any():
        return (), ()
    return size.tolist(), places


def _lines(
    groups: Groups, cables: NDArray[np.int32], box: NDArray[np.int32], target: NDArray[np.int32]
) -> tuple[list[tuple[int, int]], NDArray[np.int32]]:
    """The lines of a picture as pairs of boxes, and the part that shows each channel between switches."""
    part = np.full(len(target), -1, np.int32)
    lines: list[tuple[int, int]] = []
    known: dict[tuple[int, int], int] = {}
    ends = zip(box[target[cables[:, 1]]].tolist(), box[target[cables[:, 0]]].tolist(), strict=True)
    for (forth, back), (a, b) in zip(cables.tolist(), ends, strict=True):
        if a == b:
            continue
        number = len(lines) if groups.whole else known.setdefault((min(a, b), max(a, b)), len(lines))
        if number == len(lines):
            lines.append((a, b))
        ahead = lines[number] == (a, b)
        part[forth], part[back] = 2 * number + (not ahead), 2 * number + ahead
    return lines, part


def _plan(fabric: Fabric, groups: Groups, lines: list[tuple[int, int]], names: Sequence[str]) -> Plan:
    """The boxes and squares that represent the groups."""
    members, squares = groups.members(), groups.hosts()
    box_of_square = [int(groups.box_of[fabric.switch_of[own[0]]]) for own in squares]
    leaves = list(dict.fromkeys(groups.box_of[list(fabric.leaves)].tolist()))
    counts = [] if groups.whole else _counts(groups, box_of_square, squares)
    size: list[int] = []
    places: list[list[int]] = []
    if fabric.size:
        block = groups.block
        size = [-(-extent // each) for extent, each in zip(fabric.size, block, strict=True)]
        places = [
            [at // each for at, each in zip(fabric.places[own[0]], block, strict=True)] for own in members
        ]
    called = [names[own[0]] if len(own) == 1 else f"{names[own[0]]} +{len(own) - 1}" for own in members]
    if groups.rows[:1] == ("pods",):
        pods = [s for s, level in enumerate(groups.levels) if level == 1]
        order = {s: k for k, s in enumerate(leaves)}
        for number, s in enumerate(sorted(pods, key=lambda s: order.get(s, len(order)))):
            called[s] = f"pod {number}"
    levels = groups.levels.tolist()
    return Plan(box_of_square, levels, leaves, lines, called, counts, groups.rows, size, places, groups.block)


def _counts(groups: Groups, box_of_square: list[int], squares: list[list[int]]) -> list[str]:
    """The count shown for each box: its hosts, or switches if it has none."""
    counts = [_count(len(own), "switch") for own in groups.members()]
    for square, s in enumerate(box_of_square):
        counts[s] = _count(len(squares[square]), "host")
    return counts


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "es" if noun.endswith("ch") else "s")


def _note(fabric: Fabric, groups: Groups) -> str:
    """What a glyph represents, if not a single host."""
    if groups.whole:
        return ""
    sizes = Counter(np.bincount(groups.square_of).tolist() if len(groups.square_of) else [0])
    hosts = ("up to " if len(sizes) > 1 else "") + _count(max(sizes), "host") + " a glyph"
    if groups.block:
        blocks = " x ".join(map(str, groups.block))
        return f"switches are aggregated in blocks of {blocks}: {hosts}"
    if groups.rows[:1] == ("pods",):
        return f"leaves are aggregated by pods: {hosts}"
    alone = len(groups.levels) == len(fabric.levels)
    return f"leaves are aggregated: {hosts}" if alone else f"leaves are aggregated in runs: {hosts}"
